# Functions that turn a folder into targets. Sources are found by their names, so that adding a file edits no list:
#
#   x.cc            the library (or program) of the folder
#   x_kernels.cc    a vector unit, compiled once per instruction level; must include neither Eigen nor anything
#                   that leaves inline functions behind (see CONTRIBUTING.md)
#   x_test.cc       unit tests, one program a folder
#   x_long_test.cc  tests that take long: their own program, label "long", run by `make test-all` only
#   x_testing.cc    helpers of the tests, in both test programs of the folder

# What all targets that hold our code have in common.
function(tactus_set_up_target target)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:tactus_flags> PUBLIC Eigen3::Eigen Threads::Threads)
  target_compile_options(${target} PRIVATE ${TACTUS_MAIN_FLAGS})
  target_compile_features(${target} PUBLIC cxx_std_20)
  # Eigen takes its alignment from the instruction set it is compiled for; fix it, so that code compiled with other
  # flags (a user's -march=native) agrees on the layout of matrices and on who frees what.
  target_compile_definitions(${target}
    PUBLIC EIGEN_MAX_ALIGN_BYTES=32 EIGEN_MAX_STATIC_ALIGN_BYTES=32
    PRIVATE EIGEN_MPL2_ONLY TACTUS_HAVE_V3_KERNELS=${TACTUS_HAVE_V3_KERNELS})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

# The objects of one *_kernels.cc at one instruction level, in namespace `level`.
function(_tactus_add_kernels target level)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;FLAGS")
  add_library(${target} OBJECT ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE tactus_flags)
  target_compile_options(${target} PRIVATE ${arg_FLAGS})
  target_compile_definitions(${target} PRIVATE
    TACTUS_SIMD_LEVEL=${level} TACTUS_KERNEL_NS=${level} TACTUS_HAVE_V3_KERNELS=${TACTUS_HAVE_V3_KERNELS})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_BINARY_DIR}/generated")
endfunction()

# tactus_add_tests(<name> DIRECTORY <dir> LINKS <targets>...): <name>_test and <name>_long_test out of a folder.
function(tactus_add_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DIRECTORY" "LINKS")
  if(NOT TACTUS_BUILD_TESTS)
    return()
  endif()
  set(dir "${arg_DIRECTORY}")
  file(GLOB tests CONFIGURE_DEPENDS "${dir}/*_test.cc" "${dir}/*/*_test.cc")
  file(GLOB long_tests CONFIGURE_DEPENDS "${dir}/*_long_test.cc" "${dir}/*/*_long_test.cc")
  file(GLOB helpers CONFIGURE_DEPENDS "${dir}/*_testing.cc" "${dir}/*/*_testing.cc")
  if(long_tests)
    list(REMOVE_ITEM tests ${long_tests})
  endif()
  if(tests)
    _tactus_add_test_program(${name}_test "" SOURCES ${tests} ${helpers} LINKS ${arg_LINKS})
  endif()
  if(long_tests)
    _tactus_add_test_program(${name}_long_test long SOURCES ${long_tests} ${helpers} LINKS ${arg_LINKS})
  endif()
endfunction()

function(_tactus_add_test_program target label)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;LINKS")
  add_executable(${target} ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test-bin")
  tactus_set_up_target(${target})
  target_link_libraries(${target} PRIVATE
    ${arg_LINKS} fmt::fmt nlohmann_json::nlohmann_json GTest::gmock GTest::gtest_main)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${target} PRIVATE TACTUS_PROJECT_DIR="${PROJECT_SOURCE_DIR}")
  target_precompile_headers(${target} REUSE_FROM tactus_test_pch)
  set(timeout ${TACTUS_TEST_TIMEOUT})
  if(label STREQUAL "long")
    set(timeout 7200)
    set(properties PROPERTIES LABELS long TIMEOUT ${timeout})
  else()
    set(properties PROPERTIES TIMEOUT ${timeout})
  endif()
  gtest_discover_tests(${target} TEST_PREFIX "${target}/" DISCOVERY_TIMEOUT 120
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" ${properties})
endfunction()

# tactus_add_module(<name> [DIRECTORY <dir>] [LINKS <modules>...] [PRIVATE_LINKS <targets>...] [TEST_LINKS <modules>...])
# The folder as library tactus_<name>, and its tests as <name>_test. LINKS are the modules it stands on. A folder
# without sources yet (or with headers only) is an INTERFACE library.
function(tactus_add_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DIRECTORY" "LINKS;PRIVATE_LINKS;TEST_LINKS")
  set(dir "${CMAKE_CURRENT_SOURCE_DIR}")
  if(arg_DIRECTORY)
    set(dir "${arg_DIRECTORY}")
  endif()
  list(TRANSFORM arg_LINKS PREPEND tactus_)
  list(TRANSFORM arg_TEST_LINKS PREPEND tactus_)

  file(GLOB sources CONFIGURE_DEPENDS "${dir}/*.cc" "${dir}/*/*.cc")
  list(FILTER sources EXCLUDE REGEX "_(test|testing)\\.cc$")
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  set(kernels ${sources})
  list(FILTER kernels INCLUDE REGEX "_kernels\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_kernels\\.cc$")
  foreach(source IN LISTS sources)
    if(source MATCHES "_(avx|avx2|sse|fma)\\.cc$")
      message(FATAL_ERROR "${source}: name vector units *_kernels.cc, see CONTRIBUTING.md")
    endif()
  endforeach()

  set(target tactus_${name})
  if(NOT sources AND NOT kernels)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE Eigen3::Eigen Threads::Threads ${arg_LINKS})
    target_include_directories(${target} INTERFACE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_BINARY_DIR}/generated")
  else()
    add_library(${target} STATIC ${sources})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
    tactus_set_up_target(${target})
    target_link_libraries(${target} PUBLIC ${arg_LINKS} PRIVATE
      ${arg_PRIVATE_LINKS} fmt::fmt nlohmann_json::nlohmann_json)
    if(sources)
      target_precompile_headers(${target} REUSE_FROM tactus_pch)
      set_property(GLOBAL APPEND PROPERTY TACTUS_OBJECTS $<TARGET_OBJECTS:${target}>)
    endif()
    if(kernels)
      _tactus_add_kernels(${target}_kernels_baseline baseline SOURCES ${kernels} FLAGS ${TACTUS_BASELINE_FLAGS})
      set(objects $<TARGET_OBJECTS:${target}_kernels_baseline>)
      if(TACTUS_HAVE_V3_KERNELS)
        _tactus_add_kernels(${target}_kernels_v3 v3 SOURCES ${kernels} FLAGS ${TACTUS_V3_FLAGS})
        list(APPEND objects $<TARGET_OBJECTS:${target}_kernels_v3>)
        _tactus_check_kernel_symbols(${target}_kernels_v3)
      endif()
      target_sources(${target} PRIVATE ${objects})
      set_property(GLOBAL APPEND PROPERTY TACTUS_OBJECTS ${objects})
    endif()
  endif()

  tactus_add_tests(${name} DIRECTORY "${dir}" LINKS ${target} ${arg_TEST_LINKS})
endfunction()

# A test that v3 objects define no symbol that other objects may share: the linker would be free to use the AVX2
# version of an inline function everywhere, and the program would die on older processors. Unoptimized and
# instrumented objects are full of such symbols, so only release builds are checked.
function(_tactus_check_kernel_symbols target)
  if(TACTUS_BUILD_TESTS AND CMAKE_NM AND CMAKE_BUILD_TYPE MATCHES "^Rel" AND NOT TACTUS_SANITIZE)
    add_test(NAME kernel_symbols/${target} COMMAND "${CMAKE_COMMAND}" "-DNM=${CMAKE_NM}"
      "-DOBJECTS=$<TARGET_OBJECTS:${target}>" -P "${PROJECT_SOURCE_DIR}/cmake/check_kernel_symbols.cmake")
  endif()
endfunction()

# tactus_add_program(<target> <source> [OUTPUT_NAME <name>] [OUTPUT_DIRECTORY <dir>] [LINKS <targets>...])
function(tactus_add_program target source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "OUTPUT_NAME;OUTPUT_DIRECTORY" "LINKS")
  add_executable(${target} ${source})
  if(arg_OUTPUT_NAME)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${arg_OUTPUT_NAME})
  endif()
  if(arg_OUTPUT_DIRECTORY)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${arg_OUTPUT_DIRECTORY}")
  endif()
  tactus_set_up_target(${target})
  target_link_libraries(${target} PRIVATE tactus::tactus ${arg_LINKS} fmt::fmt nlohmann_json::nlohmann_json)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_precompile_headers(${target} REUSE_FROM tactus_pch)
endfunction()
