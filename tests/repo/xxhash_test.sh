#!/bin/bash
# Tests builds in which an old xxHash is in a folder that the compiler searches first, like that of
# LZ4's sources: builds must stop with a message, or use the header that was specified. A program
# that calls HashKey, built by CMake and by make, stands in for RocksDB's tree.
# xxhash_test.sh SOURCE_FOLDER XXHASH_INCLUDE_FOLDER CC CXX
set -euo pipefail
export LC_ALL=C
# shellcheck source=tests/support/script.sh disable=SC1091 # the path is relative to shellcheck's working directory
. "$(dirname "$0")/../support/script.sh"

source=$1
headers=$2
c_compiler=$3
compiler=$4
unset XXHASH_INCLUDE_DIR WINNOW_STAND_IN CXXFLAGS EXTRA_CXXFLAGS CPATH MAKEFLAGS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A fake header with another hash than 0.8, and with the include guard that all versions share.
mkdir "$work/front"
cat >"$work/front/xxhash.h" <<'CODE'
#ifndef XXHASH_H_5627135585666179
#define XXHASH_H_5627135585666179 1
#include <stddef.h>
#define XXH_VERSION_NUMBER 704
static inline unsigned long long XXH3_64bits(const void* bytes, size_t size) { return (void)bytes, size; }
#endif
CODE

# refused WHAT COMMAND…: expects that the command fails and says which xxHash is needed.
refused() {
  local said status=0
  said=$("${@:2}" 2>&1) || status=$?
  ((status != 0)) || fail "$1 is compiled with an xxHash older than 0.8.0"
  [[ $said == *"xxHash 0.8.0 or later"* ]] || fail "$1: $said"
}

refused hash.cc "$compiler" -std=c++17 -fsyntax-only -DXXH_INLINE_ALL -I "$work/front" -isystem "$headers" -I "$source/include" \
  -I "$source" "$source/src/core/hash.cc"
refused standalone_reader.c "$c_compiler" -fsyntax-only -DXXH_INLINE_ALL -I "$work/front" -isystem "$headers" \
  "$source/tests/core/standalone_reader.c"

# The parts of RocksDB's tree that Winnow's build files use.
tree=$work/rocksdb
mkdir -p "$tree/plugin" "$tree/table/block_based"
ln -s "$source" "$tree/plugin/winnow"
touch "$tree/table/block_based/filter_policy_internal.h"
cat >"$tree/hash.cc" <<'CODE'
#include <cstdio>

#include "src/simd/kernels.h"
#include "winnow/hash.h"

// Kernels hash long keys only.
const winnow::simd::Kernels& winnow::simd::ActiveKernels() noexcept {
  static const Kernels none{};
  return none;
}

int main() { std::printf("%016llx\n", static_cast<unsigned long long>(winnow::HashKey("abc").value)); }
CODE
cat >"$tree/CMakeLists.txt" <<'CODE'
cmake_minimum_required(VERSION 3.22)
project(rocksdb CXX)
set(CMAKE_CXX_STANDARD 17)
include_directories(BEFORE ${FRONT})
add_subdirectory(plugin/winnow)
add_executable(hash hash.cc plugin/winnow/src/core/hash.cc)
target_include_directories(hash PRIVATE plugin/winnow/include plugin/winnow)
CODE
cat >"$tree/Makefile" <<'CODE'
OBJ_DIR = objects
CXXFLAGS += -std=c++17 $(FRONT) $(EXTRA_CXXFLAGS) -Iplugin/winnow/include -Iplugin/winnow
include plugin/winnow/winnow.mk
hash: hash.cc objects/plugin/winnow/src/core/hash.o
	$(CXX) $(CXXFLAGS) $^ -o $@
objects/%.o: %.cc
	mkdir -p $(@D)
	$(CXX) $(CXXFLAGS) -c $< -o $@
CODE

# hashes_right PROGRAM: checks the hash that the program prints.
hashes_right() {
  local hash
  hash=$("$1")
  [[ $hash == 78af5f94892f3950 ]] || fail "$1: the hash of \"abc\" is $hash, not that of XXH3, 78af5f94892f3950"
}

by_cmake() { # FOLDER ARGUMENT…
  cmake -G "Unix Makefiles" -S "$tree" -B "$work/$1" -DCMAKE_CXX_COMPILER="$compiler" "${@:2}" && cmake --build "$work/$1"
}
by_cmake told -DFRONT="$work/front" -DXXHASH_INCLUDE_DIR="$headers" >"$work/log" 2>&1 || fail "CMake: $(cat "$work/log")"
hashes_right "$work/told/hash"
refused "CMake, told the old one," by_cmake old -DXXHASH_INCLUDE_DIR="$work/front"

by_make() { # ARGUMENT…
  rm -rf "$tree/hash" "$tree/objects"
  make -C "$tree" CXX="$compiler" "$@" hash
}
# Flags specific to RocksDB's Makefile.
by_make FRONT="-I$work/front" XXHASH_INCLUDE_DIR="$headers" >"$work/log" 2>&1 || fail "make: $(cat "$work/log")"
hashes_right "$tree/hash"
by_make FRONT="-I$work/front" EXTRA_CXXFLAGS="-isystem $headers" >"$work/log" 2>&1 || fail "make: $(cat "$work/log")"
hashes_right "$tree/hash"
by_make EXTRA_CXXFLAGS="-I$work/front" XXHASH_INCLUDE_DIR="$headers" >"$work/log" 2>&1 || fail "make: $(cat "$work/log")"
hashes_right "$tree/hash"
refused "make, where the old one comes first," by_make EXTRA_CXXFLAGS="-I$work/front"
refused "make, told the old one," by_make XXHASH_INCLUDE_DIR="$work/front"
refused "make, told a folder without one," by_make XXHASH_INCLUDE_DIR="$work"
