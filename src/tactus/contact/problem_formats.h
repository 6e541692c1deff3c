// The parts of problem_file.h: one reader and one writer a format. Readers see plain arrays, never the HDF5 library.
#pragma once

#include <string>
#include <vector>

#include "tactus/contact/hdf5_tree.h"
#include "tactus/contact/hdf5_writer.h"
#include "tactus/contact/problem_file.h"

namespace tactus {

/// Decides the format and hands over. `tree.file` leads all error messages.
ProblemFile ParseProblem(const Hdf5Tree& tree);

ProblemFile ParseFclib(const Hdf5Tree& tree);
ProblemFile ParseTactus(const Hdf5Tree& tree);

void WriteTactus(const ContactProblem& problem, Hdf5Writer* writer);
void WriteFclib(const ContactProblem& problem, const std::string& path, Hdf5Writer* writer);

/// What our own files say they are.
inline constexpr char kTactusFormat[] = "tactus-problem";
inline constexpr int kTactusVersion = 1;

/// So many contacts that indices stay far from the end of an int.
inline constexpr int kMaxContacts = 100'000'000;

/// Runs `make`; what a problem finds wrong with itself does not know of files, so the file's name is put in front.
template <typename Make>
auto NameFileInErrors(const Hdf5Tree& tree, const Make& make) {
  try {
    return make();
  } catch (const InputError& error) {
    const std::string text = error.what(), prefix = tree.file + ": ";
    if (text.compare(0, prefix.size(), prefix) == 0) throw;
    throw InputError(prefix + text);
  }
}

/// Position in our [t1, t2, n] of entry k of a vector of FCLib's [n, t1, t2] per contact.
inline int FromNormalFirst(int k) { return k - k % 3 + (k + 2) % 3; }

/// Contact vectors between the two orders.
VectorX NormalLast(const VectorX& normal_first);
VectorX NormalFirst(const VectorX& normal_last);

/// Impulses stored below `group` as r (contacts) and lambda or l (scalar rows), in the problem's layout.
VectorX ParseImpulses(const Hdf5Tree& tree, const std::string& group, const ContactProblem& problem, bool normal_first);

}  // namespace tactus
