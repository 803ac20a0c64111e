#!/bin/bash
# Builds RocksDB from Debian's source package for this machine's processor, optimized and without assertions,
# as the rival in filter_bench. Debian's own library is built for all x86-64 processors and with assertions.
# The version is that of the installed librocksdb-dev, so that programs can be compiled for either library.
#
#   tools/build_native_rocksdb.sh [--jobs=N]
#
# Leaves build/rocksdb-native/include/, build/rocksdb-native/lib/librocksdb.a and
# build/rocksdb-native/built-as, which describes the build. Does nothing if these exist for the version. Takes
# about ten minutes of processor time; --jobs is the number of processors by default.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=$(nproc)
for argument in "$@"; do
  case $argument in
  --jobs=[1-9] | --jobs=[1-9][0-9]) jobs=${argument#*=} ;;
  *)
    echo "tools/build_native_rocksdb.sh: unknown argument '$argument'; the only one is --jobs=N" >&2
    exit 2
    ;;
  esac
done

fail() {
  printf 'tools/build_native_rocksdb.sh: %s\n' "$*" >&2
  exit 1
}

for program in dpkg-query cmake ninja g++; do
  command -v "$program" >/dev/null ||
    fail "$program is missing; on Debian and Ubuntu: apt-get install cmake ninja-build g++"
done
# shellcheck disable=SC2016 # dpkg-query's variable
version=$(dpkg-query -W -f '${source:Version}' librocksdb-dev 2>/dev/null) || version=
[[ -n $version ]] || fail "librocksdb-dev is not installed, whose version is to be built; run tools/setup.sh"

# Definitions that RocksDB's Makefile derives from processor and compiler, and its CMake files of version 7.8
# do not. Without them, its Bloom filters are queried without vector instructions and its Ribbon filters have
# no 128-bit integers.
definitions=
macros=$(g++ -march=native -dM -E -x c++ /dev/null)
for pair in __AVX2__=HAVE_AVX2 __BMI__=HAVE_BMI __LZCNT__=HAVE_LZCNT __SIZEOF_INT128__=HAVE_UINT128_EXTENSION; do
  [[ $macros != *"#define ${pair%=*} "* ]] || definitions+=" -D${pair#*=}"
done

target=build/rocksdb-native
described="RocksDB $version, -O2 -march=native -DNDEBUG$definitions for $(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1), $(g++ --version | head -n 1)"
if [[ -f $target/lib/librocksdb.a && $(cat "$target/built-as" 2>/dev/null) == "$described" ]]; then
  echo "tools/build_native_rocksdb.sh: $target is there: $described"
  exit 0
fi

work=$PWD/$target/work
source=$(tools/fetch_rocksdb_source.sh)

echo "Building $described"
# The flags are those of upstream's release builds: -O2 as in upstream's Makefile, and in Winnow's presets.
# Compression libraries of the package are used if their headers are installed; filters need none.
cmake -G Ninja -S "$source" -B "$work/build" -Wno-dev --log-level=WARNING \
  -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS=$definitions" "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG" -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
  -DCMAKE_INSTALL_PREFIX="$PWD/$target" -DCMAKE_INSTALL_LIBDIR=lib \
  -DPORTABLE=OFF -DUSE_RTTI=OFF -DFAIL_ON_WARNINGS=OFF -DROCKSDB_BUILD_SHARED=OFF \
  -DWITH_GFLAGS=OFF -DWITH_TESTS=OFF -DWITH_ALL_TESTS=OFF -DWITH_TOOLS=OFF -DWITH_CORE_TOOLS=OFF \
  -DWITH_BENCHMARK_TOOLS=OFF -DWITH_TRACE_TOOLS=OFF -DWITH_EXAMPLES=OFF -DWITH_JNI=OFF \
  -DWITH_LIBURING=OFF -DWITH_NUMA=OFF -DWITH_JEMALLOC=OFF \
  -DWITH_LZ4=OFF -DWITH_SNAPPY=OFF -DWITH_ZLIB=OFF -DWITH_ZSTD=OFF -DWITH_BZ2=OFF
cmake --build "$work/build" --target rocksdb --parallel "$jobs"
rm -rf build/rocksdb-native/{include,lib,built-as}
mkdir -p "$target/lib"
cp -R "$source/include" "$target/include"
cp "$work/build/librocksdb.a" "$target/lib/"
echo "$described" >"$target/built-as"
echo "tools/build_native_rocksdb.sh: built $target: $described"
