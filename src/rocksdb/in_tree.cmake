# Build of Winnow in RocksDB's own tree, as plugin/winnow. CMakeLists.txt includes this file instead of all other
# targets; this file passes Winnow's sources to RocksDB's CMakeLists.txt. See docs/in-tree.md, and winnow.mk for
# RocksDB's Makefile, which names the function that registers the policy.
#
# RocksDB compiles the sources itself, into its static and its shared library. Objects or a library in winnow_LIBS
# would be a target that RocksDB's installed package lacks, so that users of its static library could not link.

if(NOT CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  message(FATAL_ERROR "Winnow is compiled by g++ or clang++, not by ${CMAKE_CXX_COMPILER_ID}.")
endif()
find_path(XXHASH_INCLUDE_DIR xxhash.h)
if(NOT XXHASH_INCLUDE_DIR)
  message(FATAL_ERROR "Winnow needs the header xxhash.h of xxHash 0.8.0 or later (on Debian and Ubuntu: apt-get install "
                      "libxxhash-dev); where it is in no folder of the system, say -DXXHASH_INCLUDE_DIR=FOLDER.")
endif()

file(GLOB base_sources CONFIGURE_DEPENDS src/base/*.cc)
file(GLOB core_sources CONFIGURE_DEPENDS src/core/*.cc src/core/*/*.cc)
file(GLOB rocksdb_sources CONFIGURE_DEPENDS src/family/*.cc src/rocksdb/*.cc src/rocksdb/*/*.cc)
list(FILTER rocksdb_sources EXCLUDE REGEX "/(registration|register_at_load)[.]cc$")
include(src/simd/flags.cmake)
set(simd_sources cpu kernels portable)
set(definitions WINNOW_IN_TREE=1 WINNOW_EXPORT= XXH_INLINE_ALL)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  list(APPEND simd_sources ${winnow_kernels_x86})
  list(APPEND definitions WINNOW_X86=1)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  list(APPEND simd_sources ${winnow_kernels_arm64})
  list(APPEND definitions WINNOW_ARM64=1)
endif()
list(TRANSFORM simd_sources REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/src/simd/\\1.cc")
# Replaces RocksDB's functions for filter policies, which are renamed: see docs/in-tree.md. The environment variable is
# read when the build folder is configured.
set(WINNOW_STAND_IN "$ENV{WINNOW_STAND_IN}" CACHE BOOL "Winnow stands in for RocksDB's filter policies, as WINNOW_POLICY says")
if(WINNOW_STAND_IN)
  list(FILTER rocksdb_sources EXCLUDE REGEX "/src/rocksdb/in_tree[.]cc$")
  set(stand_in_sources interposed_policy new_policies request stock_policy stand_in/stand_in
                       stand_in/stock_calls)
  list(TRANSFORM stand_in_sources REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/src/preload/\\1.cc")
  list(APPEND rocksdb_sources ${stand_in_sources})
endif()

# Source properties are set in the directory whose targets have the sources. Include folders and flags apply to
# Winnow's files only; the include folders follow RocksDB's own.
get_directory_property(rocksdb_folder PARENT_DIRECTORY)
function(compile_with property values)
  set_property(SOURCE ${ARGN} DIRECTORY ${rocksdb_folder} APPEND PROPERTY ${property} "${values}")
endfunction()
set(sources ${base_sources} ${core_sources} ${simd_sources} ${rocksdb_sources})
compile_with(COMPILE_DEFINITIONS "${definitions}" ${sources})
compile_with(COMPILE_OPTIONS "-I${CMAKE_CURRENT_SOURCE_DIR}/include;-I${CMAKE_CURRENT_SOURCE_DIR}" ${sources})
# Full path of xxhash.h: RocksDB's include folders come first, and Kvrocks has LZ4's old copy of the header in one of
# them.
compile_with(COMPILE_OPTIONS "-include;${XXHASH_INCLUDE_DIR}/xxhash.h" ${sources})
compile_with(COMPILE_OPTIONS "-fvisibility=hidden" ${sources})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # see CMakeLists.txt
  compile_with(COMPILE_OPTIONS "-Wno-uninitialized;-Wno-maybe-uninitialized" ${sources})
endif()
if(WINNOW_STAND_IN)
  compile_with(COMPILE_OPTIONS "-include;${CMAKE_CURRENT_SOURCE_DIR}/src/preload/stand_in/stock_names.h"
               ${rocksdb_folder}/table/block_based/filter_policy.cc ${CMAKE_CURRENT_SOURCE_DIR}/src/preload/stand_in/stock_calls.cc)
endif()
compile_with(COMPILE_OPTIONS "-include;${CMAKE_CURRENT_SOURCE_DIR}/src/rocksdb/in_tree.h" ${rocksdb_sources})
# Older versions of RocksDB declare fewer virtual functions, so some overriding functions can't be marked `override`.
compile_with(COMPILE_OPTIONS "-Wno-inconsistent-missing-override" ${rocksdb_sources})
foreach(kernel IN LISTS winnow_kernels_x86)
  string(REGEX MATCH "avx2|gfni|avx512" set ${kernel})
  compile_with(COMPILE_OPTIONS "${winnow_flags_${set}}" ${CMAKE_CURRENT_SOURCE_DIR}/src/simd/${kernel}.cc)
endforeach()

set(winnow_SOURCES "")
foreach(source ${sources})
  file(RELATIVE_PATH path ${CMAKE_CURRENT_SOURCE_DIR} ${source})
  list(APPEND winnow_SOURCES ${path})
endforeach()
set(winnow_SOURCES ${winnow_SOURCES} PARENT_SCOPE)
