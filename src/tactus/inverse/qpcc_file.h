// Inverse problems and their answers on disk (HDF5; docs/file-formats.md#inverse-problems).
#pragma once

#include <string>

#include "tactus/contact/hdf5_tree.h"
#include "tactus/inverse/qpcc_problem.h"
#include "tactus/inverse/qpcc_solution.h"

namespace tactus {

/// Writes a valid problem; it comes back bit for bit. Atomic: readers see the old file or the whole new one.
void WriteQpccFile(const std::string& path, const QpccProblem& problem);
/// Reads it, in a child process as all HDF5 files. Everything wrong is an InputError that names file, dataset and what
/// was expected.
QpccProblem ReadQpccFile(const std::string& path);
/// The second half of ReadQpccFile.
QpccProblem ParseQpcc(const Hdf5Tree& tree);

/// An answer, with multipliers, modes and the report's numbers.
void WriteQpccSolutionFile(const std::string& path, const QpccSolution& solution, const QpccReport& report);
/// Reads it back for a warm start of `problem`; throws InputError unless sizes agree.
QpccSolution ReadQpccSolutionFile(const std::string& path, const QpccProblem& problem);

}  // namespace tactus
