// What a recording holds: a header, and a frame for each step.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tactus/core/types.h"
#include "tactus/geometry/mesh.h"
#include "tactus/geometry/shape.h"
#include "tactus/math/contact_mode.h"
#include "tactus/math/spatial.h"

namespace tactus {

/// A contact of a step.
struct RecordContact {
  int object_a = -1, object_b = -1;   ///< of RecordHeader::objects; -1: none
  Vector3 point = Vector3::Zero();    ///< world [m]
  Vector3 normal = Vector3::UnitZ();  ///< world, from b to a
  double gap = 0;                     ///< at the start of the step [m]
  Vector3 impulse = Vector3::Zero();  ///< on a, world axes [N s]
  // Kept in single precision, for looking at.
  Vector2 friction = Vector2::Zero();  ///< along `tangent` and across it
  Vector3 tangent = Vector3::Zero();   ///< world, unit; zero: unknown
  ContactMode mode = ContactMode::Open;
};

/// What a shape belongs to; replays colour by it.
enum class RecordKind {
  Fixed,   ///< the world, and what moves as prescribed
  Object,  ///< a body that floats alone
  Robot,   ///< bodies joined to each other or to the world
};

/// A shape as replays draw it.
struct RecordShape {
  std::string name;
  int link = -1;  ///< of RecordHeader::links; -1: part of the world
  RecordKind kind = RecordKind::Object;
  int group = 0;         ///< shapes of one object or one robot share it
  bool collides = true;  ///< false: for show only
  /// Mesh, HeightField and Field are triangles: `mesh`.
  ShapeType type = ShapeType::Sphere;
  Vector3 size = Vector3::Zero();  ///< as Shape::size
  Pose X_LS;                       ///< in the link's frame
  int mesh = -1;                   ///< of RecordHeader::meshes
};

/// A body without a fixed shape: triangles over vertices that each frame places.
struct RecordDeformable {
  std::string name;
  int vertices = 0;  ///< those of RecordFrame::vertices after the ones of deformables before this
  std::vector<std::array<int, 3>> triangles;
  std::vector<int> nodes;  ///< the number that each vertex has in its body; empty: the same
};

/// A rod: round segments, x along the rod, that each frame places.
struct RecordRod {
  std::string name;
  int segments = 0;    ///< those of RecordFrame::segments after the ones of rods before this
  double radius = 0;   ///< [m]
  double spacing = 0;  ///< length of a segment [m]
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
  // For replays.
  bool poses = false;  ///< frames say where links are
  bool modes = true;   ///< contacts have friction and modes
  std::vector<RecordShape> shapes;
  std::vector<TriangleMesh> meshes;  ///< of shapes, in single precision
  std::vector<RecordDeformable> deformables;
  std::vector<RecordRod> rods;
  bool stress = false;  ///< frames say how much vertices and segments are stressed

  int num_vertices() const {
    int sum = 0;
    for (const RecordDeformable& deformable : deformables) sum += deformable.vertices;
    return sum;
  }
  int num_segments() const {
    int sum = 0;
    for (const RecordRod& rod : rods) sum += rod.segments;
    return sum;
  }
  int num_stresses() const { return stress ? num_vertices() + num_segments() : 0; }
};

/// Entries of a link's pose: position [m], quaternion w, x, y, z.
inline constexpr int kRecordPoseSize = 7;

/// A step. Spans must hold until Recorder::Append returns.
struct RecordFrame {
  double time = 0;               ///< at the end of the step [s]
  std::span<const double> q, v;  ///< nq, nv
  int status = 0;
  int iterations = 0;
  double residual = 0;
  std::span<const double> stages;  ///< [s], as many as RecordHeader::stages
  std::span<const RecordContact> contacts;
  std::span<const double> poses;  ///< kRecordPoseSize for each link, if RecordHeader::poses
  // In single precision, because that is how they are kept: 60 nm at a distance of 1 m.
  std::span<const float> vertices;  ///< 3 for each vertex of all deformables, world [m]
  std::span<const float> segments;  ///< kRecordPoseSize for each segment of all rods
  std::span<const float> stress;    ///< of all vertices, then of all segments [Pa], if RecordHeader::stress
};

}  // namespace tactus
