# Compiler settings of all our own code. Nothing here reaches users of the library: what they need to agree on
# with it (Eigen's alignment, the language level) is on the target `tactus` in src/tactus/CMakeLists.txt.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  endif()
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
endif()

# ccache refuses precompiled headers unless told that their macros and time stamps are fine.
find_program(TACTUS_CCACHE ccache)
mark_as_advanced(TACTUS_CCACHE)
if(TACTUS_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${TACTUS_CCACHE})
endif()

# tactus_flags: linked privately by every target of ours.
add_library(tactus_flags INTERFACE)
target_compile_options(tactus_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wdouble-promotion
  -Wextra-semi
  # Eigen's packet types lose attributes when used as template arguments, which is meant.
  -Wno-ignored-attributes
  # One set of flags for library and programs, so that they share precompiled headers, and the static library may
  # also go into a shared one (a Python module).
  -fPIC -fno-semantic-interposition)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Flow-based warnings that GCC 12 raises falsely inside inlined Eigen and standard library code at -O3.
  target_compile_options(tactus_flags INTERFACE
    -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
    # ccache needs it to see through precompiled headers.
    -fpch-preprocess)
endif()
if(TACTUS_WERROR)
  target_compile_options(tactus_flags INTERFACE -Werror)
endif()

# Library assertions wherever ours are on (Debug and the sanitizer builds).
target_compile_definitions(tactus_flags INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)

# Instruction levels. Code is plain x86-64 and rounds each operation as written, so that results do not depend on
# what the compiler fuses; *_kernels.cc are built a second time for x86-64-v3 (AVX2, FMA), where it may fuse.
# -ffast-math is never used.
set(TACTUS_BASELINE_FLAGS -ffp-contract=off)
set(TACTUS_V3_FLAGS -march=x86-64-v3 -ffp-contract=fast)
set(TACTUS_MAIN_FLAGS ${TACTUS_BASELINE_FLAGS})
if(TACTUS_NATIVE)
  set(TACTUS_V3_FLAGS -march=native -ffp-contract=fast)
  list(APPEND TACTUS_MAIN_FLAGS -march=native)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(TACTUS_HAVE_V3_KERNELS 1)
else()
  set(TACTUS_HAVE_V3_KERNELS 0)
endif()

if(TACTUS_SANITIZE)
  set(TACTUS_SANITIZE_FLAGS -fsanitize=${TACTUS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(TACTUS_FUZZ)
    list(APPEND TACTUS_SANITIZE_FLAGS -fsanitize=fuzzer-no-link)
  endif()
  target_compile_options(tactus_flags INTERFACE ${TACTUS_SANITIZE_FLAGS})
  target_link_options(tactus_flags INTERFACE ${TACTUS_SANITIZE_FLAGS})
endif()
