#include "python/src/dtype.h"

namespace nb = nanobind;

namespace tactus::python {

nb::object MakeDtype(std::size_t size, std::initializer_list<DtypeField> fields) {
  nb::list names, formats, offsets;
  for (const DtypeField& field : fields) {
    names.append(field.name);
    formats.append(field.format);
    offsets.append(field.offset);
  }
  nb::dict description;
  description["names"] = names;
  description["formats"] = formats;
  description["offsets"] = offsets;
  description["itemsize"] = size;
  return nb::module_::import_("numpy").attr("dtype")(description);
}

}  // namespace tactus::python
