# cmake -DNM=… -DOBJECTS=FILE -DSHAPES=OBJECT -DPROCESSOR=… -DOUTPUT=FILE.cc -P make_thunks.cmake
#
# Generates the source of the definitions that replace RocksDB's symbols in the plugin that is bound at run time (see
# binding.h). OBJECTS lists the plugin's object files, one per line; SHAPES is the object of shapes.cc. A function
# becomes a jump through a table, a vtable or a constant becomes space for a copy, and type information is written out:
# its three classes are identical in all versions of RocksDB.

file(STRINGS ${OBJECTS} objects)
execute_process(COMMAND ${NM} ${objects} OUTPUT_VARIABLE lines RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${NM} failed on the objects that ${OBJECTS} names")
endif()
string(REGEX MATCHALL " [Uwv] _Z[A-Za-z0-9_]*7rocksdb[A-Za-z0-9_]*" undefined "${lines}")
list(TRANSFORM undefined REPLACE "^ . " "")
string(REGEX MATCHALL " [A-TV-Zu] _Z[A-Za-z0-9_]*7rocksdb[A-Za-z0-9_]*" defined "${lines}")
list(TRANSFORM defined REPLACE "^ . " "")
# Local symbols define nothing for other objects, but no other object refers to their names.
list(REMOVE_DUPLICATES undefined)
list(REMOVE_DUPLICATES defined)
list(REMOVE_ITEM undefined ${defined})
list(SORT undefined)

set(functions "")
set(data "")
set(types "")
foreach(symbol ${undefined})
  if(symbol MATCHES "^_ZTI")
    list(APPEND types ${symbol})
  elseif(symbol MATCHES "^_ZTV" OR symbol MATCHES "^_ZN7rocksdb[0-9]+k[A-Z][A-Za-z0-9]*E$")
    list(APPEND data ${symbol})
  elseif(symbol MATCHES "^_ZN")
    list(APPEND functions ${symbol})
  else()
    message(FATAL_ERROR "Winnow's objects ask for ${symbol}, and it is not known here what that is: see ${CMAKE_CURRENT_LIST_FILE}")
  endif()
endforeach()
set(known_types _ZTIN7rocksdb12ConfigurableE _ZTIN7rocksdb12CustomizableE _ZTIN7rocksdb12FilterPolicyE)
list(REMOVE_ITEM types ${known_types})
if(types)
  message(FATAL_ERROR "Winnow's objects ask for the type information ${types}, which is not written here: see ${CMAKE_CURRENT_LIST_FILE}")
endif()
# Memory that the host allocates may be freed by the plugin, and vice versa.
list(APPEND functions _Znwm _Znam _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm
                      _ZdlPvRKSt9nothrow_t _ZdaPvRKSt9nothrow_t _ZnwmSt11align_val_t _ZnamSt11align_val_t
                      _ZnwmSt11align_val_tRKSt9nothrow_t _ZnamSt11align_val_tRKSt9nothrow_t _ZdlPvSt11align_val_t
                      _ZdaPvSt11align_val_t _ZdlPvmSt11align_val_t _ZdaPvmSt11align_val_t
                      _ZdlPvSt11align_val_tRKSt9nothrow_t _ZdaPvSt11align_val_tRKSt9nothrow_t)

# ---- Classes of shapes.cc: size of each base's vtable by the headers
execute_process(COMMAND ${NM} -S ${SHAPES} OUTPUT_VARIABLE shapes)
set(sizes "")
string(REGEX MATCHALL "[0-9a-f]+ [VuDdBbRr] _ZTVN6winnow7preload7ShapeOfIN7rocksdb[A-Za-z0-9_]*EEE" shapes "${shapes}")
foreach(shape ${shapes})
  string(REGEX MATCH "^([0-9a-f]+) . _ZTVN6winnow7preload7ShapeOfI(N7rocksdb[A-Za-z0-9_]*E)EE$" _ "${shape}")
  if(NOT CMAKE_MATCH_1)
    message(FATAL_ERROR "${shape} is no table of virtual functions as expected")
  endif()
  string(APPEND sizes "    {\"_ZTV${CMAKE_MATCH_2}\", 0x${CMAKE_MATCH_1}},\n")
endforeach()
if(NOT sizes)
  message(FATAL_ERROR "${SHAPES} has no tables of virtual functions")
endif()

# ---- Generated source
set(assembly "")
set(names "")
set(number 0)
foreach(symbol ${functions})
  math(EXPR place "8 * ${number}")
  string(APPEND assembly "    \".globl ${symbol}\\n.hidden ${symbol}\\n.type ${symbol}, %function\\n${symbol}:\\n\"\n")
  if(PROCESSOR MATCHES "^(aarch64|arm64)$")
    string(APPEND assembly "    \"adrp x16, winnow_thunk_table+${place}\\nldr x16, [x16, :lo12:winnow_thunk_table+${place}]\\nbr x16\\n\"\n")
  else()
    string(APPEND assembly "    \"jmp *winnow_thunk_table+${place}(%rip)\\n\"\n")
  endif()
  string(APPEND names "    \"${symbol}\",\n")
  math(EXPR number "${number} + 1")
endforeach()
set(room 2048)
set(copies "")
set(declarations "")
string(APPEND assembly "    \".bss\\n.balign 16\\n\"\n")
set(copied 0)
foreach(symbol ${data})
  string(APPEND assembly "    \".globl ${symbol}\\n.hidden ${symbol}\\n.type ${symbol}, %object\\n${symbol}: .zero ${room}\\n\"\n")
  string(APPEND declarations "extern char copy_${copied}[] __asm__(\"${symbol}\");\n")
  string(APPEND copies "    {\"${symbol}\", copy_${copied}, ${room}},\n")
  math(EXPR copied "${copied} + 1")
endforeach()
string(APPEND assembly "    \".section .data.rel.ro,\\\"aw\\\"\\n.balign 8\\n\"\n")
set(base "")
foreach(class 12Configurable 12Customizable 12FilterPolicy)
  set(symbol _ZTIN7rocksdb${class}E)
  set(kind _ZTVN10__cxxabiv117__class_type_infoE)
  if(base)
    set(kind _ZTVN10__cxxabiv120__si_class_type_infoE)
    set(base ", ${base}")
  endif()
  string(APPEND assembly
         "    \".globl ${symbol}\\n.hidden ${symbol}\\n.type ${symbol}, %object\\n${symbol}: .quad ${kind}+16, .Lname${class}${base}\\n\"\n")
  set(base ${symbol})
endforeach()
string(APPEND assembly "    \".section .rodata\\n\"\n")
foreach(class 12Configurable 12Customizable 12FilterPolicy)
  string(APPEND assembly "    \".Lname${class}: .string \\\"N7rocksdb${class}E\\\"\\n\"\n")
endforeach()

set(source
"// Written by src/preload/bound/make_thunks.cmake.

#include \"src/preload/bound/thunks.h\"

__asm__(
    \".text\\n\"
${assembly}    \".text\\n\");

extern \"C\" {
${declarations}}

void* winnow_thunk_table[${number}] = {};

namespace winnow::preload {

const char* const kThunkNames[] = {
${names}};
const size_t kNumThunks = ${number};
void** const kThunkTable = winnow_thunk_table;

const Copied kCopied[] = {
${copies}};
const size_t kNumCopied = ${copied};

const TableSize kTableSizes[] = {
${sizes}};
const size_t kNumTableSizes = sizeof kTableSizes / sizeof *kTableSizes;

}  // namespace winnow::preload
")
file(WRITE ${OUTPUT} "${source}")
