#include "tactus/record/recording.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "tactus/contact/hdf5_tree.h"
#include "tactus/core/error.h"
#include "tactus/record/record_format.h"
#include "tactus/record/record_geometry.h"

namespace tactus {

namespace {

constexpr int kMost = std::numeric_limits<int>::max();

// The first `rows` rows of a dataset, which must have as many; it may have more.
const Hdf5Array& FindRows(const Hdf5Tree& tree, RecordColumnId id, Hdf5Array::Type type, std::int64_t width,
                          std::int64_t rows) {
  const RecordColumn& column = kRecordColumns[static_cast<std::size_t>(id)];
  const Hdf5Array& array = tree.At(column.path);
  const std::size_t rank = column.width == 1 ? 1 : 2;
  if (array.type != type || array.shape.size() != rank ||
      (rank == 2 && array.shape[1] != static_cast<std::uint64_t>(width))) {
    tree.Fail(column.path, "has another type or shape", fmt::format("{} dimensions, {} entries a row", rank, width));
  }
  if (array.shape[0] < static_cast<std::uint64_t>(rows)) {
    tree.Fail(column.path, fmt::format("has {} rows", array.shape[0]), fmt::format("{}", rows));
  }
  return array;
}

class Reader {
 public:
  Reader(const Hdf5Tree& tree, Recording* out) : tree_(tree), out_(*out) {}

  void Read() {
    ReadHeader();
    ReadSteps();
    ReadContacts();
  }

 private:
  std::vector<double> Reals(RecordColumnId id, std::int64_t width, std::int64_t rows) const {
    const auto& all = FindRows(tree_, id, Hdf5Array::Type::Real, width, rows).reals;
    return {all.begin(), all.begin() + width * rows};
  }
  std::vector<int> Integers(RecordColumnId id, std::int64_t width, std::int64_t rows, std::int64_t least) const {
    const auto& all = FindRows(tree_, id, Hdf5Array::Type::Integer, width, rows).integers;
    std::vector<int> out;
    out.reserve(static_cast<std::size_t>(width * rows));
    for (std::int64_t i = 0; i < width * rows; ++i) {
      const std::int64_t value = all[static_cast<std::size_t>(i)];
      if (value < least || value > kMost) tree_.Fail(Path(id), "has an entry out of range", "a sound recording");
      out.push_back(static_cast<int>(value));
    }
    return out;
  }
  RowMatrixX Matrix(RecordColumnId id, std::int64_t width, std::int64_t rows) const {
    if (width == 0) return RowMatrixX::Zero(rows, 0);
    const std::vector<double> values = Reals(id, width, rows);
    return Eigen::Map<const RowMatrixX>(values.data(), rows, width);
  }
  static const char* Path(RecordColumnId id) { return kRecordColumns[static_cast<std::size_t>(id)].path; }

  void ReadHeader() {
    if (tree_.Text("/@format", "") != kRecordFormat) {
      throw InputError(tree_.file, "is no recording",
                       std::string("an HDF5 file with the attribute format = ") + kRecordFormat);
    }
    out_.version = static_cast<int>(tree_.Integer("/@version", 1, kRecordVersion));
    RecordHeader& header = out_.header;
    header.nq = static_cast<int>(tree_.Integer("/@nq", 0, kMost));
    header.nv = static_cast<int>(tree_.Integer("/@nv", 0, kMost));
    header.time_step = tree_.Reals("/@time_step", 1)[0];
    header.solver = tree_.Text("/@solver", "");
    header.version = tree_.Text("/@program", "");
    header.scene = tree_.Text("/scene", "");
    for (const RecordNames& names : kRecordNames) {
      const Hdf5Array& array = tree_.At(names.path);
      if (array.type != Hdf5Array::Type::Text) tree_.Fail(names.path, "holds no texts", "names");
      header.*names.member = array.texts;
    }
    const auto check = [this](const char* path, const std::vector<std::string>& names, int count) {
      if (!names.empty() && static_cast<int>(names.size()) != count) {
        tree_.Fail(path, fmt::format("has {} names", names.size()), fmt::format("{}", count));
      }
    };
    check("/names/q", header.q_names, header.nq);
    check("/names/v", header.v_names, header.nv);
    header.modes = out_.version >= 2;
    if (out_.version >= 2) {
      header.poses = tree_.Has(Path(RecordColumnId::Poses));
      ReadGeometry(tree_, out_.version, &header);
    }
    const std::string settings = "/settings@";
    for (auto it = tree_.arrays.lower_bound(settings);
         it != tree_.arrays.end() && it->first.compare(0, settings.size(), settings) == 0; ++it) {
      header.settings.emplace_back(it->first.substr(settings.size()), tree_.Text(it->first, ""));
    }
    const std::vector<int> committed = tree_.Integers(kRecordCommitted, 2);
    steps_ = committed[0];
    contacts_ = committed[1];
  }

  void ReadSteps() {
    using Id = RecordColumnId;
    out_.time = Reals(Id::Time, 1, steps_);
    out_.q = Matrix(Id::Q, out_.header.nq, steps_);
    out_.v = Matrix(Id::V, out_.header.nv, steps_);
    out_.status = Integers(Id::Status, 1, steps_, 0);
    out_.iterations = Integers(Id::Iterations, 1, steps_, 0);
    out_.residual = Reals(Id::Residual, 1, steps_);
    out_.stages = Matrix(Id::Stages, static_cast<std::int64_t>(out_.header.stages.size()), steps_);
    const auto replayed = [this](Id id) {
      return Matrix(id, CalcRecordWidth(kRecordColumns[static_cast<std::size_t>(id)], out_.header), steps_);
    };
    out_.poses = replayed(Id::Poses);
    ReadDeformed();
  }

  // Version 2 has vertices only, not packed.
  void ReadDeformed() {
    using Id = RecordColumnId;
    const int width = CalcDeformedWidth(out_.header);
    if (width == 0) return;
    std::vector<std::int64_t> words;
    if (out_.version >= 3) {
      const Hdf5Array& array = tree_.At(Path(Id::Deformed));
      if (array.type != Hdf5Array::Type::Integer) tree_.Fail(Path(Id::Deformed), "holds no integers", "words");
      words = array.integers;
    } else {
      const std::vector<double> all = Reals(Id::Vertices, width, steps_);
      constexpr std::int64_t kBlockSteps = 64;
      for (std::int64_t step = 0; step < steps_; step += kBlockSteps) {
        const auto first = all.begin() + step * width,
                   last = all.begin() + std::min(step + kBlockSteps, steps_) * width;
        AppendBlock(std::vector<float>(first, last), width, &words);
      }
    }
    out_.deformed =
        MakePackedRows(std::move(words), width, static_cast<int>(steps_), tree_.file + ": " + Path(Id::Deformed));
  }

  void ReadContacts() {
    using Id = RecordColumnId;
    const auto& start = FindRows(tree_, Id::ContactStart, Hdf5Array::Type::Integer, 1, steps_).integers;
    const std::vector<int> count = Integers(Id::ContactCount, 1, steps_, 0);
    std::int64_t next = 0;
    for (std::size_t step = 0; step < static_cast<std::size_t>(steps_); ++step) {
      if (start[step] != next) tree_.Fail(Path(Id::ContactStart), "does not fit the numbers of contacts", "their sums");
      out_.contact_start.push_back(next);
      next += count[step];
    }
    out_.contact_start.push_back(next);
    if (next != contacts_)
      tree_.Fail(Path(Id::ContactCount), "does not add up to all contacts", "as many as committed");
    const std::vector<int> objects = Integers(Id::Objects, 2, contacts_, -1);
    const std::vector<double> point = Reals(Id::Point, 3, contacts_), normal = Reals(Id::Normal, 3, contacts_),
                              gap = Reals(Id::Gap, 1, contacts_), impulse = Reals(Id::Impulse, 3, contacts_);
    out_.contacts.resize(static_cast<std::size_t>(contacts_));
    for (std::size_t i = 0; i < out_.contacts.size(); ++i) {
      RecordContact& contact = out_.contacts[i];
      contact.object_a = objects[2 * i];
      contact.object_b = objects[2 * i + 1];
      const int most = static_cast<int>(out_.header.objects.size());
      if (most > 0 && (contact.object_a >= most || contact.object_b >= most)) {
        tree_.Fail(Path(Id::Objects), "names an object that is not there", fmt::format("less than {}", most));
      }
      contact.point = Vector3::Map(&point[3 * i]);
      contact.normal = Vector3::Map(&normal[3 * i]);
      contact.gap = gap[i];
      contact.impulse = Vector3::Map(&impulse[3 * i]);
    }
    if (out_.version >= 2) ReadFriction();
  }

  void ReadFriction() {
    using Id = RecordColumnId;
    const std::vector<double> friction = Reals(Id::Friction, 2, contacts_), tangent = Reals(Id::Tangent, 3, contacts_);
    const std::vector<int> mode = Integers(Id::Mode, 1, contacts_, 0);
    for (std::size_t i = 0; i < out_.contacts.size(); ++i) {
      RecordContact& contact = out_.contacts[i];
      contact.friction = Vector2::Map(&friction[2 * i]);
      contact.tangent = Vector3::Map(&tangent[3 * i]);
      if (mode[i] > static_cast<int>(ContactMode::Slip)) {
        tree_.Fail(Path(Id::Mode), fmt::format("has the mode {}", mode[i]), "0 open, 1 stick, 2 slip");
      }
      contact.mode = static_cast<ContactMode>(mode[i]);
    }
  }

  const Hdf5Tree& tree_;
  Recording& out_;
  std::int64_t steps_ = 0, contacts_ = 0;
};

// The superblock of version 3 has a byte that says whether someone writes: bit 0, and bit 2 for SWMR.
bool IsClosed(const std::string& path) {
  constexpr int kFlags = 11;
  char bytes[kFlags + 1] = {};
  std::ifstream(path, std::ios::binary).read(bytes, sizeof(bytes));
  return bytes[8] != 3 || (bytes[kFlags] & 5) == 0;
}

}  // namespace

DeformedReader::DeformedReader(const Recording& recording)
    : reader_(recording.deformed),
      vertices_(3 * static_cast<std::size_t>(recording.header.num_vertices())),
      segments_(kRecordPoseSize * static_cast<std::size_t>(recording.header.num_segments())),
      stress_(static_cast<std::size_t>(recording.header.num_stresses())) {}

DeformedStep DeformedReader::Read(int step) {
  if (vertices_ + segments_ == 0) return {};
  const std::span<const float> row = reader_.Row(step);
  return {row.first(vertices_), row.subspan(vertices_, segments_), row.last(stress_)};
}

Recording LoadRecording(const std::string& path) {
  const Hdf5Tree tree = ReadHdf5Tree(path);
  Recording recording;
  recording.closed = IsClosed(path);
  Reader(tree, &recording).Read();
  return recording;
}

}  // namespace tactus
