#!/bin/bash
# Compiles Winnow as a plugin in RocksDB's own tree, by RocksDB's CMake or its Makefile: only
# Winnow's objects, with RocksDB's flags, and warnings as errors if WERROR is ON in the environment.
# Then checks the symbols of the objects, and runs them in programs with the installed RocksDB of
# the same version: one that names Winnow in its options, and those of stand_in_test with the
# objects of WINNOW_STAND_IN=1.
# Exits with 77 (skipped) without RocksDB's source.
# in_tree_test.sh cmake|make BUILD_FOLDER SOURCE_FOLDER ROCKSDB_INCLUDE_FOLDER ROCKSDB_LIBRARY CXX
set -euo pipefail
export LC_ALL=C
# shellcheck source=tests/support/script.sh disable=SC1091 # the path is relative to shellcheck's working directory
. "$(dirname "$0")/../support/script.sh"

system=$1
built=$2
source=$3
headers=$4
library=$5
compiler=$6
# shellcheck source=tools/build_jobs.sh disable=SC1091 # the path is relative to shellcheck's working directory
. "$source/tools/build_jobs.sh"

version=$(sed -n 's/^#define ROCKSDB_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\).*/\2/p' "$headers/rocksdb/version.h" | paste -sd.)
rocksdb=$source/build/rocksdb-source/$version
[[ -f $rocksdb/CMakeLists.txt ]] || skip "there is no $rocksdb; tools/setup.sh --sources fetches it"
command -v "$system" >/dev/null || skip "there is no $system"

# The folder is kept for the next run, which then compiles only changed files. RocksDB's Makefile
# writes into the source folder, and therefore gets a tree of links.
work=$built/in_tree/$version-$system
mkdir -p "$work"
if [[ ! -e $work/rocksdb/CMakeLists.txt ]]; then
  mkdir -p "$work/rocksdb"
  cp -as "$(cd -P "$rocksdb" && pwd)/." "$work/rocksdb"
fi
ln -sfn "$source" "$work/rocksdb/plugin/winnow"

# Each function stores the paths of the objects, all of which end in src/…/NAME.o or .cc.o, in the
# first array, and the objects that are added or different with WINNOW_STAND_IN=1 in the second one.
objects=()
standing_in=()

configure() {
  cmake -G Ninja -S "$work/rocksdb" -B "$1" -Wno-dev -DCMAKE_CXX_COMPILER="$compiler" \
    -DROCKSDB_PLUGINS=winnow -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 \
    -DFAIL_ON_WARNINGS="${WERROR:-OFF}" -DPORTABLE=ON -DROCKSDB_BUILD_SHARED=ON -DWITH_GFLAGS=OFF -DWITH_LIBURING=OFF \
    -DWITH_TESTS=OFF -DWITH_ALL_TESTS=OFF -DWITH_TOOLS=OFF -DWITH_CORE_TOOLS=OFF \
    -DWITH_BENCHMARK_TOOLS=OFF -DWITH_TRACE_TOOLS=OFF "${@:2}" >"$work/configure.log" 2>&1 ||
    fail "CMake can't configure RocksDB: $(cat "$work/configure.log")"
  grep -q '{"winnow", winnow_register_in_tree}' "$1/build_version.cc" ||
    fail "RocksDB's build_version.cc does not register Winnow"
}

# RTTI is enabled, as in RocksDB's Debug builds.
by_cmake() {
  configure "$work/build" -DWINNOW_STAND_IN=0
  local all_of="CMakeFiles/rocksdb-shared.dir"
  mapfile -t objects < <(ninja -C "$work/build" -t targets all |
    sed -n "s|^\($all_of/.*plugin/winnow/.*\.o\): .*|\1|p")
  ((${#objects[@]})) || fail "RocksDB's build has no object of ours"
  ninja -C "$work/build" -j "$(build_jobs)" "${objects[@]}"
  # The other objects are equal.
  WINNOW_STAND_IN=1 configure "$work/standing_in"
  mapfile -t standing_in < <(ninja -C "$work/standing_in" -t targets all |
    sed -n "s|^\($all_of/.*plugin/winnow/.*\.o\): .*|\1|p" | grep -vxF "$(printf '%s\n' "${objects[@]}")")
  standing_in+=("$all_of/table/block_based/filter_policy.cc.o" "$all_of/build_version.cc.o")
  ninja -C "$work/standing_in" -j "$(build_jobs)" "${standing_in[@]}"
  objects=("${objects[@]/#/$work/build/}")
  standing_in=("${standing_in[@]/#/$work/standing_in/}")
}

# RTTI is disabled, as in RocksDB's release builds.
by_make() {
  # The Makefile does not detect changed flags or headers: the search for dependencies takes minutes
  # (SKIP_DEPENDS).
  if [[ -n $(cd "$source" && find winnow.mk include src third_party -newer "$work/objects.so" 2>&1) ]]; then
    rm -rf "$work/objects"
  fi
  local arguments=(-C "$work/rocksdb" ROCKSDB_PLUGINS=winnow CXX="$compiler" OBJ_DIR="$work/objects" LIB_MODE=shared
    DEBUG_LEVEL=0 OPTIMIZE_LEVEL=-O1 PORTABLE=1 SKIP_DEPENDS=1)
  [[ ${WERROR:-OFF} == ON ]] || arguments+=(DISABLE_WARNING_AS_ERROR=1)
  # shellcheck disable=SC2016 # make expands the variable
  local list=(--eval='winnow_list: ; @printf "object %s\n" $(winnow_SOURCES)' winnow_list)
  paths() { sed -n "s|^object \(.*\)\.cc$|$work/objects/plugin/winnow/\1.o|p"; }
  mapfile -t objects < <(make "${arguments[@]}" "${list[@]}" | paths)
  ((${#objects[@]})) || fail "RocksDB's Makefile has no object of ours"
  make -n "${arguments[@]}" util/build_version.cc | grep -F '{\"winnow\"\, winnow_register_in_tree}' >/dev/null ||
    fail "RocksDB's Makefile does not register Winnow"
  # The lists of headers are made too, by the compiler with the same flags.
  make -j "$(build_jobs)" "${arguments[@]}" "${objects[@]}" "${objects[@]/%.o/.cc.d}"
  mapfile -t standing_in < <(WINNOW_STAND_IN=1 make "${arguments[@]}" "${list[@]}" | paths |
    grep -vxF "$(printf '%s\n' "${objects[@]}")")
  standing_in+=("$work/objects/table/block_based/filter_policy.o")
  make -j "$(build_jobs)" "${arguments[@]}" WINNOW_STAND_IN=1 "${standing_in[@]}" "${standing_in[@]/%.o/.cc.d}"
  ! make "${arguments[@]}" WINNOW_STAND_IN=yes -n winnow_list >"$work/refused" 2>&1 ||
    fail "WINNOW_STAND_IN=yes is not refused"
  grep -q 'WINNOW_STAND_IN is "yes", but must be 1' "$work/refused" || fail "WINNOW_STAND_IN=yes: $(cat "$work/refused")"
}

"by_$system"

# The sources are those of the plugin library, except for the registration.
own_sources() {
  sed -n "s#.*/\(src/\(core\|rocksdb\|simd\)/[a-z0-9_/]*\)\(\.cc\)\?$1#\1.cc#p" | sort -u
}
commands=$built/compile_commands.json
diff <({
  # Unity sources are expanded: a file in the list includes the originals.
  { sed -n 's/^ *"file": "\(.*[.]cxx\)",\?$/\1/p' "$commands" | xargs -r cat; cat "$commands"; } | own_sources '",\?$' |
    grep -vE '/(registration|register_at_load)\.cc$'
  echo src/rocksdb/in_tree.cc
} | sort -u) <(printf '%s\n' "${objects[@]}" | own_sources '\.o$') ||
  fail "the plugin is made of other files in RocksDB's tree: see above"

# The function that registers the policy is excluded, since it then comes from another file.
mapfile -t stand_in_objects < <(printf '%s\n' "${objects[@]}" | grep -v '/rocksdb/in_tree\.'; printf '%s\n' "${standing_in[@]}")

# RocksDB's library must not export Winnow's symbols or lose its own. It must not need static TLS
# either, of which little is left for libraries that are loaded late.
"$compiler" -shared -o "$work/objects.so" "${objects[@]}"
"$compiler" -shared -o "$work/stand_in.so" "${stand_in_objects[@]}"
for made in "$work/objects.so" "$work/stand_in.so"; do
  shown=$(nm -D --defined-only --format=posix "$made" | cut -d' ' -f1 | grep -i winnow || true)
  [[ -z $shown ]] || fail "RocksDB's library would show symbols of ours: $(c++filt <<<"$shown")"
  ! readelf -drW "$made" | grep -E 'STATIC_TLS|_64_TPOFF64|TLS_TPREL' || fail "RocksDB's library would need static thread storage"
done
hidden=$(readelf -sW "${objects[@]}" "${standing_in[@]}" | awk '$6 == "HIDDEN" { print $8 }' | c++filt | grep rocksdb:: | grep -v winnow | sort -u || true)
[[ -z $hidden ]] || fail "RocksDB's own symbols would be hidden; is a header missing in src/rocksdb/in_tree.h? $hidden"

# Kernels have their instruction sets, and no functions that the linker could merge with those of
# other files.
kernels=0
for object in "${objects[@]}"; do
  case $object in
  */simd/avx2.*) needs='%ymm' ;;
  */simd/avx512.*) needs='%zmm' ;;
  */simd/ribbon_*) needs='gf2p8' ;;
  *) continue ;;
  esac
  kernels=$((kernels + 1))
  [[ $(objdump -d "$object") == *$needs* ]] || fail "$object has no $needs: was it compiled without its flags?"
  weak=$(readelf -sW "$object" | awk '$4 == "FUNC" && $5 != "LOCAL" && $5 != "GLOBAL" && $7 != "UND" { print $8 }')
  [[ -z $weak ]] || fail "$object has functions that may replace those of other files: $weak"
done
[[ $(uname -m) != x86_64 ]] || ((kernels > 0)) || fail "there are no kernels"

# The call is that of RocksDB's build_version.cc.
cat >"$work/registers.cc" <<'CODE'
#include <rocksdb/utilities/object_registry.h>
extern "C" int winnow_register_in_tree(ROCKSDB_NAMESPACE::ObjectLibrary&, const std::string&);
const int registered = winnow_register_in_tree(*ROCKSDB_NAMESPACE::ObjectLibrary::Default(), "winnow");
CODE
"$compiler" -std=c++17 -I "$headers" "$source/tests/install/rocksdb/main.cc" "$work/registers.cc" "${objects[@]}" \
  "$library" -Wl,-rpath,"$(dirname "$library")" -pthread -o "$work/program"
rm -rf "$work/database"
"$work/program" "$work/database" || fail "a program with these objects ends with $?"
grep -F '[winnow]' "$work/database/LOG" || fail "Winnow's line is missing in the database's LOG"

# WINNOW_STAND_IN=1: in the static library, these objects replace RocksDB's own, and programs link
# what they reference; with the shared library, they come first.
archive=$(dirname "$library")/librocksdb.a
with_rocksdb=("$work/registers.cc" "${stand_in_objects[@]}" "$library" "-Wl,-rpath,$(dirname "$library")")
if [[ $system == cmake && -f $archive ]]; then
  cp "$archive" "$work/librocksdb.a"
  ar d "$work/librocksdb.a" filter_policy.cc.o build_version.cc.o
  ar q "$work/librocksdb.a" "${stand_in_objects[@]}"
  mapfile -t needed < <(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(lib[^]]*\)\]/-l:\1/p')
  with_rocksdb=("$work/librocksdb.a" "${needed[@]}")
fi
for client in preload_client preload_c_client; do
  "$compiler" -std=c++17 -O1 -I "$headers" -I "$source" "$source/tests/preload/$client.cc" "${with_rocksdb[@]}" \
    -pthread -o "$work/$client"
done
STAND_IN_CLIENT="$work/preload_client" STAND_IN_C_CLIENT="$work/preload_c_client" STAND_IN_PLACE="the tree" \
  "$built/tests/stand_in_test"

# Percona's MySQL takes exactly the words behind "SOURCES" in winnow.mk as sources.
mkdir -p "$work/percona"
cat >"$work/percona/CMakeLists.txt" <<'CODE'
cmake_minimum_required(VERSION 3.22)
project(percona CXX)
file(READ ${PLUGIN}/winnow.mk makefile)
string(REGEX MATCH "SOURCES[ ]*=[ ]*([^\n]*)" sources ${makefile})
set(sources ${CMAKE_MATCH_1})
separate_arguments(sources)
list(TRANSFORM sources PREPEND ${PLUGIN}/)
add_library(percona MODULE ${PLUGIN}/src/core/version.cc ${sources})
CODE
! cmake -G Ninja -S "$work/percona" -B "$work/percona/build" -DPLUGIN="$source" -DCMAKE_CXX_COMPILER="$compiler" \
  >"$work/percona.log" 2>&1 || fail "Percona's MySQL would build an empty plugin"
grep -q 'Percona_Server_can_not_build_this_plugin' "$work/percona.log" || fail "Percona's MySQL: $(cat "$work/percona.log")"
