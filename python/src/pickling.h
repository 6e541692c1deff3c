// Reports and answers go through pickle, as workers of a process pool send them home: field by field.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <typeinfo>
#include <vector>

#include "python/src/bindings.h"
#include "tactus/core/error.h"

namespace tactus::python {

template <typename T>
nb::object ToState(const T& value) {
  return nb::cast(value);
}
inline nb::object ToState(const VectorX& value) { return ToNumpy(value); }
nb::object ToState(const std::vector<ContactMode>& modes);
nb::object ToState(const std::vector<HistoryEntry>& history);

template <typename T>
void FromState(const nb::handle& state, T* value) {
  *value = nb::cast<T>(state);
}
inline void FromState(const nb::handle& state, VectorX* value) { *value = ToEigen(nb::cast<InVector>(state)); }
void FromState(const nb::handle& state, std::vector<ContactMode>* modes);
void FromState(const nb::handle& state, std::vector<HistoryEntry>* history);

/// Makes a class picklable. `fields` gives references to all of its members, as a tuple; `check` throws where what was
/// read cannot be.
template <typename T, typename Fields, typename Check>
void MakePicklable(nb::class_<T>* c, Fields fields, Check check) {
  c->def("__getstate__", [fields](T& self) -> nb::object {
    return std::apply([](const auto&... field) -> nb::object { return nb::make_tuple(ToState(field)...); },
                      fields(self));
  });
  c->def("__setstate__", [fields, check](T& self, const nb::tuple& state) {
    T value;
    std::apply(
        [&](auto&... field) {
          Require(state.size() == sizeof...(field), "pickle", std::to_string(state.size()) + " fields",
                  std::to_string(sizeof...(field)) + ": that of this version of tactus");
          std::size_t k = 0;
          try {
            ((FromState(state[k], &field), ++k), ...);
          } catch (const std::bad_cast&) {
            throw InputError("pickle", "field " + std::to_string(k) + " is of another kind",
                             "what __getstate__ of this version of tactus gives");
          }
        },
        fields(value));
    check(value);
    new (&self) T(std::move(value));
  });
}
template <typename T, typename Fields>
void MakePicklable(nb::class_<T>* c, Fields fields) {
  MakePicklable(c, fields, [](const T&) {});
}

}  // namespace tactus::python
