#include "tactus/contact/primal_form.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>

namespace tactus {

namespace {

// W ~ L L^T with the largest remaining diagonal entry as pivot; stops where it falls to rounding (or below zero).
MatrixX CalcPivotedFactor(const SparseMatrix& W) {
  const int m = static_cast<int>(W.rows());
  MatrixX remainder = MatrixX(W);
  remainder = (0.5 * (remainder + remainder.transpose())).eval();
  VectorX diagonal = remainder.diagonal();
  const double smallest = m > 0 ? m * std::numeric_limits<double>::epsilon() * diagonal.cwiseAbs().maxCoeff() : 0;
  MatrixX L = MatrixX::Zero(m, m);
  std::vector<bool> used(m, false);
  int rank = 0;
  for (; rank < m; ++rank) {
    int pivot = -1;
    for (int i = 0; i < m; ++i) {
      if (!used[i] && diagonal[i] > smallest && (pivot < 0 || diagonal[i] > diagonal[pivot])) pivot = i;
    }
    if (pivot < 0) break;
    auto column = L.col(rank);
    column = remainder.col(pivot);
    if (rank > 0) column.noalias() -= L.leftCols(rank) * L.row(pivot).head(rank).transpose();
    const double root = std::sqrt(diagonal[pivot]);
    column /= root;
    // Rows that were pivots are done: what is left there is rounding.
    for (int i = 0; i < m; ++i) {
      if (used[i]) column[i] = 0;
    }
    column[pivot] = root;
    used[pivot] = true;
    diagonal.array() -= column.array().square();
  }
  return L.leftCols(rank);
}

// The least-squares b of L b ~ q. Its accuracy does not matter: e takes up what is left, whatever b is.
VectorX CalcMomentum(const MatrixX& L, const VectorX& q) {
  const int k = static_cast<int>(L.cols());
  if (k == 0) return VectorX::Zero(0);
  MatrixX normal = MatrixX::Zero(k, k);
  normal.selfadjointView<Eigen::Lower>().rankUpdate(L.transpose());
  normal.diagonal().array() += 10 * std::numeric_limits<double>::epsilon() * normal.trace();
  const Eigen::LLT<MatrixX> factor(normal);
  if (factor.info() != Eigen::Success) return VectorX::Zero(k);
  return factor.solve(L.transpose() * q);
}

std::vector<int> NonzeroColumns(const Eigen::Ref<const MatrixX>& rows) {
  std::vector<int> columns;
  for (int c = 0; c < rows.cols(); ++c) {
    if (!rows.col(c).isZero(0)) columns.push_back(c);
  }
  return columns;
}

MatrixX SelectColumns(const Eigen::Ref<const MatrixX>& rows, const std::vector<int>& columns) {
  MatrixX out(rows.rows(), columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) out.col(static_cast<int>(c)) = rows.col(columns[c]);
  return out;
}

}  // namespace

ContactProblem MakePrimal(const ContactProblem& delassus) {
  Require(!delassus.has_dynamics(), "primal form", "the problem has A, b and J already", "a Delassus pair");
  Require(delassus.size() <= kLargestPrimalSize, "primal form", "W has " + std::to_string(delassus.size()) + " rows",
          "at most " + std::to_string(kLargestPrimalSize) + "; use a solver that works on W itself");
  const MatrixX L = CalcPivotedFactor(delassus.W());
  const int k = static_cast<int>(L.cols()), nc = delassus.num_contacts();
  const VectorX b = CalcMomentum(L, delassus.e());
  const VectorX e = delassus.e() - L * b;

  ContactProblemBuilder builder;
  if (k > 0) {
    SparseMatrix identity(k, k);
    identity.setIdentity();
    builder.AddSparse(identity, b);
  }
  for (int i = 0; i < nc; ++i) {
    const auto rows = L.middleRows(3 * i, 3);
    const std::vector<int> columns = NonzeroColumns(rows);
    builder.AddContactRows(columns, SelectColumns(rows, columns), delassus.friction(i), e.segment<3>(3 * i));
  }
  for (int i = 0; i < delassus.num_rows(); ++i) {
    RowLaw law = delassus.law(i);
    const int o = 3 * nc + i;
    // A soft law of a pair sees y = W lambda + q, which is J v + e here, and laws of problems with dynamics see J v
    // alone.
    if (!law.rigid()) law.ke += law.d * e[o];
    const std::vector<int> columns = NonzeroColumns(L.row(o));
    builder.AddRow(law, columns, SelectColumns(L.row(o), columns).transpose(), e[o]);
  }
  ContactProblem primal = builder.Build();
  primal.name = delassus.name;
  primal.provenance = delassus.provenance;
  return primal;
}

}  // namespace tactus
