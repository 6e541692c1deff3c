#include "tactus/inverse/qpcc_file.h"

#include <cstdint>
#include <span>
#include <vector>

#include "tactus/contact/hdf5_writer.h"
#include "tactus/core/error.h"
#include "tactus/version.h"

namespace tactus {

namespace {

constexpr char kFormat[] = "tactus-inverse", kSolutionFormat[] = "tactus-inverse-solution";
constexpr int kVersion = 1;
/// So many rows that a dense matrix of them would be 80 GB.
constexpr std::int64_t kMostRows = 100'000;

// Numbers of kinds and modes in files. They are part of the format: never renumber.
static_assert(static_cast<int>(QpccKind::Lcp) == 1 && static_cast<int>(QpccKind::Planar) == 2 &&
              static_cast<int>(QpccKind::Ncp) == 3);
static_assert(static_cast<int>(ContactMode::Open) == 0 && static_cast<int>(ContactMode::Stick) == 1 &&
              static_cast<int>(ContactMode::Slip) == 2);

std::span<const double> Span(const VectorX& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

void WriteMatrix(const std::string& path, const MatrixX& matrix, Hdf5Writer* writer) {
  const RowMatrixX rows = matrix;
  writer->Reals(path, {rows.data(), static_cast<std::size_t>(rows.size())},
                {static_cast<std::uint64_t>(rows.rows()), static_cast<std::uint64_t>(rows.cols())});
}

MatrixX ReadMatrix(const Hdf5Tree& tree, const std::string& path, std::int64_t rows, std::int64_t cols) {
  const std::vector<std::uint64_t> shape = {static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(cols)};
  if (tree.At(path).shape != shape) {
    tree.Fail(path, "has another shape", std::to_string(rows) + " x " + std::to_string(cols));
  }
  const VectorX values = tree.Reals(path, rows * cols);
  return Eigen::Map<const RowMatrixX>(values.data(), rows, cols);
}

std::int64_t Length(const Hdf5Tree& tree, const std::string& path) {
  const auto size = static_cast<std::int64_t>(tree.At(path).size());
  if (size > kMostRows)
    tree.Fail(path, "has " + std::to_string(size) + " entries", "at most " + std::to_string(kMostRows));
  return size;
}

void CheckFormat(const Hdf5Tree& tree, const char* format) {
  const std::string found = tree.Text("/@format", "");
  if (found != format) tree.Fail("/@format", "is '" + found + "'", std::string("'") + format + "'");
  (void)tree.Integer("/@version", kVersion, kVersion);
}

void WriteHead(const char* format, Hdf5Writer* writer) {
  writer->TextAttribute("/", "format", format);
  writer->IntegerAttribute("/", "version", kVersion);
  writer->TextAttribute("/", "units", "SI");
  writer->TextAttribute("/", "generator", std::string("tactus ") + TACTUS_VERSION_STRING);
}

}  // namespace

void WriteQpccFile(const std::string& path, const QpccProblem& problem) {
  problem.Validate();
  Hdf5Writer writer(path);
  WriteHead(kFormat, &writer);
  writer.Text("/info/name", problem.name);
  writer.Text("/info/provenance", problem.provenance);
  writer.Integer("/contact/kind", static_cast<int>(problem.kind));
  WriteMatrix("/task/A", problem.A, &writer);
  WriteMatrix("/task/B", problem.B, &writer);
  writer.Reals("/task/b", Span(problem.b));
  WriteMatrix("/contact/C", problem.C, &writer);
  WriteMatrix("/contact/D", problem.D, &writer);
  writer.Reals("/contact/g", Span(problem.g));
  if (problem.kind != QpccKind::Lcp) writer.Reals("/contact/mu", Span(problem.mu));
  if (problem.compliance.size() != 0) writer.Reals("/contact/compliance", Span(problem.compliance));
  writer.Reals("/actuation/lower", Span(problem.lower));
  writer.Reals("/actuation/upper", Span(problem.upper));
  writer.Commit();
}

QpccProblem ParseQpcc(const Hdf5Tree& tree) {
  CheckFormat(tree, kFormat);
  QpccProblem p;
  p.name = tree.Text("/info/name", "");
  p.provenance = tree.Text("/info/provenance", "");
  p.kind = static_cast<QpccKind>(tree.Integer("/contact/kind", 1, 3));
  const std::int64_t na = Length(tree, "/actuation/lower"), m = Length(tree, "/contact/g"),
                     ne = Length(tree, "/task/b");
  if (m % p.dim() != 0) tree.Fail("/contact/g", "has " + std::to_string(m) + " entries", "a multiple of the kind");
  p.A = ReadMatrix(tree, "/task/A", ne, na);
  p.B = ReadMatrix(tree, "/task/B", ne, m);
  p.b = tree.Reals("/task/b", ne);
  p.C = ReadMatrix(tree, "/contact/C", m, na);
  p.D = ReadMatrix(tree, "/contact/D", m, m);
  p.g = tree.Reals("/contact/g", m);
  if (p.kind != QpccKind::Lcp) p.mu = tree.Reals("/contact/mu", m / p.dim());
  if (tree.Has("/contact/compliance")) p.compliance = tree.Reals("/contact/compliance", m);
  p.lower = tree.Reals("/actuation/lower", na, true);
  p.upper = tree.Reals("/actuation/upper", na, true);
  try {
    p.Validate();
  } catch (const InputError& error) {
    throw InputError(tree.file + ": " + error.what());
  }
  return p;
}

QpccProblem ReadQpccFile(const std::string& path) { return ParseQpcc(ReadHdf5Tree(path)); }

void WriteQpccSolutionFile(const std::string& path, const QpccSolution& solution, const QpccReport& report) {
  Hdf5Writer writer(path);
  WriteHead(kSolutionFormat, &writer);
  writer.Reals("/solution/actuation", Span(solution.actuation));
  writer.Reals("/solution/contact", Span(solution.contact));
  writer.Reals("/solution/sigma", Span(solution.sigma));
  writer.Reals("/solution/y_actuation", Span(solution.y_actuation));
  writer.Reals("/solution/y_contact", Span(solution.y_contact));
  writer.Reals("/solution/y_sigma", Span(solution.y_sigma));
  std::vector<int> modes;
  for (const ContactMode mode : solution.modes) modes.push_back(static_cast<int>(mode));
  writer.Integers("/solution/modes", modes);
  writer.Text("/report/status", ToString(report.status));
  writer.Text("/report/origin", ToString(report.origin));
  const double numbers[] = {report.loss, report.dynamics_gap,    report.primal,
                            report.dual, report.complementarity, report.multiplier_violation,
                            report.time};
  const char* names[] = {"loss", "dynamics_gap", "primal", "dual", "complementarity", "multiplier_violation", "time"};
  for (std::size_t k = 0; k < std::size(numbers); ++k) {
    writer.Reals(std::string("/report/") + names[k], {&numbers[k], 1});
  }
  writer.Commit();
}

QpccSolution ReadQpccSolutionFile(const std::string& path, const QpccProblem& problem) {
  const Hdf5Tree tree = ReadHdf5Tree(path);
  CheckFormat(tree, kSolutionFormat);
  const int na = problem.num_actuators(), m = problem.num_rows();
  QpccSolution x;
  x.actuation = tree.Reals("/solution/actuation", na);
  x.contact = tree.Reals("/solution/contact", m);
  x.sigma = tree.Reals("/solution/sigma", m);
  x.y_actuation = tree.Reals("/solution/y_actuation", na);
  x.y_contact = tree.Reals("/solution/y_contact", m);
  x.y_sigma = tree.Reals("/solution/y_sigma", m);
  for (const int mode : tree.Integers("/solution/modes", problem.num_contacts(), 0, 2)) {
    x.modes.push_back(static_cast<ContactMode>(mode));
  }
  return x;
}

}  // namespace tactus
