// Our own format, version 1 (docs/file-formats.md), back through the builder.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tactus/contact/problem_formats.h"
#include "tactus/core/error.h"

namespace tactus {

namespace {

constexpr auto kAny = Hdf5Tree::kAnyCount;
constexpr int kNumSubsystemKinds = 4, kNumBodyKinds = 5, kNumRowKinds = 5;

std::span<const double> Span(const VectorX& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

// Hands out consecutive pieces of an array whose pieces' lengths are known from elsewhere.
template <typename T>
class Pieces {
 public:
  Pieces(const Hdf5Tree& tree, std::string path, std::span<const T> all)
      : tree_(tree), path_(std::move(path)), rest_(all) {}

  std::span<const T> Take(std::int64_t count) {
    if (count < 0 || static_cast<std::uint64_t>(count) > rest_.size())
      tree_.Fail(path_, "is too short", "more entries");
    const auto taken = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(static_cast<std::size_t>(count));
    return taken;
  }
  void RequireDone() const {
    if (!rest_.empty())
      tree_.Fail(path_, "has " + std::to_string(rest_.size()) + " entries too many", "no more entries");
  }

 private:
  const Hdf5Tree& tree_;
  std::string path_;
  std::span<const T> rest_;
};

// Block rows as stored: constraint i has columns [start[i], start[i + 1]).
struct StoredRows {
  std::vector<int> start, columns;
  VectorX values;

  StoredRows(const Hdf5Tree& tree, const std::string& group, int count, int dim, int num_dofs)
      : start(tree.Integers(group + "/start", std::int64_t{count} + 1)),
        columns(tree.Integers(group + "/columns", kAny, 0, std::int64_t{num_dofs} - 1)),
        values(tree.Reals(group + "/values", static_cast<std::int64_t>(columns.size()) * dim)) {
    for (int i = 0; i < count; ++i) {
      if (start[i] > start[i + 1])
        tree.Fail(group + "/start", "entry " + std::to_string(i + 1) + " falls", "ascending");
    }
    if (start.front() != 0 || start.back() != static_cast<int>(columns.size())) {
      tree.Fail(group + "/start", "goes from " + std::to_string(start.front()) + " to " + std::to_string(start.back()),
                "0 to " + std::to_string(columns.size()) + ", the number of columns");
    }
  }

  std::vector<int> Columns(int i) const { return {columns.begin() + start[i], columns.begin() + start[i + 1]}; }
};

// Mechanisms of trees, in the order of their subsystems; none in files without that group.
class MechanismReader {
 public:
  explicit MechanismReader(const Hdf5Tree& tree)
      : tree_(tree),
        has_any_(tree.HasGroup("/mechanisms")),
        subsystem_(has_any_ ? tree.Integers("/mechanisms/subsystem", kAny) : std::vector<int>()),
        origin_(Read("origin")),
        motion_(Read("motion")),
        inertia_(Read("inertia")),
        diagonal_(Read("diagonal")),
        origins_(tree, "/mechanisms/origin", Span(origin_)),
        motions_(tree, "/mechanisms/motion", Span(motion_)),
        inertias_(tree, "/mechanisms/inertia", Span(inertia_)),
        diagonals_(tree, "/mechanisms/diagonal", Span(diagonal_)) {}

  /// Of tree j of n dofs, null if it has none.
  const TreeMechanism* Take(int j, int n) {
    if (next_ == subsystem_.size() || subsystem_[next_] != j) return nullptr;
    ++next_;
    mechanism_.Resize(n);
    mechanism_.origin = Eigen::Map<const Vector3>(origins_.Take(3).data());
    const auto motion = motions_.Take(6 * std::int64_t{n}), inertia = inertias_.Take(10 * std::int64_t{n}),
               diagonal = diagonals_.Take(n);
    mechanism_.motion.assign(motion.begin(), motion.end());
    mechanism_.diagonal.assign(diagonal.begin(), diagonal.end());
    for (int d = 0; d < n; ++d) {
      const double* x = inertia.data() + 10 * std::int64_t{d};
      SpatialInertia& I = mechanism_.inertia[d];
      I.m = x[0];
      std::copy_n(x + 1, 3, I.h);
      std::copy_n(x + 4, 6, I.I);
    }
    return &mechanism_;
  }

  void RequireDone() const {
    if (next_ < subsystem_.size()) {
      tree_.Fail("/mechanisms/subsystem", "entry " + std::to_string(next_) + " is " + std::to_string(subsystem_[next_]),
                 "trees, in ascending order");
    }
    origins_.RequireDone();
    motions_.RequireDone();
    inertias_.RequireDone();
    diagonals_.RequireDone();
  }

 private:
  VectorX Read(const char* name) const {
    return has_any_ ? tree_.Reals(std::string("/mechanisms/") + name, kAny) : VectorX();
  }

  const Hdf5Tree& tree_;
  bool has_any_;
  std::vector<int> subsystem_;
  VectorX origin_, motion_, inertia_, diagonal_;
  Pieces<double> origins_, motions_, inertias_, diagonals_;
  std::size_t next_ = 0;
  TreeMechanism mechanism_;
};

// Adds the subsystems in order, and with each free one its body.
class SubsystemReader {
 public:
  SubsystemReader(const Hdf5Tree& tree, ContactProblemBuilder* builder)
      : tree_(tree),
        builder_(builder),
        kind_(tree.Integers("/subsystems/kind", kAny, 0, kNumSubsystemKinds - 1)),
        size_(tree.Integers("/subsystems/size", static_cast<std::int64_t>(kind_.size()))),
        b_(tree.Reals("/subsystems/b", kAny)),
        dense_(tree.Reals("/subsystems/dense", kAny)),
        parent_(tree.Integers("/subsystems/parent", kAny, -1)),
        row_start_(tree.Integers("/subsystems/sparse/row_start", kAny)),
        columns_(tree.Integers("/subsystems/sparse/columns", kAny)),
        values_(tree.Reals("/subsystems/sparse/values", kAny)),
        has_inertia_(tree.Has("/subsystems/sparse/inertia")),
        inertia_(has_inertia_ ? tree.Reals("/subsystems/sparse/inertia", kAny) : VectorX()),
        mechanisms_(tree),
        b_pieces_(tree, "/subsystems/b", Span(b_)),
        dense_pieces_(tree, "/subsystems/dense", Span(dense_)),
        parent_pieces_(tree, "/subsystems/parent", parent_),
        start_pieces_(tree, "/subsystems/sparse/row_start", row_start_),
        column_pieces_(tree, "/subsystems/sparse/columns", columns_),
        value_pieces_(tree, "/subsystems/sparse/values", Span(values_)),
        inertia_pieces_(tree, "/subsystems/sparse/inertia", Span(inertia_)) {}

  int num_subsystems() const { return static_cast<int>(kind_.size()); }
  bool is_free(int j) const { return kind_[j] == static_cast<int>(SubsystemKind::Free); }
  int size(int j) const { return size_[j]; }

  /// Adds subsystems up to, not including, `end`; none of them may be a free body's.
  void AddUntil(int end) {
    while (next_ < end) AddNext();
  }

  /// Adds the free subsystem `j` with its body.
  void AddFree(int j, const Vector3& reference, const std::string& name) {
    AddUntil(j);
    if (next_ != j || !is_free(j) || size_[j] != 6) {
      tree_.Fail("/bodies/subsystem", "a free body names subsystem " + std::to_string(j),
                 "a free subsystem with 6 dofs that no earlier body named");
    }
    const Matrix6 inertia = Eigen::Map<const Matrix6>(dense_pieces_.Take(36).data());
    const Vector6 momentum = Eigen::Map<const Vector6>(b_pieces_.Take(6).data());
    builder_->AddFreeBody(inertia, momentum, reference, name);
    ++next_;
  }

  void Finish() {
    AddUntil(num_subsystems());
    b_pieces_.RequireDone();
    dense_pieces_.RequireDone();
    parent_pieces_.RequireDone();
    start_pieces_.RequireDone();
    column_pieces_.RequireDone();
    value_pieces_.RequireDone();
    inertia_pieces_.RequireDone();
    mechanisms_.RequireDone();
  }

 private:
  void AddNext() {
    const int j = next_++, n = size_[j];
    const auto b_part = b_pieces_.Take(n);
    const VectorX b = Eigen::Map<const VectorX>(b_part.data(), n);
    switch (static_cast<SubsystemKind>(kind_[j])) {
      case SubsystemKind::Free:
        tree_.Fail("/subsystems/kind", "subsystem " + std::to_string(j) + " is free, but its body does not come next",
                   "free bodies in the order of their subsystems");
      case SubsystemKind::Dense: builder_->AddDense(Dense(n), b); break;
      case SubsystemKind::Tree: {
        const auto taken = parent_pieces_.Take(n);
        const std::vector<int> parent(taken.begin(), taken.end());
        if (const TreeMechanism* mechanism = mechanisms_.Take(j, n)) {
          builder_->AddTree(Dense(n), parent, b, *mechanism);
        } else {
          builder_->AddTree(Dense(n), parent, b);
        }
        break;
      }
      case SubsystemKind::Sparse: {
        const SparseMatrix A = Sparse(j, n);
        builder_->AddSparse(A, b, Inertia(n));
        break;
      }
    }
  }

  Eigen::Map<const MatrixX> Dense(int n) { return {dense_pieces_.Take(std::int64_t{n} * n).data(), n, n}; }

  SparseMatrix Sparse(int j, int n) {
    const auto start = start_pieces_.Take(std::int64_t{n} + 1);
    const auto columns = column_pieces_.Take(start.back());
    const auto values = value_pieces_.Take(start.back());
    return MakeCompressedRows(n, n, start, columns, values,
                              tree_.file + ": /subsystems/sparse (subsystem " + std::to_string(j) + ")");
  }

  // Zeros throughout: not known.
  VectorX Inertia(int n) {
    if (!has_inertia_) return {};
    const VectorX inertia = Eigen::Map<const VectorX>(inertia_pieces_.Take(n).data(), n);
    return inertia.isZero(0) ? VectorX() : inertia;
  }

  const Hdf5Tree& tree_;
  ContactProblemBuilder* builder_;
  std::vector<int> kind_, size_;
  VectorX b_, dense_;
  std::vector<int> parent_, row_start_, columns_;
  VectorX values_;
  bool has_inertia_;
  VectorX inertia_;
  MechanismReader mechanisms_;
  Pieces<double> b_pieces_, dense_pieces_;
  Pieces<int> parent_pieces_, start_pieces_, column_pieces_;
  Pieces<double> value_pieces_, inertia_pieces_;
  int next_ = 0;
};

// What interpolated bodies have beyond others, in their order.
class InterpolatedReader {
 public:
  explicit InterpolatedReader(const Hdf5Tree& tree)
      : there_(tree.HasGroup("/bodies/interpolated")),
        num_nodes_(Read(tree, "num_nodes", 1, ContactBody::kMostNodes)),
        nodes_(Read(tree, "nodes", 0, std::numeric_limits<int>::max())),
        weights_(there_ ? tree.Reals(kGroup + "weights", kAny) : VectorX()),
        num_node_pieces_(tree, kGroup + "num_nodes", num_nodes_),
        node_pieces_(tree, kGroup + "nodes", nodes_),
        weight_pieces_(tree, kGroup + "weights", Span(weights_)) {}

  void AddNext(int subsystem, const Vector3& position, const std::string& name, ContactProblemBuilder* builder) {
    const int count = num_node_pieces_.Take(1)[0];
    const auto nodes = node_pieces_.Take(count);
    builder->AddInterpolatedNode(subsystem, nodes, weight_pieces_.Take(count), position, name);
  }
  void Finish() const {
    num_node_pieces_.RequireDone();
    node_pieces_.RequireDone();
    weight_pieces_.RequireDone();
  }

 private:
  std::vector<int> Read(const Hdf5Tree& tree, const char* name, int min, int max) const {
    return there_ ? tree.Integers(kGroup + name, kAny, min, max) : std::vector<int>();
  }

  const std::string kGroup = "/bodies/interpolated/";
  bool there_;
  std::vector<int> num_nodes_, nodes_;
  VectorX weights_;
  Pieces<int> num_node_pieces_, node_pieces_;
  Pieces<double> weight_pieces_;
};

void ReadBodies(const Hdf5Tree& tree, SubsystemReader* subsystems, ContactProblemBuilder* builder) {
  const std::vector<int> kind = tree.Integers("/bodies/kind", kAny, 0, kNumBodyKinds - 1);
  const auto count = static_cast<std::int64_t>(kind.size());
  const std::vector<int> subsystem =
      tree.Integers("/bodies/subsystem", count, 0, std::int64_t{subsystems->num_subsystems()} - 1);
  const std::vector<int> first_dof = tree.Integers("/bodies/first_dof", count);
  const VectorX reference = tree.Reals("/bodies/reference", 3 * count);
  const VectorX jacobian = tree.Reals("/bodies/jacobian", kAny);
  Pieces<double> jacobians(tree, "/bodies/jacobian", Span(jacobian));
  InterpolatedReader interpolated(tree);
  const Hdf5Array& names = tree.At("/bodies/name");
  if (names.texts.size() != kind.size() || names.type != Hdf5Array::Type::Text) {
    tree.Fail("/bodies/name", "has " + std::to_string(names.texts.size()) + " texts", std::to_string(count));
  }
  for (std::size_t k = 0; k < kind.size(); ++k) {
    const Vector3 p = reference.segment<3>(3 * static_cast<Eigen::Index>(k));
    const int j = subsystem[k];
    const auto body_kind = static_cast<ContactBody::Kind>(kind[k]);
    if (body_kind == ContactBody::Kind::Free) {
      subsystems->AddFree(j, p, names.texts[k]);
      continue;
    }
    subsystems->AddUntil(j + 1);
    if (body_kind == ContactBody::Kind::Link) {
      const int n = subsystems->size(j);
      const Eigen::Map<const Matrix6X> X(jacobians.Take(6 * std::int64_t{n}).data(), 6, n);
      builder->AddLink(j, X, p, names.texts[k]);
    } else if (body_kind == ContactBody::Kind::Segment) {
      builder->AddSegment(j, first_dof[k], p, names.texts[k]);
    } else if (body_kind == ContactBody::Kind::Interpolated) {
      interpolated.AddNext(j, p, names.texts[k], builder);
    } else {
      builder->AddNode(j, first_dof[k], p, names.texts[k]);
    }
  }
  jacobians.RequireDone();
  interpolated.Finish();
  subsystems->Finish();
}

std::vector<Friction> ReadFriction(const Hdf5Tree& tree) {
  const VectorX mu = tree.Reals("/contacts/mu", kAny);
  if (mu.size() % 2 != 0 || mu.size() / 2 > kMaxContacts) {
    tree.Fail("/contacts/mu", "has " + std::to_string(mu.size()) + " entries", "two for each of at most 1e8 contacts");
  }
  std::vector<Friction> friction;
  friction.reserve(static_cast<std::size_t>(mu.size() / 2));
  for (int i = 0; i < mu.size() / 2; ++i) friction.emplace_back(mu[2 * i], mu[2 * i + 1]);
  return friction;
}

void ReadContacts(const Hdf5Tree& tree, ContactProblemBuilder* builder) {
  const std::vector<Friction> friction = ReadFriction(tree);
  const int count = static_cast<int>(friction.size());
  const VectorX e = tree.Reals("/contacts/e", 3 * std::int64_t{count});
  if (tree.Has("/contacts/point")) {
    const std::vector<int> bodies = tree.Integers("/contacts/bodies", 2 * std::int64_t{count}, kWorld);
    const VectorX point = tree.Reals("/contacts/point", 3 * std::int64_t{count});
    const VectorX frame = tree.Reals("/contacts/frame", 9 * std::int64_t{count});
    for (int i = 0; i < count; ++i) {
      const Matrix3 rows = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(frame.data() + 9 * i);
      builder->AddContact(bodies[2 * i], bodies[2 * i + 1], point.segment<3>(3 * i), rows, friction[i],
                          e.segment<3>(3 * i));
    }
    return;
  }
  const StoredRows rows(tree, "/contacts", count, 3, builder->num_dofs());
  for (int i = 0; i < count; ++i) {
    const std::vector<int> columns = rows.Columns(i);
    const Eigen::Map<const RowMatrixX> values(rows.values.data() + 3 * std::int64_t{rows.start[i]}, 3,
                                              static_cast<Eigen::Index>(columns.size()));
    builder->AddContactRows(columns, MatrixX(values), friction[i], e.segment<3>(3 * i));
  }
}

std::vector<RowLaw> ReadLaws(const Hdf5Tree& tree) {
  const std::vector<int> kind = tree.Integers("/rows/kind", kAny, 0, kNumRowKinds - 1);
  const auto count = static_cast<std::int64_t>(kind.size());
  const VectorX d = tree.Reals("/rows/d", count, true), ke = tree.Reals("/rows/ke", count),
                lo = tree.Reals("/rows/lo", count, true), hi = tree.Reals("/rows/hi", count, true);
  std::vector<RowLaw> laws;
  for (std::int64_t i = 0; i < count; ++i) {
    laws.push_back({static_cast<RowKind>(kind[static_cast<std::size_t>(i)]), d[i], ke[i], lo[i], hi[i]});
  }
  return laws;
}

void ReadRows(const Hdf5Tree& tree, ContactProblemBuilder* builder) {
  const std::vector<RowLaw> laws = ReadLaws(tree);
  const int count = static_cast<int>(laws.size());
  const VectorX e = tree.Reals("/rows/e", count);
  const StoredRows rows(tree, "/rows", count, 1, builder->num_dofs());
  for (int i = 0; i < count; ++i) {
    const std::vector<int> columns = rows.Columns(i);
    builder->AddRow(laws[i], columns, rows.values.segment(rows.start[i], static_cast<Eigen::Index>(columns.size())),
                    e[i]);
  }
}

ContactProblem ReadDelassus(const Hdf5Tree& tree) {
  const std::vector<Friction> friction = ReadFriction(tree);
  const std::vector<RowLaw> laws = ReadLaws(tree);
  const std::int64_t size = 3 * static_cast<std::int64_t>(friction.size()) + static_cast<std::int64_t>(laws.size());
  const VectorX q = tree.Reals("/delassus/q", size);
  const int m = static_cast<int>(q.size());
  const std::vector<int> start = tree.Integers("/delassus/start", std::int64_t{m} + 1);
  const std::vector<int> columns = tree.Integers("/delassus/columns", start.back());
  const VectorX values = tree.Reals("/delassus/values", start.back());
  const SparseMatrix W = MakeCompressedRows(m, m, start, columns, Span(values), tree.file + ": /delassus");
  return ContactProblem::FromDelassus(W, q, friction, laws);
}

}  // namespace

ProblemFile ParseTactus(const Hdf5Tree& tree) {
  const std::string format = tree.Text("/@format", "");
  if (format != kTactusFormat) tree.Fail("/@format", "is \"" + format + "\"", std::string("\"") + kTactusFormat + "\"");
  if (tree.Integer("/@version", 1, std::numeric_limits<int>::max()) != kTactusVersion) {
    tree.Fail("/@version", "is " + std::to_string(tree.At("/@version").integers[0]), "1, the only one there is");
  }
  const std::string units = tree.Text("/@units", "SI");
  if (units != "SI") tree.Fail("/@units", "is \"" + units + "\"", "\"SI\"");
  ProblemFile result;
  result.format = ProblemFormat::Tactus;
  if (tree.HasGroup("/delassus")) {
    result.problem = NameFileInErrors(tree, [&] { return ReadDelassus(tree); });
  } else {
    result.problem = NameFileInErrors(tree, [&] {
      ContactProblemBuilder builder;
      SubsystemReader subsystems(tree, &builder);
      ReadBodies(tree, &subsystems, &builder);
      ReadContacts(tree, &builder);
      ReadRows(tree, &builder);
      return builder.Build();
    });
  }
  result.problem.name = tree.Text("/info/name", "");
  result.problem.provenance = tree.Text("/info/provenance", "");
  if (tree.Has("/solution/r")) result.reference = ParseImpulses(tree, "/solution", result.problem, false);
  return result;
}

}  // namespace tactus
