// A recording in memory, and what it can be turned into.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tactus/record/packed_rows.h"
#include "tactus/record/record_frame.h"

namespace tactus {

struct Recording {
  RecordHeader header;
  int version = 3;     ///< of the file's format; 1 has no shapes, poses, friction or modes, 2 no rods and stress
  bool closed = true;  ///< false: the program that wrote it has not finished, or was killed
  std::vector<double> time;
  RowMatrixX q, v;  ///< a row for each step
  std::vector<int> status, iterations;
  std::vector<double> residual;
  RowMatrixX stages;
  std::vector<std::int64_t> contact_start;  ///< first contact of each step, and one more: the number of all
  std::vector<RecordContact> contacts;
  RowMatrixX poses;     ///< RecordFrame::poses, a row for each step; no columns: none
  PackedRows deformed;  ///< vertices, segments and stress of each step: DeformedReader

  int steps() const { return static_cast<int>(time.size()); }
  /// Of one step.
  std::span<const RecordContact> StepContacts(int step) const {
    const auto start = static_cast<std::size_t>(contact_start[static_cast<std::size_t>(step)]);
    const auto end = static_cast<std::size_t>(contact_start[static_cast<std::size_t>(step) + 1]);
    return std::span<const RecordContact>(contacts).subspan(start, end - start);
  }
};

/// Where deformables and rods are in a step, as in RecordFrame.
struct DeformedStep {
  std::span<const float> vertices, segments, stress;
};

/// Unpacks steps of a recording, fastest one after the other. So a long one never is in memory as a whole.
class DeformedReader {
 public:
  /// `recording` must outlive it.
  explicit DeformedReader(const Recording& recording);
  /// Valid until the next call.
  DeformedStep Read(int step);

 private:
  PackedRowReader reader_;
  std::size_t vertices_, segments_, stress_;
};

/// Reads a file, finished or not. All steps that were flushed are there. Throws InputError for anything that is no
/// sound recording; the file is read in a child process (contact/hdf5_tree.h).
Recording LoadRecording(const std::string& path);

/// A line for each step: time, q and v by name, status, iterations, residual, contacts.
void WriteCsv(const Recording& recording, const std::string& path);
/// A line for each contact: step, time, objects by name, point, normal, gap, impulse.
void WriteContactsCsv(const Recording& recording, const std::string& path);
/// A line for each surface node and rod segment of each step: step, time, body, number in the body, place, quaternion
/// (of segments only), von Mises stress. Throws InputError if there are none.
void WriteDeformablesCsv(const Recording& recording, const std::string& path);
/// All arrays under the names of the HDF5 file, '/' replaced by '_', for numpy.load.
void WriteNpz(const Recording& recording, const std::string& path);

}  // namespace tactus
