# The interposer, preloaded into programs: ours are built with the preset's sanitizers.
find_package(Threads REQUIRED)
foreach(program preload_client preload_c_client roll_out_client)
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
winnow_test(preload_family_notes_test LIBRARIES ${preload})
winnow_test(preload_interposed_policy_test LIBRARIES ${preload})
foreach(name preload_add_policy_test preload_family_notes_test preload_interposed_policy_test)
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
foreach(test preload_add_test preload_interposer_test preload_programs_test preload_read_test preload_state_line_test
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

# The page that tells of roll-out and roll-back.
set(rollout_programs winnow_preload preload_client)
set(rollout_tool "")
if(TARGET winnow_tool)
  list(APPEND rollout_programs winnow_tool)
  set(rollout_tool $<TARGET_FILE:winnow_tool>)
endif()
foreach(test rollout_page_test lost_filters_test)
  winnow_test(${test} LIBRARIES database_files ${core} winnow::rocksdb)
  target_compile_definitions(${test} PRIVATE WINNOW_SOURCE_DIR="${PROJECT_SOURCE_DIR}" WINNOW_TOOL="${rollout_tool}"
      PRELOAD_LIBRARY="$<TARGET_FILE:winnow_preload>" PRELOAD_CLIENT="$<TARGET_FILE:preload_client>"
      ROCKSDB_PROGRAMS="${rocksdb_programs}")
  add_dependencies(${test} ${rollout_programs})
endforeach()
# Roll-out and roll-back, each step with lookups: in short what tools/roll_out.sh does on a real database.
if(TARGET winnow_tool AND NOT WINNOW_SANITIZE)
  foreach(way plugin preload db_bench)
    add_test(NAME roll_out.${way}
             COMMAND ${PROJECT_SOURCE_DIR}/tools/roll_out.sh --build=${PROJECT_BINARY_DIR} --ways=${way} --most_keys=30000
                     --lookups=150000 --keys=${CMAKE_CURRENT_BINARY_DIR}/roll_out.keys)
    set_tests_properties(roll_out.${way} PROPERTIES ${rocksdb_properties} LABELS rocksdb TIMEOUT 600
                         FIXTURES_REQUIRED roll_out_keys SKIP_REGULAR_EXPRESSION "expected a db_bench with")
  endforeach()
  # The same on every machine, as a shorter count is nearer to its bound.
  add_test(NAME roll_out.keys
           COMMAND sh -c "seq -f '/usr/share/%.0f/changelog.Debian.gz' 100000 129999 >\"$1\"" sh
                   ${CMAKE_CURRENT_BINARY_DIR}/roll_out.keys)
  set_tests_properties(roll_out.keys PROPERTIES FIXTURES_SETUP roll_out_keys)
endif()

# RocksDBs that are not ours: what the interposer must leave alone. Without our flags, one of which binds a
# library's calls to itself, and optimized, since only then a call at the end of a function is a jump.
set(standins ${PROJECT_BINARY_DIR}/tests/standins)
function(standin target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEFINITIONS;LIBRARIES;LINK_OPTIONS")
  target_compile_options(${target} PRIVATE -Wall -Wextra -O2 -fno-rtti -fno-gnu-unique)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE ${arg_DEFINITIONS}
      STANDIN_OPENS_UNIQUE_PTR=$<VERSION_GREATER_EQUAL:${winnow_rocksdb_version},9.11>)
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} Threads::Threads ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${standins} RUNTIME_OUTPUT_DIRECTORY ${standins}
                        LINK_OPTIONS "${arg_LINK_OPTIONS}")
endfunction()
set(standin_calls preload_standin_calls.cc preload_standin_answers.cc)
# A copy by itself, of which one has the name that the library of another version would have.
foreach(name dependency linked)
  add_library(preload_standin_${name} SHARED preload_standin_copy.cc)
  standin(preload_standin_${name} DEFINITIONS STANDIN_COPY="${name}")
  set_target_properties(preload_standin_${name} PROPERTIES CXX_VISIBILITY_PRESET default)
endforeach()
set_target_properties(preload_standin_linked PROPERTIES OUTPUT_NAME rocksdb VERSION 5.99 SOVERSION 5.99)
# Plugins with their own copy; with that of a library; with the RocksDB of this build.
set(link_one -Wl,-z,lazy)
set(link_two -Wl,-z,lazy)
set(link_now -Wl,-z,now)
set(link_symbolic -Wl,-Bsymbolic)
foreach(name one two now symbolic same_version)
  add_library(preload_standin_${name} MODULE preload_standin_copy.cc ${standin_calls})
  standin(preload_standin_${name} DEFINITIONS STANDIN_PLUGIN=1 STANDIN_COPY="${name}" STANDIN_CALLER="${name}"
          LINK_OPTIONS ${link_${name}})
endforeach()
foreach(name dependent rocksdb)
  add_library(preload_standin_${name} MODULE ${standin_calls})
endforeach()
standin(preload_standin_dependent DEFINITIONS STANDIN_PLUGIN=1 STANDIN_CALLER="dependent"
        LIBRARIES preload_standin_dependency)
standin(preload_standin_rocksdb DEFINITIONS STANDIN_PLUGIN=1 STANDIN_CALLER="rocksdb"
        LIBRARIES ${ROCKSDB_LIBRARY})
add_library(preload_standin_opener MODULE preload_standin_database.cc)
standin(preload_standin_opener DEFINITIONS STANDIN_PLUGIN=1 LIBRARIES winnow_librocksdb)
set(standin_plugins one two now symbolic same_version dependent rocksdb opener)
list(TRANSFORM standin_plugins PREPEND preload_standin_)
set_target_properties(${standin_plugins} PROPERTIES PREFIX "")
target_compile_definitions(preload_standin_same_version PRIVATE STANDIN_VERSION="${winnow_rocksdb_version}")
# Programs: without a RocksDB, with a copy whose names all libraries see or none does, with a library's.
set(standin_hosts none weak exporting hidden linked rocksdb)
foreach(name ${standin_hosts})
  add_executable(preload_standin_host_${name} preload_standin_host.cc preload_standin_answers.cc)
endforeach()
standin(preload_standin_host_none)
standin(preload_standin_host_weak DEFINITIONS STANDIN_WEAK=1)
foreach(name exporting hidden)
  target_sources(preload_standin_host_${name} PRIVATE preload_standin_copy.cc)
endforeach()
foreach(name exporting hidden linked rocksdb)
  target_sources(preload_standin_host_${name} PRIVATE preload_standin_calls.cc)
endforeach()
set(program STANDIN_CALLS=1 STANDIN_CALLER="program")
standin(preload_standin_host_exporting DEFINITIONS ${program} STANDIN_COPY="program")
set_target_properties(preload_standin_host_exporting PROPERTIES ENABLE_EXPORTS ON)
standin(preload_standin_host_hidden DEFINITIONS ${program} STANDIN_COPY="program" STANDIN_HIDDEN=1)
standin(preload_standin_host_linked DEFINITIONS ${program} LIBRARIES preload_standin_linked)
standin(preload_standin_host_rocksdb DEFINITIONS ${program} LIBRARIES ${ROCKSDB_LIBRARY})
add_executable(preload_standin_database preload_standin_database.cc)  # with the headers alone
standin(preload_standin_database)
target_include_directories(preload_standin_database SYSTEM PRIVATE ${ROCKSDB_INCLUDE_DIR})
target_compile_features(preload_standin_database PRIVATE cxx_std_${winnow_rocksdb_standard})
list(TRANSFORM standin_hosts PREPEND preload_standin_host_)

winnow_test(preload_standin_test PROPERTIES ${rocksdb_properties} LABELS rocksdb)
target_compile_definitions(preload_standin_test PRIVATE PRELOAD_LIBRARY="$<TARGET_FILE:winnow_preload>"
    PRELOAD_CLIENT="$<TARGET_FILE:preload_client>" ROCKSDB_PROGRAMS="${rocksdb_programs}"
    STANDINS="${standins}/" WINNOW_OBJDUMP="${CMAKE_OBJDUMP}")
add_dependencies(preload_standin_test winnow_preload winnow_rocksdb preload_client preload_standin_database
                 ${standin_hosts} ${standin_plugins})
