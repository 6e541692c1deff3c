// Writes a simulation to an HDF5 file (docs/file-formats.md) while it runs.
//
// The file is written in HDF5's single-writer-multiple-readers mode, whose order of writes leaves the file readable at
// any time, and in pages, so that a write which is cut short leaves no half of a header: a program that is killed
// (SIGKILL too) leaves a file with all steps that were flushed, and others may read it while it grows. What a machine
// loses that loses power is up to its file system. The file is marked as being written until it is closed: HDF5 1.10
// then opens it with H5F_ACC_SWMR_READ only (h5py: swmr=True), which LoadRecording does; `h5clear -s` removes the mark.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "tactus/record/record_frame.h"

namespace tactus {

struct RecorderSettings {
  int flush_steps = 240;     ///< flushed after so many steps, >= 1
  double flush_seconds = 1;  ///< or when a step comes this long after the last flush [s]
  bool overwrite = true;     ///< false: InputError if the file is there
};

class Recorder {
 public:
  /// Creates the file with the header. Throws InputError if it cannot be written, as all members do.
  Recorder(std::string path, const RecordHeader& header, const RecorderSettings& settings = {});
  /// Closes; errors then are lost.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Keeps the frame in memory until the next flush. InputError if sizes do not fit the header.
  void Append(const RecordFrame& frame);
  /// When it returns, all steps so far are in the file.
  void Flush();
  /// Flushes, and leaves an ordinary file. Nothing can be appended afterwards.
  void Close();

  std::int64_t steps() const { return steps_; }
  std::int64_t flushed_steps() const { return flushed_; }
  const std::string& path() const { return path_; }

 private:
  struct File;  // handles of HDF5, and steps that wait

  void AppendDeformed(const RecordFrame& frame);
  void CheckRoom(const RecordHeader& header, std::int64_t creation, std::int64_t access);

  std::string path_;
  RecorderSettings settings_;
  RecordHeader header_;  // for its sizes
  std::int64_t steps_ = 0, flushed_ = 0;
  std::chrono::steady_clock::time_point last_flush_;
  std::unique_ptr<File> file_;  // none: closed
};

}  // namespace tactus
