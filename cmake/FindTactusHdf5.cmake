# The HDF5 C library as target tactus::hdf5. CMake's own FindHDF5 wants the C language enabled in the calling
# project and links what h5cc lists (curl, crypto, ...); a C++ project that uses tactus needs neither.
find_path(TACTUS_HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(TACTUS_HDF5_LIBRARY NAMES hdf5 hdf5_serial PATH_SUFFIXES hdf5/serial)
mark_as_advanced(TACTUS_HDF5_INCLUDE_DIR TACTUS_HDF5_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TactusHdf5 REQUIRED_VARS TACTUS_HDF5_LIBRARY TACTUS_HDF5_INCLUDE_DIR)

if(TactusHdf5_FOUND AND NOT TARGET tactus::hdf5)
  add_library(tactus::hdf5 UNKNOWN IMPORTED)
  set_target_properties(tactus::hdf5 PROPERTIES
    IMPORTED_LOCATION "${TACTUS_HDF5_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${TACTUS_HDF5_INCLUDE_DIR}")
endif()
