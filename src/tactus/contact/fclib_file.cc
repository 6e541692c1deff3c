// FCLib's problems and ours:
//
//   local    u = W r + V l + q,  0 = V^T r + R l + s      a Delassus pair ([W V; V^T R], [q; s]), l on equality rows
//   global   M v = H r + G l + f,  u = H^T v + w,  G^T v + b = 0      A = M, b = f, J = [H^T; G^T], e = [w; b]
//
// FCLib's contacts are [n, t1, t2], ours [t1, t2, n].
#include <filesystem>
#include <vector>

#include "tactus/contact/fclib_matrix.h"
#include "tactus/contact/problem_formats.h"
#include "tactus/core/error.h"

namespace tactus {

namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

// Appends a block at (row, column) of a larger matrix; contact indices below 3 nc are turned to our order.
void AppendBlock(const SparseMatrix& block, int row, int column, int contact_size, bool transposed, Triplets* out) {
  const auto place = [contact_size](int k) { return k < contact_size ? FromNormalFirst(k) : k; };
  for (int i = 0; i < block.outerSize(); ++i) {
    for (SparseMatrix::InnerIterator it(block, i); it; ++it) {
      const int r = place(row + i), c = place(column + static_cast<int>(it.col()));
      transposed ? out->emplace_back(c, r, it.value()) : out->emplace_back(r, c, it.value());
    }
  }
}

SparseMatrix FromTriplets(int rows, int cols, const Triplets& triplets) {
  SparseMatrix matrix(rows, cols);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

VectorX Concatenate(const VectorX& a, const VectorX& b) {
  VectorX joined(a.size() + b.size());
  joined << a, b;
  return joined;
}

std::vector<Friction> ParseFriction(const Hdf5Tree& tree, const std::string& path) {
  const VectorX mu = tree.Reals(path, Hdf5Tree::kAnyCount);
  if (mu.size() > kMaxContacts)
    tree.Fail(path, "has " + std::to_string(mu.size()) + " entries", "at most 1e8 contacts");
  std::vector<Friction> friction;
  for (int i = 0; i < mu.size(); ++i) {
    if (mu[i] < 0) tree.Fail(path, "entry " + std::to_string(i) + " is " + std::to_string(mu[i]), "a number >= 0");
    friction.emplace_back(mu[i]);
  }
  return friction;
}

// Rows beyond the contacts (bilateral constraints); `vector` must be there if `matrix` is.
VectorX ParseBilateral(const Hdf5Tree& tree, const std::string& matrix, const std::string& vector) {
  return tree.HasGroup(matrix) || tree.Has(vector) ? tree.Reals(vector, Hdf5Tree::kAnyCount) : VectorX();
}

ContactProblem ParseLocal(const Hdf5Tree& tree) {
  const std::string root = "/fclib_local";
  const std::vector<Friction> friction = ParseFriction(tree, root + "/vectors/mu");
  const int m = 3 * static_cast<int>(friction.size());
  const VectorX q = tree.Reals(root + "/vectors/q", m);
  const VectorX s = ParseBilateral(tree, root + "/V", root + "/vectors/s");
  const int p = static_cast<int>(s.size());
  Triplets W;
  AppendBlock(ParseFclibMatrix(tree, root + "/W", m, m, true), 0, 0, m, false, &W);
  if (tree.HasGroup(root + "/V") || p > 0) {
    const SparseMatrix V = ParseFclibMatrix(tree, root + "/V", m, p, false);
    AppendBlock(V, 0, m, m, false, &W);
    AppendBlock(V, 0, m, m, true, &W);
    AppendBlock(ParseFclibMatrix(tree, root + "/R", p, p, true), m, m, m, false, &W);
  }
  return NameFileInErrors(tree, [&] {
    return ContactProblem::FromDelassus(FromTriplets(m + p, m + p, W), Concatenate(NormalLast(q), s), friction,
                                        std::vector<RowLaw>(p, RowLaw::Equality()));
  });
}

ContactProblem ParseGlobal(const Hdf5Tree& tree) {
  const std::string root = "/fclib_global";
  const std::vector<Friction> friction = ParseFriction(tree, root + "/vectors/mu");
  const int m = 3 * static_cast<int>(friction.size());
  const VectorX f = tree.Reals(root + "/vectors/f", Hdf5Tree::kAnyCount);
  const VectorX w = tree.Reals(root + "/vectors/w", m);
  const VectorX b = ParseBilateral(tree, root + "/G", root + "/vectors/b");
  const int n = static_cast<int>(f.size()), p = static_cast<int>(b.size());
  const SparseMatrix M = ParseFclibMatrix(tree, root + "/M", n, n, true);
  Triplets J;
  const auto append_transposed = [&J, m](const SparseMatrix& block, int first) {
    for (int i = 0; i < block.outerSize(); ++i) {
      for (SparseMatrix::InnerIterator it(block, i); it; ++it) {
        const int r = first + static_cast<int>(it.col());
        J.emplace_back(r < m ? FromNormalFirst(r) : r, i, it.value());
      }
    }
  };
  append_transposed(ParseFclibMatrix(tree, root + "/H", n, m, false), 0);
  if (tree.HasGroup(root + "/G") || p > 0) append_transposed(ParseFclibMatrix(tree, root + "/G", n, p, false), m);
  return NameFileInErrors(tree, [&] {
    return ContactProblem::FromMatrices(M, f, FromTriplets(m + p, n, J), Concatenate(NormalLast(w), b), friction,
                                        std::vector<RowLaw>(p, RowLaw::Equality()));
  });
}

// Impulses of guess number 1; FCLib keeps guesses and solution at the top of the file, some writers in the problem.
std::optional<VectorX> ParseStored(const Hdf5Tree& tree, const std::vector<std::string>& groups,
                                   const ContactProblem& problem) {
  for (const std::string& group : groups) {
    if (tree.Has(group + "/r")) return ParseImpulses(tree, group, problem, true);
  }
  return std::nullopt;
}

void RequireFclibContent(const ContactProblem& problem, const std::string& path) {
  for (int i = 0; i < problem.num_contacts(); ++i) {
    Require(problem.friction(i).isotropic(), path, "contact " + std::to_string(i) + " has an elliptic cone",
            "isotropic friction, the only one that FCLib files hold");
  }
  for (int i = 0; i < problem.num_rows(); ++i) {
    Require(problem.law(i).kind == RowKind::Equality, path, "row " + std::to_string(i) + " is not an equality",
            "equality rows, the only ones that FCLib files hold");
  }
}

std::span<const double> Span(const VectorX& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

int ToNormalFirst(int k) { return k - k % 3 + (k + 1) % 3; }

// Rows [row, row + rows) and columns of a matrix in our order, as FCLib orders them.
SparseMatrix FclibBlock(const SparseMatrix& matrix, int contact_size, int row, int rows, int column, int cols) {
  const auto place = [contact_size](int k) { return k < contact_size ? ToNormalFirst(k) : k; };
  Triplets triplets;
  for (int i = row; i < row + rows; ++i) {
    for (SparseMatrix::InnerIterator it(matrix, i); it; ++it) {
      const int c = static_cast<int>(it.col());
      if (c >= column && c < column + cols) triplets.emplace_back(place(i) - row, place(c) - column, it.value());
    }
  }
  return FromTriplets(rows, cols, triplets);
}

void WriteLocal(const ContactProblem& problem, const std::string& path, Hdf5Writer* writer) {
  const std::string root = "/fclib_local";
  const int m = 3 * problem.num_contacts(), p = problem.num_rows();
  WriteFclibMatrix(FclibBlock(problem.W(), m, 0, m, 0, m), root + "/W", writer);
  if (p > 0) {
    const SparseMatrix V = FclibBlock(problem.W(), m, 0, m, m, p);
    const SparseMatrix lower = FclibBlock(problem.W(), m, m, p, 0, m);
    Require((SparseMatrix(lower.transpose()) - V).norm() <= 1e-9 * V.norm(), path,
            "W is not symmetric between contacts and rows", "W_cr = W_rc^T, as FCLib files hold only one of them");
    WriteFclibMatrix(V, root + "/V", writer);
    WriteFclibMatrix(FclibBlock(problem.W(), m, m, p, m, p), root + "/R", writer);
    writer->Reals(root + "/vectors/s", Span(problem.e().tail(p)));
  }
  writer->Reals(root + "/vectors/q", Span(NormalFirst(problem.e().head(m))));
}

SparseMatrix FullMass(const ContactProblem& problem) {
  Triplets triplets;
  const MassMatrix& mass = problem.mass();
  for (int j = 0; j < mass.num_subsystems(); ++j) {
    const Subsystem& s = mass.subsystem(j);
    const SparseMatrix block = s.kind == SubsystemKind::Sparse
                                   ? mass.sparse_block(j)
                                   : SparseMatrix(MatrixX(mass.dense_block(j)).sparseView());
    for (int i = 0; i < s.size; ++i) {
      for (SparseMatrix::InnerIterator it(block, i); it; ++it) {
        triplets.emplace_back(s.dof + i, s.dof + static_cast<int>(it.col()), it.value());
      }
    }
  }
  return FromTriplets(problem.num_dofs(), problem.num_dofs(), triplets);
}

void WriteGlobal(const ContactProblem& problem, Hdf5Writer* writer) {
  const std::string root = "/fclib_global";
  const int m = 3 * problem.num_contacts(), p = problem.num_rows(), n = problem.num_dofs();
  const BlockRows& J = problem.jacobian();
  Triplets H, G;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const double* value = J.block(i);
    for (int r = 0; r < problem.dim(i); ++r) {
      const int row = problem.offset(i) + r;
      for (int c = 0; c < J.count(i); ++c, ++value) {
        row < m ? H.emplace_back(J.cols(i)[c], ToNormalFirst(row), *value)
                : G.emplace_back(J.cols(i)[c], row - m, *value);
      }
    }
  }
  WriteFclibMatrix(FullMass(problem), root + "/M", writer);
  WriteFclibMatrix(FromTriplets(n, m, H), root + "/H", writer);
  if (p > 0) {
    WriteFclibMatrix(FromTriplets(n, p, G), root + "/G", writer);
    writer->Reals(root + "/vectors/b", Span(problem.e().tail(p)));
  }
  writer->Reals(root + "/vectors/f", Span(problem.b()));
  writer->Reals(root + "/vectors/w", Span(NormalFirst(problem.e().head(m))));
}

}  // namespace

ProblemFile ParseFclib(const Hdf5Tree& tree) {
  const bool local = tree.HasGroup("/fclib_local");
  if (local && tree.HasGroup("/fclib_global")) {
    throw InputError(tree.file, "holds both a local and a global problem", "one problem a file");
  }
  const std::string root = local ? "/fclib_local" : "/fclib_global";
  const std::int64_t dimension = tree.Integer(root + "/spacedim", 2, 3);
  if (dimension == 2) tree.Fail(root + "/spacedim", "is 2, a planar problem", "3; planar problems are not supported");
  ProblemFile result;
  result.format = local ? ProblemFormat::FclibLocal : ProblemFormat::FclibGlobal;
  result.problem = local ? ParseLocal(tree) : ParseGlobal(tree);
  result.problem.name = tree.Text(root + "/info/title", std::filesystem::path(tree.file).stem().string());
  result.problem.provenance = tree.Text(root + "/info/description", "");
  result.guess = ParseStored(tree, {"/guesses/1", root + "/guesses/1", root + "/guesses"}, result.problem);
  result.reference = ParseStored(tree, {"/solution", root + "/solution"}, result.problem);
  return result;
}

void WriteFclib(const ContactProblem& problem, const std::string& path, Hdf5Writer* writer) {
  RequireFclibContent(problem, path);
  const std::string root = problem.has_dynamics() ? "/fclib_global" : "/fclib_local";
  writer->Integer(root + "/spacedim", 3);
  if (problem.has_dynamics()) {
    WriteGlobal(problem, writer);
  } else {
    WriteLocal(problem, path, writer);
  }
  VectorX mu(problem.num_contacts());
  for (int i = 0; i < mu.size(); ++i) mu[i] = problem.friction(i).mu1;
  writer->Reals(root + "/vectors/mu", Span(mu));
  writer->Text(root + "/info/title", problem.name);
  writer->Text(root + "/info/description", problem.provenance);
  writer->Text(root + "/info/math_info", "");
}

}  // namespace tactus
