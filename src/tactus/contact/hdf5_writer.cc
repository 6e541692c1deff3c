#include "tactus/contact/hdf5_writer.h"

#include <algorithm>
#include <utility>

#include "tactus/contact/hdf5_handle.h"
#include "tactus/core/error.h"

namespace tactus {

namespace {

// Keeps the library from printing its own error stack.
class QuietErrors {
 public:
  QuietErrors() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
  ~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

hid_t TextType(std::size_t length) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, std::max<std::size_t>(length, 1));
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

std::string Padded(const std::string& text, std::size_t length) {
  std::string padded = text;
  padded.resize(std::max<std::size_t>(length, 1), '\0');
  return padded;
}

}  // namespace

Hdf5Writer::Hdf5Writer(const std::string& path) : path_(path), out_(path), lock_(Hdf5Mutex()) {
  const QuietErrors quiet;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
  file_ = CreateInMemory(H5P_DEFAULT, access.id);
  if (file_ < 0) Fail("the HDF5 library cannot create it");
}

Hdf5Writer::~Hdf5Writer() { Close(); }

void Hdf5Writer::Fail(const std::string& what) const {
  throw InputError(path_, "cannot be written: " + what, "enough memory");
}

void Hdf5Writer::Close() {
  const QuietErrors quiet;
  if (file_ >= 0) H5Fclose(std::exchange(file_, -1));
}

void Hdf5Writer::Dataset(const std::string& path, std::int64_t file_type, std::int64_t memory_type, const void* data,
                         const std::vector<std::uint64_t>& shape, bool scalar) {
  const QuietErrors quiet;
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  const Hdf5Handle space(scalar ? H5Screate(H5S_SCALAR)
                                : H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr));
  const Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE)), creation(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_create_intermediate_group(links.id, 1);
  H5Pset_obj_track_times(creation.id, false);  // else equal arrays would give different bytes
  const Hdf5Handle dataset(H5Dcreate2(file_, path.c_str(), file_type, space.id, links.id, creation.id, H5P_DEFAULT));
  const bool empty = std::any_of(shape.begin(), shape.end(), [](std::uint64_t extent) { return extent == 0; });
  if (dataset.id < 0 || (!empty && H5Dwrite(dataset.id, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)) {
    Fail("the HDF5 library cannot write " + path);
  }
}

void Hdf5Writer::Reals(const std::string& path, std::span<const double> values, std::vector<std::uint64_t> shape) {
  if (shape.empty()) shape = {values.size()};
  Dataset(path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data(), shape, false);
}

void Hdf5Writer::Integers(const std::string& path, std::span<const int> values, std::vector<std::uint64_t> shape) {
  if (shape.empty()) shape = {values.size()};
  Dataset(path, H5T_STD_I32LE, H5T_NATIVE_INT, values.data(), shape, false);
}

void Hdf5Writer::Text(const std::string& path, const std::string& text) {
  const Hdf5Handle type(TextType(text.size()));
  Dataset(path, type.id, type.id, Padded(text, text.size()).data(), {}, true);
}

void Hdf5Writer::Texts(const std::string& path, const std::vector<std::string>& texts) {
  std::size_t length = 1;
  for (const std::string& text : texts) length = std::max(length, text.size());
  std::string all;
  for (const std::string& text : texts) all += Padded(text, length);
  const Hdf5Handle type(TextType(length));
  Dataset(path, type.id, type.id, all.data(), {texts.size()}, false);
}

void Hdf5Writer::Attribute(const std::string& group, const std::string& name, std::int64_t type, const void* data) {
  const QuietErrors quiet;
  const Hdf5Handle object(H5Oopen(file_, group.c_str(), H5P_DEFAULT)), space(H5Screate(H5S_SCALAR));
  const Hdf5Handle attribute(H5Acreate2(object.id, name.c_str(), type, space.id, H5P_DEFAULT, H5P_DEFAULT));
  if (attribute.id < 0 || H5Awrite(attribute.id, type, data) < 0) {
    Fail("the HDF5 library cannot write " + group + "@" + name);
  }
}

void Hdf5Writer::IntegerAttribute(const std::string& group, const std::string& name, int value) {
  Attribute(group, name, H5T_NATIVE_INT, &value);
}

void Hdf5Writer::TextAttribute(const std::string& group, const std::string& name, const std::string& text) {
  const Hdf5Handle type(TextType(text.size()));
  Attribute(group, name, type.id, Padded(text, text.size()).data());
}

void Hdf5Writer::Commit() {
  std::string image;
  {
    const QuietErrors quiet;
    if (!GetFileImage(file_, &image)) Fail("the HDF5 library cannot finish it");
  }
  Close();
  out_.Write(image);
  out_.Commit();
}

}  // namespace tactus
