#!/bin/bash
# Tests of CMake's messages about various RocksDB installations, which are stand-ins of a few lines.
# find_rocksdb_test.sh SOURCE_FOLDER CXX
set -euo pipefail
# shellcheck source=tests/support/script.sh disable=SC1091 # the path is relative to shellcheck's working directory
. "$(dirname "$0")/../support/script.sh"

source=$1
compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# prefix NAME VERSION LIBRARY_VERSION shared|symbolic|static: makes a RocksDB installation with only
# the parts that are checked.
prefix() {
  local folder=$work/$1 version=$2 library_version=$3 kind=$4 major minor patch
  IFS=. read -r major minor patch <<<"$version"
  mkdir -p "$folder/include/rocksdb" "$folder/lib"
  touch "$folder/include/rocksdb/db.h"
  cat >"$folder/include/rocksdb/version.h" <<HEADER
#pragma once
#include <string>
#define ROCKSDB_NAMESPACE rocksdb
#define ROCKSDB_MAJOR $major
#define ROCKSDB_MINOR $minor
#define ROCKSDB_PATCH $patch
namespace rocksdb { std::string GetRocksVersionAsString(bool with_patch = true); }
HEADER
  cat >"$work/library.cc" <<LIBRARY
#include <string>
namespace rocksdb {
struct FilterPolicy { virtual ~FilterPolicy(); static int CreateFromString(); };
struct DB { static int Open(); };
FilterPolicy::~FilterPolicy() {}
std::string GetRocksVersionAsString(bool) { return "$library_version"; }
int NewBloomFilterPolicy(double, bool) { return 1; }
int NewRibbonFilterPolicy(double, int) { return 2; }
int FilterPolicy::CreateFromString() { return NewBloomFilterPolicy(10, false) + NewRibbonFilterPolicy(10, 0); }
int DB::Open() { return FilterPolicy::CreateFromString(); }
int Inner() { return DB::Open(); }
}
LIBRARY
  case $kind in
  static)
    "$compiler" -O0 -fno-rtti -c "$work/library.cc" -o "$work/library.o"
    ar rcs "$folder/lib/librocksdb.a" "$work/library.o"
    ;;
  *)
    local bound=()
    [[ $kind == shared ]] || bound=(-Xlinker -Bsymbolic-functions)
    "$compiler" -O0 -fPIC -shared "${bound[@]}" "$work/library.cc" -o "$folder/lib/librocksdb.so"
    ;;
  esac
}

# expect SUCCESS WORDS -- ARGUMENT…: configures with the arguments; the output must contain every
# line of WORDS, however it is wrapped.
expect() {
  local success=$1 words=$2 said status=0 line
  shift 3
  rm -rf "$work/build"
  said=$(cmake -G Ninja -S "$source" -B "$work/build" -DCMAKE_CXX_COMPILER="$compiler" -DWINNOW_TOOLS=OFF -DWINNOW_BENCH=OFF \
    -DWINNOW_TESTS=OFF "$@" 2>&1) || status=$?
  if [[ $success == yes ]]; then
    [[ $status == 0 ]] || fail "$*: configuring failed: $said"
  else
    [[ $status != 0 ]] || fail "$*: was accepted: $said"
  fi
  said=$(tr -s ' \n' ' ' <<<"$said")
  while read -r line; do
    [[ $said == *"$line"* ]] || fail "$*: '$line' is not said: $said"
  done <<<"$words"
}

# This configuration links nothing, and needs no 32-bit libraries.
if [[ $(uname -m) == x86_64 ]]; then
  expect no "This compiler is for a machine of 32 bits, and Winnow needs one of 64" \
    -- -DCMAKE_C_FLAGS=-m32 -DCMAKE_CXX_FLAGS=-m32 -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY
fi

prefix good 9.10.0 9.10.0 shared
expect yes "RocksDB 9.10.0: $work/good/lib/librocksdb.so (shared, with type information), headers in $work/good/include, C++17" \
  -- -DWINNOW_ROCKSDB_ROOT="$work/good"
targets=$(ninja -C "$work/build" -t targets all)
grep -q '^lib/libwinnow_preload.so:' <<<"$targets" || fail "a shared RocksDB has no interposer"

prefix later 10.7.0 10.7.0 shared
expect yes "C++20" -- -DWINNOW_ROCKSDB_ROOT="$work/later"
expect no "the headers of 10.7.0 need C++20, but CMAKE_CXX_STANDARD is 17. Leave it out" \
  -- -DWINNOW_ROCKSDB_ROOT="$work/later" -DCMAKE_CXX_STANDARD=17

prefix static 8.7.3 8.7.3 static
expect yes "RocksDB 8.7.3: $work/static/lib/librocksdb.a (static, without type information)
RocksDB is static: the plugin is a static library with one call, winnow_rocksdb_register()" \
  -- -DWINNOW_ROCKSDB_ROOT="$work/static"
targets=$(ninja -C "$work/build" -t targets all)
grep -q '^lib.*/libwinnow_rocksdb.a:\|^src/rocksdb/libwinnow_rocksdb.a:' <<<"$targets" || fail "no static plugin"
! grep -q 'libwinnow_rocksdb.so:\|libwinnow_preload.so:' <<<"$targets" || fail "a shared plugin with a static RocksDB"

# The shared library is the default if both exist.
prefix static 8.7.3 8.7.3 shared
expect yes "librocksdb.so (shared" -- -DWINNOW_ROCKSDB_ROOT="$work/static"
expect yes "librocksdb.a (static" -- -DWINNOW_ROCKSDB_ROOT="$work/static" -DWINNOW_ROCKSDB_STATIC=ON

# Headers for the plugin that is bound at run time.
expect yes "RocksDB 8.7.3: headers alone, in $work/static/include, C++17" -- -DWINNOW_ROCKSDB_HEADERS="$work/static/include"
grep -q 'winnow/plugins/8.7/libwinnow_rocksdb_bound.so:' <<<"$(ninja -C "$work/build" -t targets all)" ||
  fail "no plugin that is bound at run time"
expect no "WINNOW_ROCKSDB_HEADERS is $work, which has no rocksdb/version.h" -- -DWINNOW_ROCKSDB_HEADERS="$work"

prefix symbolic 9.10.0 9.10.0 symbolic
expect yes "calls these functions of its own without asking the dynamic linker
NewBloomFilterPolicy, NewRibbonFilterPolicy, FilterPolicy::CreateFromString, DB::Open
The plugin works." -- -DWINNOW_ROCKSDB_ROOT="$work/symbolic"

prefix old 7.0.4 7.0.4 shared
expect no "has version 7.0.4; Winnow needs 7.1 or later" -- -DWINNOW_ROCKSDB_ROOT="$work/old"
prefix newer 11.10.0 11.10.0 shared
expect no "has version 11.10.0, newer than 11.9
-DWINNOW_ALLOW_NEWER=ON tries it all the same" -- -DWINNOW_ROCKSDB_ROOT="$work/newer"
expect yes "RocksDB 11.10.0" -- -DWINNOW_ROCKSDB_ROOT="$work/newer" -DWINNOW_ALLOW_NEWER=ON
prefix mixed 9.10.0 9.9.3 shared
expect no "are of version 9.10.0, but the library
is 9.9.3. They must be of one version" -- -DWINNOW_ROCKSDB_ROOT="$work/mixed"
expect no "there is no such folder" -- -DWINNOW_ROCKSDB_ROOT="$work/nowhere"
mkdir "$work/empty"
expect no "were not both found in $work/empty. Install librocksdb-dev, or name the prefix" -- -DWINNOW_ROCKSDB_ROOT="$work/empty"
prefix lacking 9.10.0 9.10.0 static
"$compiler" -x c++ -c - -o "$work/needs.o" <<<'extern "C" void missing_of_lz4(); namespace { const int i = (missing_of_lz4(), 1); }
#include <string>
namespace rocksdb { std::string GetRocksVersionAsString(bool) { return std::to_string(i); } }'
rm "$work/lacking/lib/librocksdb.a"
ar rcs "$work/lacking/lib/librocksdb.a" "$work/needs.o"
expect no "a program does not link with $work/lacking/lib/librocksdb.a
-DWINNOW_ROCKSDB_LIBRARIES='z;lz4'
missing_of_lz4" -- -DWINNOW_ROCKSDB_ROOT="$work/lacking"
