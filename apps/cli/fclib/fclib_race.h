// Every solver on every file of a folder: ours in forks, Siconos's by the program siconos_compare.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/cli/fclib/performance_profile.h"
#include "tactus/contact/problem_file.h"

namespace tactus::cli {

struct RaceSettings {
  double limit = 0.3;  ///< processor time of a solve, the same for all [s]
  int repeat = 2;      ///< solves at least, more of short ones
};

/// `given`, else the folder fclib of $TACTUS_SHARED (../shared without it); empty where neither is there. InputError if
/// `given` is no folder.
std::filesystem::path FindFclibFolder(const std::string& given);

/// The problem files (.hdf5, .h5) of a folder and those below, sorted; folders called `solutions` are left out, and
/// where a folder `symmetrised` beside has a copy of a problem (name.sym.hdf5), that one stands for it. InputError if
/// there are none.
std::vector<std::filesystem::path> ListProblemFiles(const std::filesystem::path& folder);

/// Writes generated problems as FCLib files, for machines without a collection. Returns the paths.
std::vector<std::filesystem::path> WriteGeneratedProblems(const std::filesystem::path& folder, bool quick);

/// One of our solvers, cold, in a child that may crash or hang.
SolverTry TryOurSolver(const std::string& solver, const std::string& name, const ContactProblem& problem,
                       double tolerance, const RaceSettings& settings);

/// The program, or empty where it was not built.
std::filesystem::path FindSiconosProgram();
/// Each of Siconos's solvers on one file in its quickest storage. Throws InputError if the program fails.
std::vector<SolverTry> TrySiconos(const std::filesystem::path& program, const std::string& name,
                                  const std::filesystem::path& file, double tolerance, const RaceSettings& settings,
                                  const std::filesystem::path& scratch);
/// What siconos_compare --json wrote, of its one problem. Throws InputError that says what is wrong.
std::vector<SolverTry> ParseSiconosTries(const std::string& text, const std::string& name, double tolerance);

}  // namespace tactus::cli
