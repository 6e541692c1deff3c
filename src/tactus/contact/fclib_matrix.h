// Sparse matrices in FCLib's layout: a group with m, n, nz, nzmax, p, i, x.
#pragma once

#include <string>

#include "tactus/contact/hdf5_tree.h"
#include "tactus/contact/hdf5_writer.h"

namespace tactus {

/// Reads a rows x cols matrix: compressed rows (nz = -2), compressed columns (nz = -1) or triplets (nz >= 0).
///
/// FCLib's header says that triplets hold rows in p and columns in i; files written by Siconos hold the reverse. The
/// one that fits the ranges is taken. Where both fit and differ, it is an error, but for a matrix that is `symmetric`
/// by its nature up to kFclibAsymmetry either reading is as good as the file.
SparseMatrix ParseFclibMatrix(const Hdf5Tree& tree, const std::string& group, int rows, int cols, bool symmetric);
inline constexpr double kFclibAsymmetry = 1e-2;

/// Writes compressed rows.
void WriteFclibMatrix(const SparseMatrix& matrix, const std::string& group, Hdf5Writer* writer);

}  // namespace tactus
