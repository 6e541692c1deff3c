#include "tactus/contact/fclib_matrix.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tactus/core/error.h"

namespace tactus {

namespace {

double Largest(const SparseMatrix& matrix) {
  double largest = 0;
  for (int i = 0; i < matrix.outerSize(); ++i) {
    for (SparseMatrix::InnerIterator it(matrix, i); it; ++it) largest = std::max(largest, std::abs(it.value()));
  }
  return largest;
}

void CheckExtent(const Hdf5Tree& tree, const std::string& path, int expected) {
  const std::int64_t found = tree.Integer(path, 0, std::numeric_limits<int>::max());
  if (found != expected) {
    tree.Fail(path, "is " + std::to_string(found), std::to_string(expected) + ", from the lengths of the vectors");
  }
}

bool Fits(const std::vector<int>& indices, int bound) {
  return std::all_of(indices.begin(), indices.end(), [bound](int index) { return index < bound; });
}

SparseMatrix FromTriplets(int rows, int cols, const std::vector<int>& row, const std::vector<int>& column,
                          const VectorX& values) {
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(row.size());
  for (std::size_t k = 0; k < row.size(); ++k) triplets.emplace_back(row[k], column[k], values[k]);
  SparseMatrix matrix(rows, cols);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

// `wanted` leading entries of an array that may be longer (nzmax).
template <typename Array>
void Shorten(const Hdf5Tree& tree, const std::string& path, std::int64_t wanted, Array* array) {
  const auto size = static_cast<std::int64_t>(array->size());
  if (size < wanted)
    tree.Fail(path, "has " + std::to_string(size) + " entries", "at least nz = " + std::to_string(wanted));
  if constexpr (std::is_same_v<Array, VectorX>) {
    array->conservativeResize(wanted);
  } else {
    array->resize(static_cast<std::size_t>(wanted));
  }
}

SparseMatrix ParseTriplets(const Hdf5Tree& tree, const std::string& group, int rows, int cols, bool symmetric,
                           std::int64_t count) {
  std::vector<int> i = tree.Integers(group + "/i", Hdf5Tree::kAnyCount);
  std::vector<int> p = tree.Integers(group + "/p", Hdf5Tree::kAnyCount);
  VectorX x = tree.Reals(group + "/x", Hdf5Tree::kAnyCount);
  Shorten(tree, group + "/i", count, &i);
  Shorten(tree, group + "/p", count, &p);
  Shorten(tree, group + "/x", count, &x);
  const bool siconos = Fits(i, rows) && Fits(p, cols), header = Fits(p, rows) && Fits(i, cols);
  if (!siconos && !header) {
    tree.Fail(group, "a triplet lies outside of the matrix",
              "rows below " + std::to_string(rows) + " and columns below " + std::to_string(cols));
  }
  if (!siconos) return FromTriplets(rows, cols, p, i, x);
  SparseMatrix matrix = FromTriplets(rows, cols, i, p, x);
  if (!header) return matrix;
  const SparseMatrix other = FromTriplets(rows, cols, p, i, x);
  const double difference = Largest(SparseMatrix(matrix - other));
  if (difference > (symmetric ? kFclibAsymmetry * Largest(matrix) : 0)) {
    tree.Fail(group, "its triplets may be (i, p) or (p, i), which give different matrices",
              "compressed rows (nz = -2) or columns (nz = -1)");
  }
  return matrix;
}

}  // namespace

SparseMatrix ParseFclibMatrix(const Hdf5Tree& tree, const std::string& group, int rows, int cols, bool symmetric) {
  CheckExtent(tree, group + "/m", rows);
  CheckExtent(tree, group + "/n", cols);
  const std::int64_t nz = tree.Integer(group + "/nz", -2, std::numeric_limits<int>::max());
  if (nz >= 0) return ParseTriplets(tree, group, rows, cols, symmetric, nz);
  const bool by_row = nz == -2;
  const std::int64_t starts = std::int64_t{by_row ? rows : cols} + 1;
  const std::vector<int> p = tree.Integers(group + "/p", starts);
  const std::vector<int> i = tree.Integers(group + "/i", Hdf5Tree::kAnyCount);
  const VectorX x = tree.Reals(group + "/x", Hdf5Tree::kAnyCount);
  const std::span<const double> values(x.data(), static_cast<std::size_t>(x.size()));
  const std::string where = tree.file + ": " + group;
  if (by_row) return MakeCompressedRows(rows, cols, p, i, values, where);
  return MakeCompressedRows(cols, rows, p, i, values, where + " (by columns)").transpose();
}

void WriteFclibMatrix(const SparseMatrix& matrix, const std::string& group, Hdf5Writer* writer) {
  SparseMatrix compressed = matrix;
  compressed.makeCompressed();
  const auto count = static_cast<std::size_t>(compressed.nonZeros());
  writer->Integer(group + "/m", static_cast<int>(compressed.rows()));
  writer->Integer(group + "/n", static_cast<int>(compressed.cols()));
  writer->Integer(group + "/nzmax", static_cast<int>(count));
  writer->Integer(group + "/nz", -2);
  writer->Integers(group + "/p", {compressed.outerIndexPtr(), static_cast<std::size_t>(compressed.rows()) + 1});
  writer->Integers(group + "/i", {compressed.innerIndexPtr(), count});
  writer->Reals(group + "/x", {compressed.valuePtr(), count});
}

}  // namespace tactus
