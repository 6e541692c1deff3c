// What a recording holds: a header, and a frame for each step.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tactus/core/types.h"

namespace tactus {

/// A contact of a step.
struct RecordContact {
  int object_a = -1, object_b = -1;   ///< of RecordHeader::objects; -1: none
  Vector3 point = Vector3::Zero();    ///< world [m]
  Vector3 normal = Vector3::UnitZ();  ///< world, from b to a
  double gap = 0;                     ///< at the start of the step [m]
  Vector3 impulse = Vector3::Zero();  ///< on a, world axes [N s]
};

/// What holds for all steps.
struct RecordHeader {
  int nq = 0, nv = 0;
  double time_step = 0;                       ///< h [s]
  std::vector<std::string> q_names, v_names;  ///< nq and nv of them, or none
  std::vector<std::string> links, joints;     ///< of the model
  std::vector<std::string> objects;           ///< shapes that collide
  std::vector<std::string> stages;            ///< whose times are recorded
  std::vector<std::string> statuses;          ///< what the numbers of RecordFrame::status mean
  std::string solver;
  std::string scene;                                          ///< text of the scene file
  std::string version;                                        ///< of the program
  std::vector<std::pair<std::string, std::string>> settings;  ///< name, value
};

/// A step. Spans must hold until Recorder::Append returns.
struct RecordFrame {
  double time = 0;               ///< at the end of the step [s]
  std::span<const double> q, v;  ///< nq, nv
  int status = 0;
  int iterations = 0;
  double residual = 0;
  std::span<const double> stages;  ///< [s], as many as RecordHeader::stages
  std::span<const RecordContact> contacts;
};

}  // namespace tactus
