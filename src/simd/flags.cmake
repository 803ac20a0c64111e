# Sets the variables of flags.mk, as lists.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/flags.mk)
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/flags.mk winnow_lines REGEX "^winnow_")
foreach(line IN LISTS winnow_lines)
  string(REGEX MATCH "^([a-z0-9_]+) = (.*)$" line "${line}")
  separate_arguments(${CMAKE_MATCH_1} UNIX_COMMAND "${CMAKE_MATCH_2}")
endforeach()
