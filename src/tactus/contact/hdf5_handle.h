// What our two users of the HDF5 library share. Not for other headers: it pulls in hdf5.h.
#pragma once

#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <mutex>
#include <string>

namespace tactus {

/// The library has global state: whoever uses it, or forks a child that will use it, holds this mutex meanwhile.
inline std::mutex& Hdf5Mutex() {
  static std::mutex mutex;
  return mutex;
}

// Once a write has failed, as on a full disk, HDF5 1.10 fails to close what it had open and then crashes at the end of
// the program. So files are made in memory where they can be, and let go before that where they cannot.

/// A new file that the library keeps in memory; negative if it cannot.
inline hid_t CreateInMemory(hid_t creation, hid_t access) {
  if (H5Pset_fapl_core(access, std::size_t{1} << 20, false) < 0) return -1;
  // The library first looks whether there is a file of this name: there is none in what is no folder.
  return H5Fcreate("/dev/null/memory", H5F_ACC_EXCL, creation, access);
}

/// The bytes of an open file; false if the library cannot tell.
inline bool GetFileImage(hid_t file, std::string* out) {
  if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) return false;
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  if (size <= 0) return false;
  out->resize(static_cast<std::size_t>(size));
  return H5Fget_file_image(file, out->data(), out->size()) == size;
}

/// Lets go of a file on disk that can no longer be written: it stays as it is, and what the library still means to
/// write when it closes the file goes nowhere. `errno` stays that of the write that failed.
inline void AbandonFile(hid_t file) {
  const int reason = errno;
  void* handle = nullptr;
  if (file < 0 || H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0 || handle == nullptr) return;
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere >= 0) {
    dup2(nowhere, *static_cast<const int*>(handle));
    close(nowhere);
  }
  errno = reason;
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
