# The interposer, preloaded into programs: ours are built with the preset's sanitizers.
find_package(Threads REQUIRED)
foreach(program preload_client preload_c_client)
  add_executable(${program} ${program}.cc)
  target_link_libraries(${program} PRIVATE winnow_flags winnow_librocksdb Threads::Threads)
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endforeach()
add_library(preload_other_version MODULE preload_other_version.cc)
target_link_libraries(preload_other_version PRIVATE winnow_flags winnow_librocksdb)

# Where the programs of this RocksDB are; empty: where the system's are.
set(rocksdb_programs "")
if(WINNOW_ROCKSDB_ROOT)
  set(rocksdb_programs ${WINNOW_ROCKSDB_ROOT}/bin/)
endif()

set(preload winnow_preload_objects winnow_rocksdb_objects winnow_core winnow_simd winnow_librocksdb)
winnow_test(preload_add_policy_test LIBRARIES ${preload})
winnow_test(preload_interposed_policy_test LIBRARIES ${preload})
foreach(name preload_add_policy_test preload_interposed_policy_test)
  target_compile_options(${name} PRIVATE ${winnow_rocksdb_class_flags})
endforeach()
# The same small library, as most are linked and as Ubuntu links.
foreach(name preload_inner_calls_default preload_inner_calls_symbolic)
  add_library(${name} MODULE preload_inner_calls_library.cc)  # without our flags, one of which binds them as well
endforeach()
target_link_options(preload_inner_calls_symbolic PRIVATE -Wl,-Bsymbolic-functions)
winnow_test(preload_inner_calls_test LIBRARIES ${preload} ${CMAKE_DL_LIBS})
# Of DB::Open it does not tell: that matters to WINNOW_ADD only.
set(unreplaced "${winnow_rocksdb_unreplaced}")
list(REMOVE_ITEM unreplaced DB::Open)
list(LENGTH unreplaced number_unreplaced)
if(number_unreplaced EQUAL 0)
  set(all_replaced 1)
else()
  set(all_replaced 0)
endif()
target_compile_definitions(preload_inner_calls_test PRIVATE WINNOW_ALL_REPLACED=${all_replaced}
    DEFAULT_LIBRARY="$<TARGET_FILE:preload_inner_calls_default>"
    SYMBOLIC_LIBRARY="$<TARGET_FILE:preload_inner_calls_symbolic>")
add_dependencies(preload_inner_calls_test preload_inner_calls_default preload_inner_calls_symbolic)
winnow_test(preload_request_test LIBRARIES ${preload})
winnow_test(preload_stock_policy_test LIBRARIES ${preload})
foreach(test preload_add_test preload_interposer_test preload_programs_test preload_state_line_test
        preload_stderr_test preloaded_plugin_test)
  winnow_test(${test} LIBRARIES database_files ${core} winnow_librocksdb)
  target_compile_definitions(${test} PRIVATE
      PRELOAD_LIBRARY="$<TARGET_FILE:winnow_preload>" PLUGIN_LIBRARY="$<TARGET_FILE:winnow_rocksdb>"
      PRELOAD_CLIENT="$<TARGET_FILE:preload_client>"
      PRELOAD_C_CLIENT="$<TARGET_FILE:preload_c_client>"
      OTHER_VERSION_LIBRARY="$<TARGET_FILE:preload_other_version>"
      ROCKSDB_PROGRAMS="${rocksdb_programs}")
  add_dependencies(${test} winnow_preload winnow_rocksdb preload_client preload_c_client
                   preload_other_version)
endforeach()
