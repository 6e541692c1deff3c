#include "tactus/record/record_header.h"

#include <algorithm>

#include "tactus/contact/hdf5_handle.h"
#include "tactus/record/record_format.h"
#include "tactus/record/record_geometry.h"

namespace tactus {

namespace {

hid_t MakeTextType(std::size_t length) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, std::max<std::size_t>(length, 1));
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

bool WriteText(hid_t file, const char* name, const std::string& text) {
  const Hdf5Handle type(MakeTextType(text.size())), space(H5Screate(H5S_SCALAR));
  const Hdf5Handle dataset(H5Dcreate2(file, name, type.id, space.id, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  std::string padded = text;
  padded.resize(std::max<std::size_t>(text.size(), 1), '\0');
  return dataset.id >= 0 && H5Dwrite(dataset.id, type.id, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()) >= 0;
}

bool WriteTexts(hid_t file, const std::string& path, const std::vector<std::string>& texts) {
  std::size_t length = 1;
  for (const std::string& text : texts) length = std::max(length, text.size());
  std::string all(length * texts.size(), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].copy(all.data() + i * length, length);
  const hsize_t extent = texts.size();
  const Hdf5Handle type(MakeTextType(length)), space(H5Screate_simple(1, &extent, nullptr));
  const Hdf5Handle dataset(H5Dcreate2(file, path.c_str(), type.id, space.id, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  return dataset.id >= 0 &&
         (texts.empty() || H5Dwrite(dataset.id, type.id, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) >= 0);
}

bool WriteAttribute(hid_t file, const char* group, const std::string& name, const std::string& text) {
  std::string padded = text;
  padded.resize(std::max<std::size_t>(text.size(), 1), '\0');
  const Hdf5Handle object(H5Oopen(file, group, H5P_DEFAULT)), type(MakeTextType(text.size()));
  const Hdf5Handle space(H5Screate(H5S_SCALAR));
  const Hdf5Handle attribute(H5Acreate2(object.id, name.c_str(), type.id, space.id, H5P_DEFAULT, H5P_DEFAULT));
  return attribute.id >= 0 && H5Awrite(attribute.id, type.id, padded.data()) >= 0;
}

bool WriteAttribute(hid_t file, const char* group, const char* name, hid_t file_type, hid_t memory_type,
                    const void* data) {
  const Hdf5Handle object(H5Oopen(file, group, H5P_DEFAULT)), space(H5Screate(H5S_SCALAR));
  const Hdf5Handle attribute(H5Acreate2(object.id, name, file_type, space.id, H5P_DEFAULT, H5P_DEFAULT));
  return attribute.id >= 0 && H5Awrite(attribute.id, memory_type, data) >= 0;
}

bool WriteArray(hid_t file, const RecordArray& array) {
  if (array.texts.has_value()) return WriteTexts(file, array.path, *array.texts);
  const hsize_t extents[2] = {array.rows, array.width};
  const Hdf5Handle space(H5Screate_simple(array.width == 1 ? 1 : 2, extents, nullptr));
  const Hdf5Handle dataset(H5Dcreate2(file, array.path, array.integers ? H5T_STD_I32LE : H5T_IEEE_F32LE, space.id,
                                      H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  if (dataset.id < 0 || array.rows == 0) return dataset.id >= 0;
  const void* data = array.integers ? static_cast<const void*>(array.integers->data()) : array.reals.data();
  return H5Dwrite(dataset.id, array.integers ? H5T_NATIVE_INT32 : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                  data) >= 0;
}

bool MakeGroup(hid_t file, const char* name) {
  return Hdf5Handle(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)).id >= 0;
}

bool MakeCommitted(hid_t file) {
  const hsize_t extent = 2;
  const Hdf5Handle space(H5Screate_simple(1, &extent, nullptr)), creation(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_alloc_time(creation.id, H5D_ALLOC_TIME_EARLY);
  const std::int64_t zero[2] = {0, 0};
  const Hdf5Handle dataset(
      H5Dcreate2(file, kRecordCommitted, H5T_STD_I64LE, space.id, H5P_DEFAULT, creation.id, H5P_DEFAULT));
  return dataset.id >= 0 && H5Dwrite(dataset.id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, zero) >= 0;
}

}  // namespace

bool WriteRecordHeader(std::int64_t file, const RecordHeader& header) {
  bool ok = WriteAttribute(file, "/", "format", kRecordFormat) && WriteAttribute(file, "/", "solver", header.solver) &&
            WriteAttribute(file, "/", "program", header.version) &&
            WriteAttribute(file, "/", "version", H5T_STD_I32LE, H5T_NATIVE_INT32, &kRecordVersion) &&
            WriteAttribute(file, "/", "nq", H5T_STD_I32LE, H5T_NATIVE_INT, &header.nq) &&
            WriteAttribute(file, "/", "nv", H5T_STD_I32LE, H5T_NATIVE_INT, &header.nv) &&
            WriteAttribute(file, "/", "time_step", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &header.time_step);
  for (const char* group :
       {"/settings", "/names", "/step", "/contacts", "/links", "/shapes", "/meshes", "/deformables", "/rods"})
    ok = ok && MakeGroup(file, group);
  for (const auto& [name, value] : header.settings) ok = ok && WriteAttribute(file, "/settings", name, value);
  for (const RecordNames& names : kRecordNames) ok = ok && WriteTexts(file, names.path, header.*names.member);
  for (const RecordArray& array : FlattenGeometry(header)) ok = ok && WriteArray(file, array);
  ok = ok && WriteText(file, "/scene", header.scene) && MakeCommitted(file);
  return ok;
}

}  // namespace tactus
