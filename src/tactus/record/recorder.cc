#include "tactus/record/recorder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "tactus/contact/hdf5_handle.h"
#include "tactus/core/error.h"
#include "tactus/core/output_file.h"
#include "tactus/record/packed_rows.h"
#include "tactus/record/record_format.h"
#include "tactus/record/record_geometry.h"
#include "tactus/record/record_header.h"

namespace tactus {

namespace {

constexpr hsize_t kPageSize = 4096;  // of memory, the smallest of all systems

[[noreturn]] void FailWrite(const std::string& path, const std::string& what) {
  throw InputError(path, "cannot be written: " + what, "a path in a writable folder with room");
}

// HDF5 says little; the system often knows more, such as that the disk is full. `errno` must be 0 before the attempt.
[[noreturn]] void FailWriteWith(int code, const std::string& path, const std::string& what) {
  FailWrite(path, code != 0 ? what + ": " + std::strerror(code) : what);
}

// Keeps the library from printing its own errors, and others from using it meanwhile.
class Session {
 public:
  Session() : lock_(Hdf5Mutex()) {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

 private:
  std::unique_lock<std::mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

// Rows that wait to be written, and the dataset that they go to.
struct Column {
  const RecordColumn* format = nullptr;
  hsize_t width = 1;  // entries of a row
  hsize_t rows = 0;   // in the file
  hid_t dataset = -1;
  std::vector<double> reals;
  std::vector<std::int32_t> integers;
  std::vector<std::int64_t> longs;

  bool real() const { return format->type == RecordType::Real || format->type == RecordType::Single; }
  int rank() const { return format->width == 1 || format->id == RecordColumnId::Deformed ? 1 : 2; }
  hid_t memory_type() const {
    if (real()) return H5T_NATIVE_DOUBLE;
    return format->type == RecordType::Integer ? H5T_NATIVE_INT32 : H5T_NATIVE_INT64;
  }
  hid_t file_type() const {
    if (format->type == RecordType::Single) return H5T_IEEE_F32LE;
    if (format->type == RecordType::Real) return H5T_IEEE_F64LE;
    return format->type == RecordType::Integer ? H5T_STD_I32LE : H5T_STD_I64LE;
  }
  const void* data() const {
    if (real()) return reals.data();
    return format->type == RecordType::Integer ? static_cast<const void*>(integers.data()) : longs.data();
  }
  std::size_t count() const { return reals.size() + integers.size() + longs.size(); }
  void Clear() {
    reals.clear();
    integers.clear();
    longs.clear();
  }
};

}  // namespace

struct Recorder::File {
  std::array<Column, kNumRecordColumns> columns;
  int deformed_width = 0;
  std::vector<float> deformed;  // rows that wait to be packed
  hid_t file = -1, committed = -1;
  bool abandoned = false;  // a write failed

  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    const Session session;
    CloseHandles();
  }

  bool CloseHandles() {
    if (file >= 0 && !abandoned && H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) Abandon();
    for (Column& column : columns) {
      if (column.dataset >= 0) H5Dclose(std::exchange(column.dataset, -1));
    }
    if (committed >= 0) H5Dclose(std::exchange(committed, -1));
    const bool closed = file < 0 || H5Fclose(std::exchange(file, -1)) >= 0;
    return closed && !abandoned;
  }

  // What is committed by now can be read, as after a kill.
  void Abandon() {
    AbandonFile(file);
    abandoned = true;
  }

  Column& At(RecordColumnId id) { return columns[static_cast<std::size_t>(id)]; }

  // An empty dataset without end.
  bool MakeColumn(const Column& column) const {
    const hsize_t extents[2] = {0, column.width}, most[2] = {H5S_UNLIMITED, column.width};
    // Few and large chunks: from about 16000 on, parts of their index are larger than a page (see kPageSize).
    const bool stream = column.format->id == RecordColumnId::Deformed;
    const hsize_t chunk[2] = {stream ? 32768 : std::clamp<hsize_t>(65536 / column.width, 64, 4096), column.width};
    const int rank = column.rank();
    const Hdf5Handle space(H5Screate_simple(rank, extents, most)), creation(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_chunk(creation.id, rank, chunk);
    return Hdf5Handle(H5Dcreate2(file, column.format->path, column.file_type(), space.id, H5P_DEFAULT, creation.id,
                                 H5P_DEFAULT))
               .id >= 0;
  }

  bool WriteHeader(const RecordHeader& header) const {
    bool ok = WriteRecordHeader(file, header);
    for (const Column& column : columns) ok = ok && (column.width == 0 || MakeColumn(column));
    return ok;
  }

  bool OpenForSteps(const std::string& path, hid_t access) {
    file = H5Fopen(path.c_str(), H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, access);
    committed = file < 0 ? -1 : H5Dopen2(file, kRecordCommitted, H5P_DEFAULT);
    bool ok = committed >= 0;
    for (Column& column : columns) {
      if (!ok || column.width == 0) continue;
      column.dataset = H5Dopen2(file, column.format->path, H5P_DEFAULT);
      ok = column.dataset >= 0;
    }
    return ok;
  }

  // Appends the rows that wait.
  static bool WriteColumn(Column* column) {
    if (column->count() == 0) return true;
    const hsize_t start[2] = {column->rows, 0}, count[2] = {column->count() / column->width, column->width};
    const hsize_t extents[2] = {start[0] + count[0], column->width};
    const int rank = column->rank();
    if (H5Dset_extent(column->dataset, extents) < 0) return false;
    const Hdf5Handle space(H5Dget_space(column->dataset)), memory(H5Screate_simple(rank, count, nullptr));
    if (H5Sselect_hyperslab(space.id, H5S_SELECT_SET, start, nullptr, count, nullptr) < 0) return false;
    if (H5Dwrite(column->dataset, column->memory_type(), memory.id, space.id, H5P_DEFAULT, column->data()) < 0) {
      return false;
    }
    column->rows = extents[0];
    column->Clear();
    return H5Dflush(column->dataset) >= 0;
  }

  bool Flush(std::int64_t steps) {
    if (!abandoned && !WriteAll(steps)) Abandon();
    return !abandoned;
  }

  void PackDeformed() {
    if (deformed.empty()) return;
    AppendBlock(deformed, deformed_width, &At(RecordColumnId::Deformed).longs);
    deformed.clear();
  }

  bool WriteAll(std::int64_t steps) {
    PackDeformed();
    for (Column& column : columns) {
      if (column.width > 0 && !WriteColumn(&column)) return false;
    }
    // Steps count from now on.
    const std::int64_t counts[2] = {steps, static_cast<std::int64_t>(At(RecordColumnId::Gap).rows)};
    return H5Dwrite(committed, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts) >= 0 &&
           H5Dflush(committed) >= 0;
  }
};

Recorder::Recorder(std::string path, const RecordHeader& header, const RecorderSettings& settings)
    : path_(std::move(path)), settings_(settings), header_(header), file_(std::make_unique<File>()) {
  const auto names_fit = [](const std::vector<std::string>& names, int count) {
    return names.empty() || static_cast<int>(names.size()) == count;
  };
  Require(
      header.nq >= 0 && header.nv >= 0 && names_fit(header.q_names, header.nq) && names_fit(header.v_names, header.nv),
      path_, "names of q or v do not fit nq and nv", "one for each, or none");
  Require(settings.flush_steps >= 1 && settings.flush_seconds >= 0, path_, "flush_steps or flush_seconds is too small",
          "flush_steps >= 1, flush_seconds >= 0");
  CheckGeometry(header, path_);
  std::error_code error;
  const bool there = std::filesystem::exists(path_, error);
  Require(settings.overwrite || !there, path_, "is there already", "a new file");
  Require(!there || std::filesystem::is_regular_file(path_, error), path_,
          "is a folder or a device, and recordings (HDF5) need a file", "a path in a writable folder with room");
  for (std::size_t i = 0; i < kNumRecordColumns; ++i) {
    file_->columns[i].format = &kRecordColumns[i];
    const bool written = kRecordColumns[i].until >= kRecordVersion;
    file_->columns[i].width = written ? static_cast<hsize_t>(CalcRecordWidth(kRecordColumns[i], header)) : 0;
  }
  file_->deformed_width = CalcDeformedWidth(header);
  {
    const Session session;
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_libver_bounds(access.id, H5F_LIBVER_V110, H5F_LIBVER_V110);
    H5Pset_file_locking(access.id, false, true);  // readers need not wait, and some file systems have no locks
    // The kernel may stop a write at the end of a page when the program is killed. HDF5 keeps checksums of its
    // metadata, so half a header is no header; in this layout none lies across the end of a page.
    const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE));
    H5Pset_file_space_strategy(creation.id, H5F_FSPACE_STRATEGY_PAGE, false, 1);
    H5Pset_file_space_page_size(creation.id, kPageSize);
    CheckRoom(header, creation.id, access.id);
    errno = 0;
    file_->file = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, creation.id, access.id);
    if (file_->file < 0) FailWriteWith(errno, path_, "it cannot be created");
    if (!file_->WriteHeader(header) || !file_->CloseHandles() || !file_->OpenForSteps(path_, access.id)) {
      FailWriteWith(errno, path_, "its header cannot be written");
    }
  }
  last_flush_ = std::chrono::steady_clock::now();
}

// The header is many small datasets, each of which HDF5 may fail to close: it is made in memory first, to see whether
// the disk takes as much.
void Recorder::CheckRoom(const RecordHeader& header, std::int64_t creation, std::int64_t access) {
  const Hdf5Handle memory(H5Pcopy(access));
  file_->file = CreateInMemory(creation, memory.id);
  std::string image;
  if (file_->file < 0 || !file_->WriteHeader(header) || !GetFileImage(file_->file, &image) || !file_->CloseHandles()) {
    FailWrite(path_, "its header cannot be made");
  }
  OutputFile probe(path_);
  probe.Write(image);
  probe.Flush();
}

Recorder::~Recorder() {
  try {
    Close();
  } catch (const InputError&) {  // NOLINT(bugprone-empty-catch): documented
  }
}

void Recorder::Append(const RecordFrame& frame) {
  Require(file_ != nullptr, path_, "is closed", "an open recording");
  const auto fits = [this](std::size_t size, std::size_t expected, const char* what) {
    Require(size == expected, path_, fmt::format("a frame has {} entries of {}", size, what),
            fmt::format("{}", expected));
  };
  fits(frame.q.size(), static_cast<std::size_t>(header_.nq), "q");
  fits(frame.v.size(), static_cast<std::size_t>(header_.nv), "v");
  fits(frame.stages.size(), header_.stages.size(), "stages");
  fits(frame.poses.size(), static_cast<std::size_t>(file_->At(RecordColumnId::Poses).width), "poses");
  fits(frame.vertices.size(), 3 * static_cast<std::size_t>(header_.num_vertices()), "vertices");
  fits(frame.segments.size(), kRecordPoseSize * static_cast<std::size_t>(header_.num_segments()), "segments");
  fits(frame.stress.size(), static_cast<std::size_t>(header_.num_stresses()), "stress");
  using Id = RecordColumnId;
  const auto reals = [this](Id id, const double* values, std::size_t count) {
    auto& column = file_->At(id).reals;
    column.insert(column.end(), values, values + count);
  };
  // Contacts of this step begin where those before end, in the file and in memory.
  const Column& gaps = file_->At(Id::Gap);
  file_->At(Id::ContactStart).longs.push_back(static_cast<std::int64_t>(gaps.rows + gaps.reals.size()));
  reals(Id::Time, &frame.time, 1);
  reals(Id::Q, frame.q.data(), frame.q.size());
  reals(Id::V, frame.v.data(), frame.v.size());
  reals(Id::Residual, &frame.residual, 1);
  reals(Id::Stages, frame.stages.data(), frame.stages.size());
  reals(Id::Poses, frame.poses.data(), frame.poses.size());
  file_->At(Id::Status).integers.push_back(frame.status);
  file_->At(Id::Iterations).integers.push_back(frame.iterations);
  file_->At(Id::ContactCount).integers.push_back(static_cast<std::int32_t>(frame.contacts.size()));
  for (const RecordContact& contact : frame.contacts) {
    auto& objects = file_->At(Id::Objects).integers;
    objects.insert(objects.end(), {contact.object_a, contact.object_b});
    reals(Id::Point, contact.point.data(), 3);
    reals(Id::Normal, contact.normal.data(), 3);
    reals(Id::Gap, &contact.gap, 1);
    reals(Id::Impulse, contact.impulse.data(), 3);
    reals(Id::Friction, contact.friction.data(), 2);
    reals(Id::Tangent, contact.tangent.data(), 3);
    file_->At(Id::Mode).integers.push_back(static_cast<std::int32_t>(contact.mode));
  }
  AppendDeformed(frame);
  ++steps_;
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - last_flush_;
  if (steps_ - flushed_ >= settings_.flush_steps || waited.count() >= settings_.flush_seconds) Flush();
}

void Recorder::AppendDeformed(const RecordFrame& frame) {
  constexpr std::size_t kMostWaiting = 2000000;  // numbers; larger blocks gain less than 1 %
  std::vector<float>& out = file_->deformed;
  out.insert(out.end(), frame.vertices.begin(), frame.vertices.end());
  out.insert(out.end(), frame.segments.begin(), frame.segments.end());
  for (const float stress : frame.stress) out.push_back(RoundMantissa(stress, kStressBits));
  if (out.size() >= kMostWaiting) file_->PackDeformed();
}

void Recorder::Flush() {
  Require(file_ != nullptr, path_, "is closed", "an open recording");
  last_flush_ = std::chrono::steady_clock::now();
  if (flushed_ == steps_) return;
  {
    const Session session;
    errno = 0;
    if (!file_->Flush(steps_)) {
      FailWriteWith(errno, path_, fmt::format("steps after the first {} cannot be appended", flushed_));
    }
  }
  flushed_ = steps_;
}

void Recorder::Close() {
  if (!file_) return;
  const std::unique_ptr<File> closing = std::move(file_);
  const Session session;
  errno = 0;
  const bool flushed = flushed_ == steps_ || closing->Flush(steps_);
  if (!closing->CloseHandles() || !flushed) FailWriteWith(errno, path_, "it cannot be finished");
  flushed_ = steps_;
}

}  // namespace tactus
