// Our own format, version 1 (docs/file-formats.md): everything a ContactProblem is made of, so that it comes back bit
// for bit.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tactus/contact/problem_formats.h"
#include "tactus/version.h"

namespace tactus {

namespace {

// Numbers of the kinds in files. They are part of the format: never renumber.
static_assert(static_cast<int>(SubsystemKind::Free) == 0 && static_cast<int>(SubsystemKind::Dense) == 1 &&
              static_cast<int>(SubsystemKind::Tree) == 2 && static_cast<int>(SubsystemKind::Sparse) == 3);
static_assert(static_cast<int>(ContactBody::Kind::Free) == 0 && static_cast<int>(ContactBody::Kind::Link) == 1 &&
              static_cast<int>(ContactBody::Kind::Node) == 2 && static_cast<int>(ContactBody::Kind::Segment) == 3 &&
              static_cast<int>(ContactBody::Kind::Interpolated) == 4);
static_assert(static_cast<int>(RowKind::Inequality) == 0 && static_cast<int>(RowKind::Equality) == 1 &&
              static_cast<int>(RowKind::Soft) == 2 && static_cast<int>(RowKind::BoundedSoft) == 3 &&
              static_cast<int>(RowKind::DryFriction) == 4);

template <typename T>
void Append(const T* values, std::size_t count, std::vector<T>* out) {
  out->insert(out->end(), values, values + count);
}

std::span<const double> Span(const VectorX& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

void WriteSubsystems(const ContactProblem& problem, Hdf5Writer* writer) {
  const MassMatrix& mass = problem.mass();
  std::vector<int> kind, size, parent, row_start, columns;
  std::vector<double> dense, values, inertia;
  bool has_inertia = false;
  for (int j = 0; j < mass.num_subsystems(); ++j) {
    const Subsystem& s = mass.subsystem(j);
    kind.push_back(static_cast<int>(s.kind));
    size.push_back(s.size);
    if (s.kind == SubsystemKind::Sparse) {
      const SparseMatrix& A = mass.sparse_block(j);
      Append(A.outerIndexPtr(), static_cast<std::size_t>(s.size) + 1, &row_start);
      Append(A.innerIndexPtr(), static_cast<std::size_t>(A.nonZeros()), &columns);
      Append(A.valuePtr(), static_cast<std::size_t>(A.nonZeros()), &values);
      const VectorX& known = mass.sparse_inertia(j);
      has_inertia = has_inertia || known.size() > 0;
      if (known.size() > 0) {
        Append(known.data(), static_cast<std::size_t>(s.size), &inertia);
      } else {
        inertia.insert(inertia.end(), static_cast<std::size_t>(s.size), 0.0);
      }
    } else {
      const auto A = mass.dense_block(j);
      Append(A.data(), static_cast<std::size_t>(A.size()), &dense);
      const std::vector<int>& tree = mass.tree_parent(j);
      Append(tree.data(), tree.size(), &parent);
    }
  }
  writer->Integers("/subsystems/kind", kind);
  writer->Integers("/subsystems/size", size);
  writer->Reals("/subsystems/b", Span(problem.b()));
  writer->Reals("/subsystems/dense", dense);
  writer->Integers("/subsystems/parent", parent);
  writer->Integers("/subsystems/sparse/row_start", row_start);
  writer->Integers("/subsystems/sparse/columns", columns);
  writer->Reals("/subsystems/sparse/values", values);
  if (has_inertia) writer->Reals("/subsystems/sparse/inertia", inertia);
}

// Of the trees whose joints are known, one after the other.
void WriteMechanisms(const ContactProblem& problem, Hdf5Writer* writer) {
  const MassMatrix& mass = problem.mass();
  std::vector<int> subsystem;
  std::vector<double> origin, motion, inertia, diagonal;
  for (int j = 0; j < mass.num_subsystems(); ++j) {
    const TreeMechanism* mechanism = mass.mechanism(j);
    if (mechanism == nullptr) continue;
    subsystem.push_back(j);
    Append(mechanism->origin.data(), 3, &origin);
    Append(mechanism->motion.data(), mechanism->motion.size(), &motion);
    for (const SpatialInertia& I : mechanism->inertia) {
      inertia.push_back(I.m);
      Append(I.h, 3, &inertia);
      Append(I.I, 6, &inertia);
    }
    Append(mechanism->diagonal.data(), mechanism->diagonal.size(), &diagonal);
  }
  if (subsystem.empty()) return;
  writer->Integers("/mechanisms/subsystem", subsystem);
  writer->Reals("/mechanisms/origin", origin, {subsystem.size(), 3});
  writer->Reals("/mechanisms/motion", motion, {diagonal.size(), 6});
  writer->Reals("/mechanisms/inertia", inertia, {diagonal.size(), 10});
  writer->Reals("/mechanisms/diagonal", diagonal);
}

void WriteBodies(const ContactProblem& problem, Hdf5Writer* writer) {
  std::vector<int> kind, subsystem, first_dof, num_nodes, nodes;
  std::vector<double> reference, jacobian, weights;
  std::vector<std::string> name;
  for (const ContactBody& body : problem.bodies()) {
    kind.push_back(static_cast<int>(body.kind));
    subsystem.push_back(body.subsystem);
    first_dof.push_back(body.local_dof);
    Append(body.reference.data(), 3, &reference);
    Append(body.jacobian.data(), static_cast<std::size_t>(body.jacobian.size()), &jacobian);
    name.push_back(body.name);
    if (body.kind != ContactBody::Kind::Interpolated) continue;
    const auto count = static_cast<std::size_t>(body.num_nodes);
    num_nodes.push_back(body.num_nodes);
    Append(body.nodes.data(), count, &nodes);
    Append(body.weights.data(), count, &weights);
  }
  writer->Integers("/bodies/kind", kind);
  writer->Integers("/bodies/subsystem", subsystem);
  writer->Integers("/bodies/first_dof", first_dof);
  writer->Reals("/bodies/reference", reference, {kind.size(), 3});
  writer->Reals("/bodies/jacobian", jacobian);
  writer->Texts("/bodies/name", name);
  if (num_nodes.empty()) return;
  writer->Integers("/bodies/interpolated/num_nodes", num_nodes);
  writer->Integers("/bodies/interpolated/nodes", nodes);
  writer->Reals("/bodies/interpolated/weights", weights);
}

// The block rows of constraints [begin, end).
void WriteBlockRows(const ContactProblem& problem, int begin, int end, const std::string& group, Hdf5Writer* writer) {
  const BlockRows& J = problem.jacobian();
  std::vector<int> start{0}, columns;
  std::vector<double> values;
  for (int i = begin; i < end; ++i) {
    const auto count = static_cast<std::size_t>(J.count(i));
    Append(J.cols(i), count, &columns);
    Append(J.block(i), count * static_cast<std::size_t>(problem.dim(i)), &values);
    start.push_back(static_cast<int>(columns.size()));
  }
  writer->Integers(group + "/start", start);
  writer->Integers(group + "/columns", columns);
  writer->Reals(group + "/values", values);
}

void WriteContacts(const ContactProblem& problem, Hdf5Writer* writer) {
  const auto count = static_cast<std::uint64_t>(problem.num_contacts());
  std::vector<double> mu, point, frame;
  std::vector<int> bodies;
  for (int i = 0; i < problem.num_contacts(); ++i) {
    mu.push_back(problem.friction(i).mu1);
    mu.push_back(problem.friction(i).mu2);
  }
  writer->Reals("/contacts/mu", mu, {count, 2});
  if (!problem.has_dynamics()) return;
  writer->Reals("/contacts/e", Span(problem.e().head(3 * problem.num_contacts())), {count, 3});
  if (!problem.has_geometry()) {
    WriteBlockRows(problem, 0, problem.num_contacts(), "/contacts", writer);
    return;
  }
  for (const ContactGeometry& contact : problem.geometry()) {
    bodies.push_back(contact.a);
    bodies.push_back(contact.b);
    Append(contact.point.data(), 3, &point);
    const RowMatrixX rows = contact.frame;
    Append(rows.data(), 9, &frame);
  }
  writer->Integers("/contacts/bodies", bodies, {count, 2});
  writer->Reals("/contacts/point", point, {count, 3});
  writer->Reals("/contacts/frame", frame, {count, 3, 3});
}

void WriteRows(const ContactProblem& problem, Hdf5Writer* writer) {
  std::vector<int> kind;
  std::vector<double> d, ke, lo, hi;
  for (int i = 0; i < problem.num_rows(); ++i) {
    const RowLaw& law = problem.law(i);
    kind.push_back(static_cast<int>(law.kind));
    d.push_back(law.d);
    ke.push_back(law.ke);
    lo.push_back(law.lo);
    hi.push_back(law.hi);
  }
  writer->Integers("/rows/kind", kind);
  writer->Reals("/rows/d", d);
  writer->Reals("/rows/ke", ke);
  writer->Reals("/rows/lo", lo);
  writer->Reals("/rows/hi", hi);
  if (!problem.has_dynamics()) return;
  writer->Reals("/rows/e", Span(problem.e().tail(problem.num_rows())));
  WriteBlockRows(problem, problem.num_contacts(), problem.num_constraints(), "/rows", writer);
}

void WriteDelassus(const ContactProblem& problem, Hdf5Writer* writer) {
  const SparseMatrix& W = problem.W();
  const auto count = static_cast<std::size_t>(W.nonZeros());
  writer->Reals("/delassus/q", Span(problem.e()));
  writer->Integers("/delassus/start", {W.outerIndexPtr(), static_cast<std::size_t>(W.rows()) + 1});
  writer->Integers("/delassus/columns", {W.innerIndexPtr(), count});
  writer->Reals("/delassus/values", {W.valuePtr(), count});
}

}  // namespace

void WriteTactus(const ContactProblem& problem, Hdf5Writer* writer) {
  writer->TextAttribute("/", "format", kTactusFormat);
  writer->IntegerAttribute("/", "version", kTactusVersion);
  writer->TextAttribute("/", "units", "SI");
  writer->TextAttribute("/", "generator", std::string("tactus ") + TACTUS_VERSION_STRING);
  writer->Text("/info/name", problem.name);
  writer->Text("/info/provenance", problem.provenance);
  if (problem.has_dynamics()) {
    WriteSubsystems(problem, writer);
    WriteMechanisms(problem, writer);
    WriteBodies(problem, writer);
  } else {
    WriteDelassus(problem, writer);
  }
  WriteContacts(problem, writer);
  WriteRows(problem, writer);
}

}  // namespace tactus
