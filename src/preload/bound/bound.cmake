# Plugin that is bound at run time to a RocksDB inside a program (binding.h). It consists of the plugin's objects, and
# needs only RocksDB's headers. Included by ../CMakeLists.txt.
#
# The plugin always has type information of its own, so that it can serve hosts with and without type information.
set(bound ${CMAKE_CURRENT_LIST_DIR})
set(bound_objects winnow_rocksdb_objects winnow_rocksdb_parts_objects winnow_preload_objects winnow_core winnow_simd winnow_base winnow_bound_objects)
set(bound_headers $<TARGET_PROPERTY:winnow_librocksdb,INTERFACE_SYSTEM_INCLUDE_DIRECTORIES>)
add_library(winnow_bound_objects OBJECT EXCLUDE_FROM_ALL ${bound}/absent_functions.cc ${bound}/../front/kept_text.cc ${bound}/binding.cc ${bound}/host_options.cc ${bound}/new_policy.cc)
add_library(winnow_bound_shapes OBJECT EXCLUDE_FROM_ALL ${bound}/shapes.cc)
foreach(target winnow_bound_objects winnow_bound_shapes)
  target_link_libraries(${target} PRIVATE winnow_flags)
  target_include_directories(${target} SYSTEM PRIVATE ${bound_headers})
  target_compile_features(${target} PRIVATE cxx_std_${winnow_rocksdb_standard})
endforeach()
# Thunks in place of RocksDB's symbols are generated for the undefined symbols of the objects.
set(object_files "")
foreach(target ${bound_objects})
  list(APPEND object_files $<TARGET_OBJECTS:${target}>)
endforeach()
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/bound_objects.txt CONTENT "$<JOIN:${object_files},\n>\n")
set(thunks ${CMAKE_CURRENT_BINARY_DIR}/bound_thunks.cc)
add_custom_command(
  OUTPUT ${thunks}
  COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DOBJECTS=${CMAKE_CURRENT_BINARY_DIR}/bound_objects.txt
          -DSHAPES=$<TARGET_OBJECTS:winnow_bound_shapes> -DPROCESSOR=${CMAKE_SYSTEM_PROCESSOR} -DOUTPUT=${thunks}
          -P ${bound}/make_thunks.cmake
  DEPENDS ${bound}/make_thunks.cmake ${object_files} $<TARGET_OBJECTS:winnow_bound_shapes>
          ${CMAKE_CURRENT_BINARY_DIR}/bound_objects.txt
  VERBATIM)
add_library(winnow_bound_thunks OBJECT EXCLUDE_FROM_ALL ${thunks})
add_dependencies(winnow_bound_thunks ${bound_objects} winnow_bound_shapes)  # make has no rule for another target's file
target_compile_options(winnow_bound_thunks PRIVATE -fno-lto)
target_link_libraries(winnow_bound_thunks PRIVATE winnow_flags)
add_library(winnow_bound SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:winnow_bound_thunks> ${object_files})
target_link_libraries(winnow_bound PRIVATE winnow_flags ${CMAKE_DL_LIBS})
# No symbol is unresolved, and no symbol is bound to one of the program or another library with its name. The plugin
# stays loaded once it serves a host (front/hosts.cc).
target_link_options(winnow_bound PRIVATE -Wl,--version-script=${bound}/exports.map -Wl,-z,defs -Wl,-Bsymbolic -static-libstdc++)
string(REGEX MATCH "^[0-9]+[.][0-9]+" bound_version ${winnow_rocksdb_version})
# A plugin that is compiled with the old std::string is for other hosts (kOldStringsSuffix in binding.h).
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_QUIET ON)
check_cxx_source_compiles("#include <string>\n#if !defined(_GLIBCXX_USE_CXX11_ABI) || _GLIBCXX_USE_CXX11_ABI\n#error\n#endif\nint main() {}"
                          winnow_has_old_strings)
unset(CMAKE_REQUIRED_QUIET)
if(winnow_has_old_strings)
  string(APPEND bound_version -old-strings)
endif()
set(winnow_bound_folder winnow/plugins/${bound_version} CACHE INTERNAL "Where it is looked for, beside libwinnow_preload.so")
set_target_properties(winnow_bound PROPERTIES
    OUTPUT_NAME winnow_rocksdb_bound LINK_DEPENDS ${bound}/exports.map
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bound/lib/${winnow_bound_folder})
