// What lies behind the HDF5 library: the bytes are the message of the child process that reads a file. Whatever they
// say, the answer is a problem or an InputError. corpus/ holds the messages of small valid files of all formats.

#include <cstddef>
#include <cstdint>

#include "tactus/contact/hdf5_tree.h"
#include "tactus/contact/ncp_residual.h"
#include "tactus/contact/problem_formats.h"
#include "tests/fuzz/hdf5_mutator.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const tactus::ProblemFile file = tactus::ParseProblem(tactus::ParseHdf5Message({data, size}, "fuzz"));
    // Indices that slipped through would show here.
    const tactus::VectorX lambda = tactus::VectorX::Ones(file.problem.size());
    tactus::CalcNcpResidual(file.problem, lambda);
  } catch (const tactus::InputError&) {
    // The only way out.
  }
  return 0;
}
