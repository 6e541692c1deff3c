// The sending half of ReadHdf5Tree: everything here that touches the HDF5 library runs in a child process.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "tactus/contact/hdf5_handle.h"
#include "tactus/contact/hdf5_tree.h"
#include "tactus/core/child_process.h"
#include "tactus/core/error.h"

namespace tactus {

namespace {

constexpr int kMaxDepth = 12;
constexpr std::size_t kMaxNameLength = 1024;

// Thrown inside the child; becomes an error record.
struct ReadFailure {
  std::string path, what, expected;
};

std::string ClassName(H5T_class_t type_class) {
  switch (type_class) {
    case H5T_COMPOUND: return "compounds";
    case H5T_ENUM: return "an enumeration";
    case H5T_REFERENCE: return "references";
    case H5T_VLEN: return "arrays of variable length";
    case H5T_ARRAY: return "arrays of arrays";
    case H5T_OPAQUE: return "opaque bytes";
    case H5T_BITFIELD: return "bit fields";
    default: return "an unknown type";
  }
}

// Walks a file and sends every array it meets.
class Dumper {
 public:
  Dumper(const ChildWriter& writer, const Hdf5ReadSettings& settings, std::size_t file_size)
      : writer_(writer), settings_(settings), objects_left_(settings.max_objects) {
    // Deflate compresses by at most 1032 : 1, so a small file that claims to hold more is corrupt (or hostile).
    budget_ = std::min(settings.max_bytes, 1100 * file_size + 65536);
  }

  void Run(const std::string& path) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    H5PLset_loading_state(0);  // no filters from plugin folders
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_file_locking(access, false, true);
    hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
    // A recording that is being written, or whose writer was killed, opens in this way only. The library then waits
    // twice as long after each failure to read something; more than 20 times is no longer waiting for a writer.
    H5Pset_metadata_read_attempts(access, 20);
    if (file < 0) file = H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
    if (file < 0) throw ReadFailure{"", "the HDF5 library cannot open it", "a readable HDF5 file"};
    const hid_t root = H5Gopen2(file, "/", H5P_DEFAULT);
    if (root < 0) throw ReadFailure{"/", "cannot be opened", "a readable group"};
    Attributes(root, "/");
    Group(root, "", 0);
  }

 private:
  void CountObject(const std::string& path) {
    if (--objects_left_ < 0) {
      throw ReadFailure{path, "there are too many objects",
                        "at most " + std::to_string(settings_.max_objects) + " groups, datasets and attributes"};
    }
  }

  void Group(hid_t group, const std::string& path, int depth) {
    if (depth > kMaxDepth) throw ReadFailure{path, "is nested too deeply", "at most 12 levels of groups"};
    H5G_info_t info;
    if (H5Gget_info(group, &info) < 0) throw ReadFailure{path + "/", "cannot be listed", "a readable group"};
    for (hsize_t k = 0; k < info.nlinks; ++k) {
      CountObject(path + "/");
      char name[kMaxNameLength];
      const ssize_t length =
          H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, k, name, sizeof(name), H5P_DEFAULT);
      if (length <= 0 || length >= static_cast<ssize_t>(sizeof(name))) {
        throw ReadFailure{path + "/", "member " + std::to_string(k) + " has no readable name", "a readable group"};
      }
      if (depth == 0 && !Wanted(name)) continue;
      H5L_info_t link;
      if (H5Lget_info(group, name, &link, H5P_DEFAULT) < 0) {
        throw ReadFailure{path + "/" + name, "cannot be looked up", "a readable link"};
      }
      if (link.type != H5L_TYPE_HARD) continue;  // soft links would be read twice, external ones leave the file
      Member(group, name, path + "/" + name, depth);
    }
  }

  bool Wanted(const std::string& name) const {
    return settings_.groups.empty() ||
           std::find(settings_.groups.begin(), settings_.groups.end(), name) != settings_.groups.end();
  }

  void Member(hid_t group, const char* name, const std::string& path, int depth) {
    const Hdf5Handle object(H5Oopen(group, name, H5P_DEFAULT));
    if (object.id < 0) throw ReadFailure{path, "cannot be opened", "a readable dataset or group"};
    const H5I_type_t kind = H5Iget_type(object.id);
    if (kind != H5I_GROUP && kind != H5I_DATASET) return;  // named types
    Attributes(object.id, path);
    if (kind == H5I_GROUP) {
      Group(object.id, path, depth + 1);
    } else {
      Dataset(object.id, path);
    }
  }

  void Attributes(hid_t object, const std::string& path) {
    H5O_info_t info;
    if (H5Oget_info2(object, &info, H5O_INFO_NUM_ATTRS) < 0) {
      throw ReadFailure{path, "its attributes cannot be counted", "a readable object"};
    }
    for (hsize_t k = 0; k < info.num_attrs; ++k) {
      CountObject(path);
      const Hdf5Handle attribute(H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, k, H5P_DEFAULT, H5P_DEFAULT));
      char name[kMaxNameLength];
      if (attribute.id < 0 || H5Aget_name(attribute.id, sizeof(name), name) <= 0) {
        throw ReadFailure{path, "attribute " + std::to_string(k) + " cannot be opened", "a readable attribute"};
      }
      name[kMaxNameLength - 1] = 0;
      const std::string where = path + "@" + name;
      const Hdf5Handle type(H5Aget_type(attribute.id)), space(H5Aget_space(attribute.id));
      Send(where, type.id, space.id,
           [&](hid_t memory_type, void* data) { return H5Aread(attribute.id, memory_type, data); });
    }
  }

  void Dataset(hid_t dataset, const std::string& path) {
    const Hdf5Handle creation(H5Dget_create_plist(dataset));
    if (creation.id < 0) throw ReadFailure{path, "its layout cannot be read", "a readable dataset"};
    const H5D_layout_t layout = H5Pget_layout(creation.id);
    if (layout == H5D_VIRTUAL || (layout == H5D_CONTIGUOUS && H5Pget_external_count(creation.id) != 0)) {
      throw ReadFailure{path, "its data lie in other files", "data inside the file"};
    }
    const Hdf5Handle type(H5Dget_type(dataset)), space(H5Dget_space(dataset));
    Send(path, type.id, space.id, [&](hid_t memory_type, void* data) {
      return H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    });
  }

  // Shape and number of elements, refused before anything is allocated where they cannot be true.
  std::size_t Shape(hid_t space, std::size_t element_size, const std::string& path, Hdf5Array* array) {
    const H5S_class_t space_class = H5Sget_simple_extent_type(space);
    if (space_class == H5S_NULL) {
      array->shape = {0};
      return 0;
    }
    const int rank = H5Sget_simple_extent_ndims(space);
    if (space_class == H5S_NO_CLASS || rank < 0 || rank > H5S_MAX_RANK) {
      throw ReadFailure{path, "its shape cannot be read", "a readable dataset"};
    }
    hsize_t extents[H5S_MAX_RANK];
    if (rank > 0 && H5Sget_simple_extent_dims(space, extents, nullptr) != rank) {
      throw ReadFailure{path, "its shape cannot be read", "a readable dataset"};
    }
    array->shape.assign(extents, extents + rank);
    std::size_t count = 1;
    for (const std::uint64_t extent : array->shape) {
      if (extent != 0 && count > budget_ / extent)
        count = budget_ + 1;
      else
        count *= extent;
    }
    const std::size_t width = std::max<std::size_t>(element_size, 8);
    if (count > budget_ / width) {
      throw ReadFailure{path, "claims to hold more than the file can", "at most " + std::to_string(budget_) + " bytes"};
    }
    budget_ -= count * width;
    return count;
  }

  template <typename Read>
  void Send(const std::string& path, hid_t type, hid_t space, const Read& read) {
    const H5T_class_t type_class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    const std::size_t element_size = type < 0 ? 0 : H5Tget_size(type);
    if (type_class == H5T_NO_CLASS || space < 0 || element_size == 0) {
      throw ReadFailure{path, "its type cannot be read", "a readable dataset"};
    }
    Hdf5Array array;
    herr_t status = 0;
    if (type_class == H5T_INTEGER) {
      array.type = Hdf5Array::Type::Integer;
      array.integers.resize(Shape(space, element_size, path, &array));
      if (!array.integers.empty()) status = read(H5T_NATIVE_INT64, array.integers.data());
    } else if (type_class == H5T_FLOAT && element_size <= 8) {
      array.type = Hdf5Array::Type::Real;
      array.reals.resize(Shape(space, element_size, path, &array));
      if (!array.reals.empty()) status = read(H5T_NATIVE_DOUBLE, array.reals.data());
    } else if (type_class == H5T_STRING) {
      array.type = Hdf5Array::Type::Text;
      const std::size_t count = Shape(space, element_size, path, &array);
      if (count > 0) status = ReadTexts(type, element_size, count, path, read, &array);
    } else {
      array.type = Hdf5Array::Type::Unsupported;
      array.texts.push_back(ClassName(type_class));
    }
    if (status < 0) throw ReadFailure{path, "cannot be read", "sound data"};
    std::vector<std::uint8_t> message;
    AppendHdf5Array(path, array, &message);
    if (!writer_(message.data(), message.size())) _exit(1);  // nobody listens any more
  }

  template <typename Read>
  herr_t ReadTexts(hid_t type, std::size_t width, std::size_t count, const std::string& path, const Read& read,
                   Hdf5Array* array) {
    const Hdf5Handle memory_type(H5Tcopy(type));
    if (H5Tis_variable_str(type) > 0) {
      std::vector<char*> pointers(count, nullptr);
      if (read(memory_type.id, pointers.data()) < 0) return -1;
      for (const char* text : pointers) {
        const std::size_t length = text == nullptr ? 0 : strnlen(text, budget_ + 1);
        if (length > budget_) throw ReadFailure{path, "claims to hold more than the file can", "a shorter text"};
        budget_ -= length;
        array->texts.emplace_back(text == nullptr ? "" : text, length);
      }
      return 0;
    }
    std::vector<char> bytes(width * count);
    if (read(memory_type.id, bytes.data()) < 0) return -1;
    for (std::size_t k = 0; k < count; ++k) {
      std::string text(bytes.data() + k * width, width);
      // Padded by NUL or, in files of Fortran programs, by spaces; text after a NUL was never meant.
      text.resize(std::min(text.size(), text.find('\0')));
      if (H5Tget_strpad(type) == H5T_STR_SPACEPAD) text.erase(text.find_last_not_of(' ') + 1);
      array->texts.push_back(std::move(text));
    }
    return 0;
  }

  const ChildWriter& writer_;
  const Hdf5ReadSettings& settings_;
  int objects_left_;
  std::size_t budget_ = 0;
};

void DumpInChild(const std::string& path, const Hdf5ReadSettings& settings, std::size_t file_size,
                 const ChildWriter& writer) {
  std::vector<std::uint8_t> end;
  try {
    Dumper(writer, settings, file_size).Run(path);
    AppendHdf5End(&end);
  } catch (const ReadFailure& failure) {
    AppendHdf5Error(failure.path, failure.what, failure.expected, &end);
  } catch (const std::bad_alloc&) {
    AppendHdf5Error("", "reading it needs more memory than is sensible for its size", "a smaller or a sound file",
                    &end);
  }
  writer(end.data(), end.size());
}

// The signature may lie at 0, 512, 1024, 2048, ...: before it there may be a user block.
bool HasSignature(int fd, std::size_t size) {
  static constexpr unsigned char kSignature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  for (std::size_t offset = 0; offset + sizeof(kSignature) <= size; offset = offset == 0 ? 512 : 2 * offset) {
    unsigned char bytes[sizeof(kSignature)];
    if (pread(fd, bytes, sizeof(bytes), static_cast<off_t>(offset)) != static_cast<ssize_t>(sizeof(bytes)))
      return false;
    if (std::memcmp(bytes, kSignature, sizeof(bytes)) == 0) return true;
  }
  return false;
}

// Size of a file that may be given to the library at all.
std::size_t CheckFile(const std::string& path) {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) throw InputError(path, std::string("cannot be opened: ") + std::strerror(errno), "a readable HDF5 file");
  struct stat info {};
  const bool known = fstat(fd, &info) == 0;
  const bool regular = known && S_ISREG(info.st_mode);
  const std::size_t size = regular ? static_cast<std::size_t>(info.st_size) : 0;
  const bool sound = regular && HasSignature(fd, size);
  close(fd);
  Require(!known || !S_ISDIR(info.st_mode), path, "is a directory", "an HDF5 file");
  Require(regular, path, "is not a regular file", "an HDF5 file");
  Require(size > 0, path, "is empty", "an HDF5 file");
  Require(sound, path, "is not an HDF5 file", "the HDF5 signature at its beginning");
  return size;
}

}  // namespace

Hdf5Tree ReadHdf5Tree(const std::string& path, const Hdf5ReadSettings& settings) {
  const std::size_t size = CheckFile(path);
  ChildLimits limits;
  limits.seconds = settings.seconds + static_cast<double>(size) * 1e-7;
  limits.memory = std::max(std::size_t{2} << 30, 64 * size);
  limits.output = settings.max_bytes + (std::size_t{64} << 20);
  const ChildOutcome outcome =
      RunInChild(limits, &Hdf5Mutex(), [&](const ChildWriter& writer) { DumpInChild(path, settings, size, writer); });
  if (!outcome.ok) {
    throw InputError(path, "the HDF5 library " + outcome.failure + " while reading it", "a readable HDF5 file");
  }
  return ParseHdf5Message(outcome.output, path);
}

}  // namespace tactus
