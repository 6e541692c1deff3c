// What our two users of the HDF5 library share. Not for other headers: it pulls in hdf5.h.
#pragma once

#include <hdf5.h>

#include <mutex>

namespace tactus {

/// The library has global state: whoever uses it, or forks a child that will use it, holds this mutex meanwhile.
inline std::mutex& Hdf5Mutex() {
  static std::mutex mutex;
  return mutex;
}

/// Owns an identifier of the library, of any kind; negative means failure.
struct Hdf5Handle {
  explicit Hdf5Handle(hid_t handle) : id(handle) {}
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  ~Hdf5Handle() {
    if (id >= 0) H5Idec_ref(id);
  }
  const hid_t id;
};

}  // namespace tactus
