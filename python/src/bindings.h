// What the files of the Python module share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/src/python_model.h"

namespace nb = nanobind;

namespace tactus::python {

void BindModel(nb::module_* m);
void BindData(nb::module_* m);
void BindReports(nb::module_* m);
void BindRollout(nb::module_* m);
void BindProblem(nb::module_* m);
void BindInverse(nb::module_* m);
void BindRecording(nb::module_* m);

/// What callers hand over: plain C-contiguous numbers. The Python side makes them so.
using InVector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using InMatrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using InCube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using InIndices = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// NumPy arrays as stubs name them. They are only ever made here, so that there is nothing to check.
inline bool IsAnything(PyObject*) { return true; }
class FloatArray : public nb::object {
  NB_OBJECT_DEFAULT(FloatArray, nb::object, "numpy.typing.NDArray[numpy.float64]", IsAnything)
};
class IntArray : public nb::object {
  NB_OBJECT_DEFAULT(IntArray, nb::object, "numpy.typing.NDArray[numpy.integer]", IsAnything)
};
class RecordArray : public nb::object {
  NB_OBJECT_DEFAULT(RecordArray, nb::object, "numpy.typing.NDArray[numpy.void]", IsAnything)
};
template <typename T>
using ArrayOf = std::conditional_t<std::is_floating_point_v<T>, FloatArray, IntArray>;

/// A new NumPy array with its memory, not yet filled.
template <typename T>
struct NewArray {
  explicit NewArray(std::vector<std::size_t> shape) {
    std::size_t size = 1;
    for (const std::size_t n : shape) size *= n;
    auto memory = std::make_unique<T[]>(size == 0 ? 1 : size);
    data = memory.get();
    const nb::capsule owner(memory.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
    memory.release();
    object = nb::borrow<ArrayOf<T>>(
        nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), owner), nb::rv_policy::reference));
  }
  T* data = nullptr;
  ArrayOf<T> object;
};

/// Copies of vectors and matrices.
inline FloatArray ToNumpy(const VectorX& v) {
  NewArray<double> out({static_cast<std::size_t>(v.size())});
  Eigen::Map<VectorX>(out.data, v.size()) = v;
  return out.object;
}
inline FloatArray ToNumpy(const RowMatrixX& m) {
  NewArray<double> out({static_cast<std::size_t>(m.rows()), static_cast<std::size_t>(m.cols())});
  std::copy(m.data(), m.data() + m.size(), out.data);
  return out.object;
}
template <typename T, typename List>
ArrayOf<T> ListToNumpy(const List& list) {
  NewArray<T> out({list.size()});
  for (std::size_t k = 0; k < list.size(); ++k) out.data[k] = static_cast<T>(list[k]);
  return out.object;
}

inline VectorX ToEigen(const InVector& v) {
  return Eigen::Map<const VectorX>(v.data(), static_cast<Eigen::Index>(v.shape(0)));
}
inline RowMatrixX ToEigen(const InMatrix& m) {
  return Eigen::Map<const RowMatrixX>(m.data(), static_cast<Eigen::Index>(m.shape(0)),
                                      static_cast<Eigen::Index>(m.shape(1)));
}

/// A view of memory that `owner` keeps alive: writes go there.
template <typename Owner>
nb::object MakeView(const std::shared_ptr<Owner>& owner, double* data, std::vector<std::size_t> shape) {
  auto held = std::make_unique<std::shared_ptr<Owner>>(owner);
  const nb::capsule capsule(held.get(), [](void* p) noexcept { delete static_cast<std::shared_ptr<Owner>*>(p); });
  held.release();
  static double nothing = 0;  // arrays of no entries need an address too
  return nb::cast(nb::ndarray<nb::numpy, double>(data ? data : &nothing, shape.size(), shape.data(), capsule),
                  nb::rv_policy::reference);
}

/// Records as a structured array: a NumPy dtype made once from names, formats and offsets.
template <typename Record>
RecordArray ToStructured(const std::vector<Record>& records, const nb::object& dtype) {
  NewArray<std::uint8_t> bytes({records.size() * sizeof(Record)});
  if (!records.empty()) std::memcpy(bytes.data, records.data(), records.size() * sizeof(Record));
  return nb::borrow<RecordArray>(nb::object(bytes.object.attr("view")(dtype)));
}

/// What Python calls Data: with the views that it hands out.
class DataObject : public PyData {
 public:
  explicit DataObject(const std::shared_ptr<const PyModel>& model);
  nb::object qpos, qvel, ctrl, qfrc_applied, applied_wrench;
  nb::list node_positions, node_velocities;  ///< of deformables
};

/// One or more steps, without the GIL; stops at one that does not move. Throws nb::python_error after Ctrl-C.
StepReport Step(const PyModel& model, DataObject* data, std::int64_t count);

}  // namespace tactus::python
