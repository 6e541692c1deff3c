// The Python module tactus._tactus. python/tactus wraps it; docs/python.md says how it is meant.
#include <nanobind/nanobind.h>

#include "python/src/bindings.h"
#include "tactus/core/error.h"
#include "tactus/core/simd.h"
#include "tactus/io/data_folder.h"
#include "tactus/version.h"

namespace tactus::python {

NB_MODULE(_tactus, m) {
  nb::set_leak_warnings(false);
  m.doc() = "The compiled part of tactus. Use the package `tactus`.";
  nb::exception<InputError>(m, "InputError", PyExc_ValueError);
  nb::exception<NumericalError>(m, "NumericalError", PyExc_ArithmeticError);
  m.attr("InputError").attr("__doc__") =
      "Bad input: what is wrong, where, and what was expected, in the words of the C++ library.";
  m.attr("NumericalError").attr("__doc__") = "Numbers broke down in a place that has no report to say so.";
  m.def(
      "version", [] { return std::string(LibraryVersion()); }, "The version of the C++ library.");
  m.def(
      "set_data_folder", [](const std::string& folder) { SetDataFolder(folder); }, nb::arg("folder"),
      "Where scenes and robots that come with tactus are.");
  BindReports(&m);
  BindModel(&m);
  BindData(&m);
  BindRollout(&m);
  BindProblem(&m);
  BindInverse(&m);
  BindRecording(&m);
}

}  // namespace tactus::python
