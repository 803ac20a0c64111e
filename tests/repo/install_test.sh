#!/bin/bash
# Installs a build and uses it as users do: by CMake's find_package and by pkg-config, linked with
# --as-needed, the default of many distributions.
# install_test.sh BUILD_FOLDER SOURCE_FOLDER ROCKSDB_ROOT STANDARD CXX [FLAG…]
# ROCKSDB_ROOT is empty for the system's RocksDB, STANDARD is that of its headers, such as 17, and
# FLAGs apply to every compilation.
set -euo pipefail
# shellcheck source=tests/support/script.sh disable=SC1091 # the path is relative to shellcheck's working directory
. "$(dirname "$0")/../support/script.sh"

built=$1
source=$2
rocksdb=$3
standard=$4
compiler=$5
shift 5
flags=("$@")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Moves the installation, which must be relocatable.
cmake --install "$built" --prefix "$work/first" >"$work/install.log" ||
  fail "cmake --install failed: $(cat "$work/install.log")"
prefix="$work/moved"
mv "$work/first" "$prefix"

library_folder=$(dirname "$(dirname "$(find "$prefix" -name winnow.pc)")")
core_libraries=(libwinnow.so libwinnow_amq.so)
[[ -e $library_folder/libwinnow.so ]] || core_libraries=(libwinnow.a libwinnow_amq.a)
is_static=false
libraries=(libwinnow_rocksdb.so)
if [[ -e $library_folder/libwinnow_rocksdb.a ]]; then
  is_static=true
  libraries=(libwinnow_rocksdb.a)
fi
[[ ! -e $built/lib/libwinnow_preload.so ]] || libraries+=(libwinnow_preload.so)
# is_packaged FILE: returns whether one of Debian's packages has the file.
mapfile -t packaged < <(grep -h '^usr/include/' "$source"/debian/*.install)
is_packaged() {
  local pattern
  for pattern in "${packaged[@]}"; do
    # shellcheck disable=SC2053 # the right side is a pattern
    [[ usr/$1 != $pattern ]] || return 0
  done
  return 1
}

for file in "$source"/include/winnow/*.h "$source"/streams/include/winnow/amq/*.h \
            "$source"/streams/include/winnow/amq/internal/*.h; do
  header=include/${file##*/include/}
  [[ -f $prefix/$header ]] || fail "$header is not installed"
  is_packaged "$header" || fail "no debian/*.install names $header"
done
for file in "${core_libraries[@]}" "${libraries[@]}" pkgconfig/winnow.pc pkgconfig/winnow_amq.pc \
  pkgconfig/winnow_rocksdb.pc cmake/winnow/winnowConfig.cmake; do
  [[ -e $library_folder/$file ]] || fail "$file is not installed in $library_folder"
done
for file in winnow db_bench_ext; do
  "$prefix/bin/$file" --help >"$work/help.log" 2>&1 ||
    fail "the installed $file --help ends with $?: $(cat "$work/help.log")"
done
for file in man/man1/winnow.1 man/man1/winnow-inspect.1 bash-completion/completions/winnow \
  man/man1/db_bench_ext.1 bash-completion/completions/db_bench_ext; do
  [[ -s $prefix/share/$file ]] || fail "share/$file is not installed"
done
! grep -rIl "$work/first" "$prefix" || fail "the files above name the prefix of the installation"

# use NAME EXECUTABLE: runs a user's program, and names it if it fails.
use() {
  echo "== $1"
  LD_LIBRARY_PATH=$library_folder${rocksdb:+:$rocksdb/lib:$rocksdb/lib64} "${@:2}" || fail "$1: the program ends with $?"
}

# Prints the folder of a user's project.
project_of() {
  local folder=$source/tests/install/$1
  [[ -d $folder ]] || folder=$source/streams/tests/install/$1
  echo "$folder"
}

build_by_find_package() {
  cmake -G Ninja -S "$(project_of "$1")" -B "$work/cmake_$1" -DREGISTER=$is_static \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="${flags[*]}" \
    -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_EXE_LINKER_FLAGS=-Wl,--as-needed &&
    cmake --build "$work/cmake_$1"
}

build_by_pkg_config() {
  local words
  words=$(PKG_CONFIG_PATH=$library_folder/pkgconfig${rocksdb:+:$rocksdb/lib/pkgconfig} pkg-config --cflags --libs "$2") || return
  # shellcheck disable=SC2086 # word splitting is intended
  "$compiler" -std="c++$standard" "${flags[@]}" -Wl,--as-needed "$(project_of "$1")/main.cc" \
    $words -o "$work/pkg_config_$1"
}

build() {
  echo "== build $*"
  "$@" >"$work/build.log" 2>&1 || fail "$* failed: $(cat "$work/build.log")"
}

build build_by_find_package core
build build_by_find_package amq
build build_by_find_package rocksdb
build build_by_pkg_config core winnow
build build_by_pkg_config amq winnow_amq
# RocksDB's CMake writes no pkg-config file in older versions, and never includes the dependencies
# of a static library.
if ! $is_static && [[ -z $rocksdb || -f $rocksdb/lib/pkgconfig/rocksdb.pc ]]; then
  build build_by_pkg_config rocksdb winnow_rocksdb
  use "rocksdb by pkg-config" "$work/pkg_config_rocksdb" "$work/second_database"
fi

use "core by find_package" "$work/cmake_core/core_user"
use "core by pkg-config" "$work/pkg_config_core"
use "amq by find_package" "$work/cmake_amq/amq_user"
use "amq by pkg-config" "$work/pkg_config_amq"
use "rocksdb by find_package" "$work/cmake_rocksdb/rocksdb_user" "$work/first_database"

# The preloaded library finds the plugin in its own folder, also after a move.
if [[ -e $library_folder/libwinnow_preload.so && -x $built/tests/preload_client ]]; then
  echo "== preloaded"
  said=$(env WINNOW_LOG=1 LD_PRELOAD="$library_folder/libwinnow_preload.so" "$built/tests/preload_client" idle 2>&1) ||
    fail "preloaded: the program ends with $?"
  [[ "$said" == "winnow: in force in preload_client"* ]] || fail "preloaded: it said: $said"
  said=$("$prefix/bin/winnow" run --log "$built/tests/preload_client" idle 2>&1) ||
    fail "winnow run: the program ends with $?: $said"
  [[ "$said" == "winnow: in force in preload_client"* ]] || fail "winnow run: it said: $said"
  said=$("$prefix/bin/winnow" run --dry_run "$built/tests/preload_client") || fail "winnow run --dry_run: ends with $?"
  [[ "$said" == *" $(realpath "$library_folder")/libwinnow_preload.so"* ]] || fail "winnow run is not for the installed library: $said"
  mv "$library_folder"/libwinnow_rocksdb.so.2 "$work/away"
  said=$(env WINNOW_LOG=1 LD_PRELOAD="$library_folder/libwinnow_preload.so" "$built/tests/preload_client" idle 2>&1) ||
    fail "preloaded without the plugin: the program ends with $?"
  [[ "$said" == "winnow: not in force"*"libwinnow_rocksdb.so.2 can't be opened"*"expected it beside"* ]] ||
    fail "preloaded without the plugin: it said: $said"
fi
