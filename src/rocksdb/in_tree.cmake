# Winnow in RocksDB's own tree, as plugin/winnow: included by our CMakeLists.txt in the place of all else,
# it hands our sources to RocksDB's CMakeLists.txt. See docs/in-tree.md, and winnow.mk, which does the same for
# RocksDB's Makefile and names the function that registers the policy.
#
# RocksDB compiles the sources itself, into its static library and into its shared one. Objects or a
# library of our own in winnow_LIBS would be a target that RocksDB's installed package does not have and
# that those who link its static library would miss.

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
file(GLOB rocksdb_sources CONFIGURE_DEPENDS src/rocksdb/*.cc src/rocksdb/*/*.cc)
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
# Ours in the place of RocksDB's functions for filter policies, whose names are others then: see docs/in-tree.md. The
# environment counts when the build folder is made.
set(WINNOW_STAND_IN "$ENV{WINNOW_STAND_IN}" CACHE BOOL "Winnow stands in for RocksDB's filter policies, as WINNOW_POLICY says")
if(WINNOW_STAND_IN)
  list(FILTER rocksdb_sources EXCLUDE REGEX "/src/rocksdb/in_tree[.]cc$")
  set(stand_in_sources interposed_policy new_policies request stock_policy stoppable_reader stand_in/stand_in
                       stand_in/stock_calls)
  list(TRANSFORM stand_in_sources REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/src/preload/\\1.cc")
  list(APPEND rocksdb_sources ${stand_in_sources})
endif()

# The properties are those of the folder whose targets have the sources. Our include folders and flags
# are for our files only, and behind RocksDB's own.
get_directory_property(rocksdb_folder PARENT_DIRECTORY)
function(compile_with property values)
  set_property(SOURCE ${ARGN} DIRECTORY ${rocksdb_folder} APPEND PROPERTY ${property} "${values}")
endfunction()
set(sources ${base_sources} ${core_sources} ${simd_sources} ${rocksdb_sources})
compile_with(COMPILE_DEFINITIONS "${definitions}" ${sources})
compile_with(COMPILE_OPTIONS "-I${CMAKE_CURRENT_SOURCE_DIR}/include;-I${CMAKE_CURRENT_SOURCE_DIR}" ${sources})
# By its path: RocksDB's own folders come first, and LZ4's, which is there in Kvrocks, has an old one.
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
# RocksDB declares functions that override nothing in its older versions, so that they can't be marked.
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
