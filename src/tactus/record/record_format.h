// The datasets of a recording: one table for the one who writes and the one who reads. For record/ only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tactus/record/record_frame.h"

namespace tactus {

inline constexpr const char* kRecordFormat = "tactus-recording";
inline constexpr std::int32_t kRecordVersion = 3;
/// How many steps and contacts count; what datasets hold beyond that was being written when the program ended.
inline constexpr const char* kRecordCommitted = "/committed";

enum class RecordType { Real, Single, Integer, Long };

enum class RecordColumnId {
  Time,
  Q,
  V,
  Status,
  Iterations,
  Residual,
  Stages,
  ContactCount,
  ContactStart,
  Objects,
  Point,
  Normal,
  Gap,
  Impulse,
  Friction,
  Tangent,
  Mode,
  Poses,
  Vertices,
  Deformed,
};

// Widths that depend on the header.
inline constexpr int kWidthQ = -1, kWidthV = -2, kWidthStages = -3, kWidthPoses = -4, kWidthVertices = -5,
                     kWidthDeformed = -6;

struct RecordColumn {
  RecordColumnId id;
  const char* path;
  RecordType type;
  int width;                   ///< entries of a row; 1: the dataset has one dimension
  bool per_contact;            ///< a row for each contact; else for each step
  int since = 1;               ///< version of the format that brought it
  int until = kRecordVersion;  ///< the last version that has it
};

inline constexpr RecordColumn kRecordColumns[] = {
    {RecordColumnId::Time, "/time", RecordType::Real, 1, false},
    {RecordColumnId::Q, "/q", RecordType::Real, kWidthQ, false},
    {RecordColumnId::V, "/v", RecordType::Real, kWidthV, false},
    {RecordColumnId::Status, "/step/status", RecordType::Integer, 1, false},
    {RecordColumnId::Iterations, "/step/iterations", RecordType::Integer, 1, false},
    {RecordColumnId::Residual, "/step/residual", RecordType::Real, 1, false},
    {RecordColumnId::Stages, "/step/stages", RecordType::Real, kWidthStages, false},
    {RecordColumnId::ContactCount, "/step/contacts", RecordType::Integer, 1, false},
    {RecordColumnId::ContactStart, "/contacts/start", RecordType::Long, 1, false},
    {RecordColumnId::Objects, "/contacts/objects", RecordType::Integer, 2, true},
    {RecordColumnId::Point, "/contacts/point", RecordType::Real, 3, true},
    {RecordColumnId::Normal, "/contacts/normal", RecordType::Real, 3, true},
    {RecordColumnId::Gap, "/contacts/gap", RecordType::Real, 1, true},
    {RecordColumnId::Impulse, "/contacts/impulse", RecordType::Real, 3, true},
    {RecordColumnId::Friction, "/contacts/friction", RecordType::Single, 2, true, 2},
    {RecordColumnId::Tangent, "/contacts/tangent", RecordType::Single, 3, true, 2},
    {RecordColumnId::Mode, "/contacts/mode", RecordType::Integer, 1, true, 2},
    {RecordColumnId::Poses, "/links/pose", RecordType::Single, kWidthPoses, false, 2},
    {RecordColumnId::Vertices, "/deformables/position", RecordType::Single, kWidthVertices, false, 2, 2},
    // Blocks of steps, packed (packed_rows.h): a stream of words rather than rows.
    {RecordColumnId::Deformed, "/deformables/packed", RecordType::Long, kWidthDeformed, false, 3},
};
inline constexpr std::size_t kNumRecordColumns = sizeof(kRecordColumns) / sizeof(kRecordColumns[0]);

/// Numbers of a step that say where deformables are: vertices, segments, stress, one after the other.
inline int CalcDeformedWidth(const RecordHeader& header) {
  return 3 * header.num_vertices() + kRecordPoseSize * header.num_segments() + header.num_stresses();
}

/// Entries of a row; 0: there is no such dataset.
inline int CalcRecordWidth(const RecordColumn& column, const RecordHeader& header) {
  if (column.width == kWidthQ) return header.nq;
  if (column.width == kWidthV) return header.nv;
  if (column.width == kWidthPoses) return header.poses ? kRecordPoseSize * static_cast<int>(header.links.size()) : 0;
  if (column.width == kWidthVertices) return 3 * header.num_vertices();
  if (column.width == kWidthDeformed) return CalcDeformedWidth(header) > 0 ? 1 : 0;
  return column.width == kWidthStages ? static_cast<int>(header.stages.size()) : column.width;
}

struct RecordNames {
  const char* path;
  std::vector<std::string> RecordHeader::*member;
};

inline constexpr RecordNames kRecordNames[] = {
    {"/names/q", &RecordHeader::q_names},         {"/names/v", &RecordHeader::v_names},
    {"/names/links", &RecordHeader::links},       {"/names/joints", &RecordHeader::joints},
    {"/names/objects", &RecordHeader::objects},   {"/names/stages", &RecordHeader::stages},
    {"/names/statuses", &RecordHeader::statuses},
};

}  // namespace tactus
