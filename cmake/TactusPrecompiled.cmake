# Two precompiled headers, shared by all targets: one for library and programs, one with GoogleTest for tests.
# They only save time: every file must still include what it uses, as the tidy and fuzz builds go without them.

file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/precompiled")
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/precompiled/empty.cc" CONTENT "")

set(_std_headers <algorithm> <array> <cmath> <cstddef> <cstdint> <functional> <limits> <memory> <optional> <span>
    <stdexcept> <string> <string_view> <utility> <vector>)
set(_eigen_headers <Eigen/Core> <Eigen/Dense> <Eigen/SparseCore>)

add_library(tactus_pch OBJECT "${PROJECT_BINARY_DIR}/precompiled/empty.cc")
tactus_set_up_target(tactus_pch)
target_precompile_headers(tactus_pch PRIVATE ${_std_headers} ${_eigen_headers})

if(TACTUS_BUILD_TESTS)
  add_library(tactus_test_pch OBJECT "${PROJECT_BINARY_DIR}/precompiled/empty.cc")
  tactus_set_up_target(tactus_test_pch)
  target_link_libraries(tactus_test_pch PRIVATE GTest::gmock)
  target_precompile_headers(tactus_test_pch PRIVATE ${_std_headers} ${_eigen_headers} <gtest/gtest.h> <gmock/gmock.h>)
endif()
