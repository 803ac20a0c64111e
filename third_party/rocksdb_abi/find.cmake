# Finds the RocksDB to build with, reports it, and refuses unsupported ones. Defines the target winnow_librocksdb
# (headers, library, and the C++ standard that the headers need) and
#   winnow_rocksdb_version     MAJOR.MINOR.PATCH of the headers, equal to that of the library
#   winnow_rocksdb_is_static   true if the library is an archive
#   winnow_rocksdb_has_rtti    true if its classes have type information
#   winnow_rocksdb_soname      name by which programs load it (DT_SONAME); empty for an archive
#   winnow_rocksdb_class_flags flags for files that derive from its classes
#   winnow_derive_from_rocksdb(SOURCE…)  sets these flags for single files
#   winnow_rocksdb_unreplaced  functions that the interposer can't replace in calls within this library

set(WINNOW_ROCKSDB_ROOT "" CACHE PATH
    "Prefix of the RocksDB to build with, or a checkout that was built with make; empty: the system's")
set(WINNOW_ROCKSDB_LIBRARIES "" CACHE STRING
    "What a static RocksDB without a CMake package or rocksdb.pc needs besides, as z;lz4")
option(WINNOW_ROCKSDB_STATIC "Take RocksDB's static library where both are there" OFF)
option(WINNOW_ALLOW_NEWER "Try a RocksDB that is newer than all that Winnow was tested with" OFF)

function(winnow_refuse_rocksdb)
  # Appends one by one, as ARGN would split arguments with semicolons.
  set(sentence "RocksDB:")
  math(EXPR last "${ARGC} - 1")
  foreach(i RANGE ${last})
    string(APPEND sentence " ${ARGV${i}}")
  endforeach()
  message(FATAL_ERROR "${sentence}")
endfunction()

# Cached results for other values of the options above are dropped, as CMake would not search again.
set(asked "${WINNOW_ROCKSDB_ROOT};${WINNOW_ROCKSDB_STATIC};${RocksDB_DIR}")
if(NOT "${asked}" STREQUAL "${WINNOW_ROCKSDB_ASKED}")
  if(DEFINED WINNOW_ROCKSDB_ASKED)
    unset(ROCKSDB_INCLUDE_DIR CACHE)
    unset(ROCKSDB_LIBRARY CACHE)
  endif()
  unset(winnow_rocksdb_probed CACHE)
  set(WINNOW_ROCKSDB_ASKED "${asked}" CACHE INTERNAL "")
endif()

# ---- Headers and library
if(WINNOW_ROCKSDB_HEADERS)
  # Headers suffice for the plugin that is bound at run time.
  set(ROCKSDB_INCLUDE_DIR "${WINNOW_ROCKSDB_HEADERS}")
  if(NOT EXISTS "${ROCKSDB_INCLUDE_DIR}/rocksdb/version.h")
    winnow_refuse_rocksdb("WINNOW_ROCKSDB_HEADERS is ${WINNOW_ROCKSDB_HEADERS}, which has no rocksdb/version.h; expected the"
                          "folder include of RocksDB's source.")
  endif()
endif()
set(places "")
if(WINNOW_ROCKSDB_ROOT)
  if(NOT IS_DIRECTORY "${WINNOW_ROCKSDB_ROOT}")
    winnow_refuse_rocksdb("WINNOW_ROCKSDB_ROOT is ${WINNOW_ROCKSDB_ROOT}, and there is no such folder;"
                          "expected the prefix of an installation.")
  endif()
  set(places PATHS "${WINNOW_ROCKSDB_ROOT}" NO_DEFAULT_PATH)
elseif(RocksDB_DIR)
  # Prefix of its CMake package: PREFIX/lib/cmake/rocksdb
  get_filename_component(prefix "${RocksDB_DIR}/../../.." ABSOLUTE)
  if(NOT EXISTS "${prefix}/include/rocksdb/db.h")
    get_filename_component(prefix "${prefix}/.." ABSOLUTE)  # PREFIX/lib/x86_64-linux-gnu/cmake/rocksdb
  endif()
  set(places PATHS "${prefix}" NO_DEFAULT_PATH)
endif()
set(names librocksdb.so librocksdb.a rocksdb)
if(WINNOW_ROCKSDB_STATIC)
  set(names librocksdb.a)
endif()
if(NOT WINNOW_ROCKSDB_HEADERS)
  find_path(ROCKSDB_INCLUDE_DIR rocksdb/db.h ${places} PATH_SUFFIXES include)
  find_library(ROCKSDB_LIBRARY NAMES ${names} ${places}
               PATH_SUFFIXES lib lib64 lib/${CMAKE_LIBRARY_ARCHITECTURE} . build)
endif()
set(where "${WINNOW_ROCKSDB_ROOT}")
if(NOT where)
  set(where "the system's folders and CMAKE_PREFIX_PATH")
endif()
if(NOT WINNOW_ROCKSDB_HEADERS AND (NOT ROCKSDB_INCLUDE_DIR OR NOT ROCKSDB_LIBRARY))
  winnow_refuse_rocksdb("its headers (rocksdb/db.h) and one of ${names} were not both found in ${where}."
                        "Install librocksdb-dev, or name the prefix of a RocksDB of your own by"
                        "-DWINNOW_ROCKSDB_ROOT=DIR, or build the core alone by -DWINNOW_ROCKSDB=OFF.")
endif()
set(winnow_rocksdb_is_static FALSE)
if(ROCKSDB_LIBRARY MATCHES "\\.a$")
  set(winnow_rocksdb_is_static TRUE)
endif()

# ---- Version, and the standard that the headers need. third_party/rocksdb_abi/version_at_least.h has equal limits.
file(STRINGS "${ROCKSDB_INCLUDE_DIR}/rocksdb/version.h" lines REGEX "^#define ROCKSDB_(MAJOR|MINOR|PATCH) +[0-9]+")
string(REGEX REPLACE ".*MAJOR +([0-9]+).*MINOR +([0-9]+).*PATCH +([0-9]+).*" "\\1.\\2.\\3" winnow_rocksdb_version
                     "${lines}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${ROCKSDB_INCLUDE_DIR}/rocksdb/version.h")
if(winnow_rocksdb_version VERSION_LESS 7.1)
  winnow_refuse_rocksdb("${ROCKSDB_INCLUDE_DIR} has version ${winnow_rocksdb_version}; Winnow needs 7.1 or later,"
                        "since in earlier ones no other policy can read the filters on disk.")
elseif(winnow_rocksdb_version VERSION_GREATER_EQUAL 11.10 AND NOT WINNOW_ALLOW_NEWER)
  winnow_refuse_rocksdb("${ROCKSDB_INCLUDE_DIR} has version ${winnow_rocksdb_version}, newer than 11.9, the newest"
                        "whose filter classes are known to Winnow; a class of another layout would crash."
                        "-DWINNOW_ALLOW_NEWER=ON tries it all the same: run the tests then.")
endif()
set(winnow_rocksdb_standard 17)
if(winnow_rocksdb_version VERSION_GREATER_EQUAL 10.7)
  set(winnow_rocksdb_standard 20)
endif()
if(winnow_standard_asked AND winnow_standard_asked LESS winnow_rocksdb_standard)
  winnow_refuse_rocksdb("the headers of ${winnow_rocksdb_version} need C++${winnow_rocksdb_standard}, but CMAKE_CXX_STANDARD"
                        "is ${winnow_standard_asked}. Leave it out: the core is then compiled as C++17 and what includes"
                        "RocksDB as C++${winnow_rocksdb_standard}.")
endif()

add_library(winnow_librocksdb INTERFACE)
target_include_directories(winnow_librocksdb SYSTEM INTERFACE ${ROCKSDB_INCLUDE_DIR})
target_compile_features(winnow_librocksdb INTERFACE cxx_std_${winnow_rocksdb_standard})
if(WINNOW_ALLOW_NEWER)
  target_compile_definitions(winnow_librocksdb INTERFACE WINNOW_ALLOW_NEWER)
endif()

if(WINNOW_ROCKSDB_HEADERS)
  set(winnow_rocksdb_class_flags "")  # the bound plugin has type information of its own
  message(STATUS "RocksDB ${winnow_rocksdb_version}: headers alone, in ${ROCKSDB_INCLUDE_DIR}, C++${winnow_rocksdb_standard}")
  return()
endif()

# ---- Dependencies of an archive, from its CMake package, its pkg-config file, or the user
set(winnow_rocksdb_package "")
set(winnow_rocksdb_needs ${WINNOW_ROCKSDB_LIBRARIES})
if(winnow_rocksdb_is_static)
  find_package(Threads REQUIRED)
  get_filename_component(library_folder ${ROCKSDB_LIBRARY} DIRECTORY)
  if(NOT winnow_rocksdb_needs)
    find_package(RocksDB CONFIG QUIET PATHS ${library_folder}/cmake/rocksdb ${RocksDB_DIR} NO_DEFAULT_PATH)
  endif()
  if(TARGET RocksDB::rocksdb)
    set(winnow_rocksdb_package ${RocksDB_DIR})
    get_target_property(needs RocksDB::rocksdb INTERFACE_LINK_LIBRARIES)
    if(needs)
      string(REGEX REPLACE "\\$<LINK_ONLY:([^>]*)>" "\\1" winnow_rocksdb_needs "${needs}")
    endif()
  elseif(NOT winnow_rocksdb_needs AND EXISTS ${library_folder}/pkgconfig/rocksdb.pc)
    file(STRINGS ${library_folder}/pkgconfig/rocksdb.pc private REGEX "^Libs\\.private:")
    string(REGEX REPLACE "^Libs\\.private: *" "" private "${private}")
    separate_arguments(winnow_rocksdb_needs UNIX_COMMAND "${private}")
  endif()
  list(APPEND winnow_rocksdb_needs Threads::Threads ${CMAKE_DL_LIBS})
endif()
target_link_libraries(winnow_librocksdb INTERFACE ${ROCKSDB_LIBRARY} ${winnow_rocksdb_needs})

# ---- Checks that the library links and runs, and has the version of the headers; detection of its features
file(TIMESTAMP ${ROCKSDB_LIBRARY} library_time)
set(probe "${ROCKSDB_LIBRARY};${library_time};${winnow_rocksdb_version};${winnow_rocksdb_needs}")
if((NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR) AND NOT "${probe}" STREQUAL "${winnow_rocksdb_probed}")
  file(WRITE ${PROJECT_BINARY_DIR}/probe_rocksdb/probe.cc
       "#include <rocksdb/version.h>\n#include <cstdio>\n"
       "int main() { std::puts(ROCKSDB_NAMESPACE::GetRocksVersionAsString().c_str()); }\n")
  try_run(status compiled ${PROJECT_BINARY_DIR}/probe_rocksdb ${PROJECT_BINARY_DIR}/probe_rocksdb/probe.cc
          CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${ROCKSDB_INCLUDE_DIR}
          LINK_LIBRARIES ${ROCKSDB_LIBRARY} ${winnow_rocksdb_needs}
          COMPILE_OUTPUT_VARIABLE compile_output RUN_OUTPUT_VARIABLE loaded_version)
  string(STRIP "${loaded_version}" loaded_version)
  if(NOT compiled)
    string(LENGTH "${compile_output}" length)
    set(begin 0)
    if(length GREATER 3000)
      math(EXPR begin "${length} - 3000")
    endif()
    string(SUBSTRING "${compile_output}" ${begin} -1 compile_output)
    winnow_refuse_rocksdb("a program does not link with ${ROCKSDB_LIBRARY}. If libraries are missing that it needs,"
                          "name them, as -DWINNOW_ROCKSDB_LIBRARIES='z;lz4'. The end of what the linker said:\n"
                          "${compile_output}")
  elseif(NOT status EQUAL 0)
    winnow_refuse_rocksdb("a program that is linked with ${ROCKSDB_LIBRARY} does not run (${status}): ${loaded_version}")
  elseif(NOT loaded_version STREQUAL winnow_rocksdb_version)
    winnow_refuse_rocksdb("the headers in ${ROCKSDB_INCLUDE_DIR} are of version ${winnow_rocksdb_version}, but the library"
                          "that runs with ${ROCKSDB_LIBRARY} is ${loaded_version}. They must be of one version: name the"
                          "prefix that has both by -DWINNOW_ROCKSDB_ROOT=DIR.")
  endif()
  set(winnow_rocksdb_probed "${probe}" CACHE INTERNAL "The RocksDB that was seen to run")
endif()

set(dynamic "")
if(NOT winnow_rocksdb_is_static)
  set(dynamic -D)
endif()
execute_process(COMMAND ${CMAKE_NM} ${dynamic} --defined-only ${ROCKSDB_LIBRARY} OUTPUT_VARIABLE symbols ERROR_QUIET)
set(winnow_rocksdb_has_rtti FALSE)
if(symbols MATCHES "_ZTIN7rocksdb12FilterPolicyE")
  set(winnow_rocksdb_has_rtti TRUE)
endif()
# Classes that derive from RocksDB's must have type information if and only if those have.
set(winnow_rocksdb_class_flags "")
if(NOT winnow_rocksdb_has_rtti)
  set(winnow_rocksdb_class_flags -fno-rtti)
endif()
# Sets the flags for these sources of a target, unless they are empty: a source with flags of its own is compiled
# separately, and without precompiled headers.
function(winnow_derive_from_rocksdb)
  if(winnow_rocksdb_class_flags)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${winnow_rocksdb_class_flags}"
                                                   SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

set(winnow_rocksdb_soname "")
if(NOT winnow_rocksdb_is_static AND CMAKE_READELF)
  execute_process(COMMAND ${CMAKE_READELF} --dynamic --wide ${ROCKSDB_LIBRARY} OUTPUT_VARIABLE dynamic_section ERROR_QUIET)
  if(dynamic_section MATCHES "SONAME[^[]*\\[([^]]+)\\]")
    set(winnow_rocksdb_soname ${CMAKE_MATCH_1})
  else()
    get_filename_component(winnow_rocksdb_soname ${ROCKSDB_LIBRARY} NAME)
  endif()
endif()

# Calls of the library's own functions go through its relocations, where a preloaded library can interpose them, unless
# it was linked with -Bsymbolic-functions, compiled with LTO, or hides the functions.
set(winnow_rocksdb_unreplaced "")
if(NOT winnow_rocksdb_is_static AND CMAKE_READELF)
  execute_process(COMMAND ${CMAKE_READELF} --relocs --wide ${ROCKSDB_LIBRARY} OUTPUT_VARIABLE relocations ERROR_QUIET)
  foreach(pair _ZN7rocksdb20NewBloomFilterPolicyE=NewBloomFilterPolicy
               _ZN7rocksdb21NewRibbonFilterPolicyE=NewRibbonFilterPolicy
               _ZN7rocksdb12FilterPolicy16CreateFromStringE=FilterPolicy::CreateFromString
               _ZN7rocksdb2DB4OpenE=DB::Open)
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 symbol)
    list(GET pair 1 function)
    if(NOT relocations MATCHES "${symbol}")
      list(APPEND winnow_rocksdb_unreplaced ${function})
    endif()
  endforeach()
endif()

# ---- Messages
set(kind shared)
if(winnow_rocksdb_is_static)
  set(kind static)
endif()
set(type_information "without type information")
if(winnow_rocksdb_has_rtti)
  set(type_information "with type information")
endif()
message(STATUS "RocksDB ${winnow_rocksdb_version}: ${ROCKSDB_LIBRARY} (${kind}, ${type_information}), headers in "
               "${ROCKSDB_INCLUDE_DIR}, C++${winnow_rocksdb_standard}")
if(winnow_rocksdb_is_static)
  message(STATUS "RocksDB is static: the plugin is a static library with one call, winnow_rocksdb_register(), and there "
                 "is nothing to preload. A shared plugin would carry a RocksDB of its own, whose registry no program asks.")
elseif(winnow_rocksdb_unreplaced)
  string(JOIN ", " functions ${winnow_rocksdb_unreplaced})
  message(WARNING "RocksDB: ${ROCKSDB_LIBRARY} calls these functions of its own without asking the dynamic linker "
                  "(-Bsymbolic-functions, LTO or hidden symbols): ${functions}. The interposer replaces them where programs "
                  "call them, not where RocksDB does: in the C API, options strings and OPTIONS files. The plugin works.")
endif()
