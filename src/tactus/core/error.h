// Errors for misuse and bad input. Numerical outcomes of solves are never thrown: they are returned as SolveStatus.
#pragma once

#include <stdexcept>
#include <string>

namespace tactus {

/// Bad input: says what is wrong, where, and what was expected. The command line turns it into exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  /// "where: what (expected: expected)"
  InputError(const std::string& where, const std::string& what, const std::string& expected)
      : std::runtime_error(where + ": " + what + " (expected: " + expected + ")") {}
};

/// Numbers broke down where no status can be returned: a large matrix that is factorized only when somebody asks for
/// its inverse turns out not to be positive definite. ContactSolver::Solve makes it a status.
class NumericalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws InputError{where, what, expected} unless `ok`.
inline void Require(bool ok, const std::string& where, const std::string& what, const std::string& expected) {
  if (!ok) throw InputError(where, what, expected);
}

}  // namespace tactus
