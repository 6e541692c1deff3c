// Contact problems on disk: FCLib's HDF5 layout (local and global) and our own complete one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/contact/contact_problem.h"

namespace tactus {

/// What a file holds.
enum class ProblemFormat { Tactus, FclibLocal, FclibGlobal };
const char* ToString(ProblemFormat format);

/// A problem as read from a file.
struct ProblemFile {
  ContactProblem problem;
  ProblemFormat format = ProblemFormat::Tactus;
  std::string path;
  std::optional<VectorX> guess;      ///< impulses stored as a guess, in the problem's layout
  std::optional<VectorX> reference;  ///< impulses stored as the solution, in the problem's layout
  bool foreign() const { return format != ProblemFormat::Tactus; }
};

/// Reads any of the formats. The HDF5 library crashes on some corrupt files, so the file is opened in a child process
/// with memory and time limits; every failure is an InputError that names the file, the dataset and what was expected.
ProblemFile ReadProblemFile(const std::string& path);

/// Writes our own format (every constraint kind, contacts as points and frames where known). Atomic: a temporary file
/// is renamed at the end.
void WriteProblemFile(const std::string& path, const ContactProblem& problem);
/// Writes FCLib's layout; isotropic contacts, and equality rows as G/b (global) or V, R, s (local) only.
void WriteFclibFile(const std::string& path, const ContactProblem& problem);

/// Writes /solution/r, /solution/u and, for problems with dynamics, /solution/v, in the component order of the input
/// file (FCLib: normal first), contacts first, then scalar rows as /solution/lambda.
void WriteSolutionFile(const std::string& path, const ProblemFile& input, const VectorX& impulse, const VectorX& sigma,
                       const VectorX& velocity);
/// Reads impulses written by WriteSolutionFile (for warm starts), back in the problem's layout.
VectorX ReadSolutionFile(const std::string& path, const ProblemFile& input);

}  // namespace tactus
