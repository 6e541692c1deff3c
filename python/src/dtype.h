// Structured NumPy dtypes.
#pragma once

#include <cstddef>
#include <initializer_list>

#include <nanobind/nanobind.h>

namespace tactus::python {

/// A member of a struct as NumPy sees it, such as {"gap", "f8", offsetof(Row, gap)}.
struct DtypeField {
  const char* name;
  const char* format;
  std::size_t offset;
};

/// The NumPy dtype of a struct of `size` bytes. To be kept: making it takes longer than a step of a small scene.
nanobind::object MakeDtype(std::size_t size, std::initializer_list<DtypeField> fields);

}  // namespace tactus::python
