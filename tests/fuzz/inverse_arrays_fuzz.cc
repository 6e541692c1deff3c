// Files of inverse problems, behind the HDF5 library: the bytes are the message of the child process that reads a file.
// Whatever they say, the answer is a problem or an InputError; and a problem gets an answer that is finite and within
// its bounds. corpus/ holds the messages of small valid files of all kinds of contact.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tactus/contact/hdf5_tree.h"
#include "tactus/inverse/qpcc_file.h"
#include "tactus/inverse/qpcc_solver.h"
#include "tests/fuzz/hdf5_mutator.h"

namespace {

// Bounds on the work, so that many inputs are tried.
tactus::QpccSettings MakeSettings() {
  tactus::QpccSettings settings = tactus::QpccSettings::RealTime();
  settings.sweeps = 10;
  settings.polish_steps = 20;
  return settings;
}

void Check(bool ok) {
  if (!ok) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const tactus::QpccProblem problem = tactus::ParseQpcc(tactus::ParseHdf5Message({data, size}, "fuzz"));
    if (problem.num_rows() > 30 || problem.num_actuators() > 30 || problem.b.size() > 100) return 0;
    tactus::QpccSolution x;
    (void)tactus::SolveQpcc(problem, MakeSettings(), &x);
    Check(x.actuation.allFinite() && x.contact.allFinite() && x.sigma.allFinite());
    Check((x.actuation.array() >= problem.lower.array()).all() && (x.actuation.array() <= problem.upper.array()).all());
  } catch (const tactus::InputError&) {
    // The only way out.
  }
  return 0;
}
