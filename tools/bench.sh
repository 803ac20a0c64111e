#!/bin/bash
# Measures Winnow's filters and RocksDB's built-in ones, and writes a page of results: build/bench/README.md,
# from build/bench/*.json.
#
#   tools/bench.sh [--quick] [--huge] [--system] [--repetitions=N]
#
#   --quick         fewer rows and less time per row: minutes instead of an hour
#   --huge          also filters with 10^8 keys
#   --system        compares with the system's RocksDB instead of one built for this processor
#   --repetitions   number of measurements per row, of which the page has the medians: 15 by default, 5 with --quick
#
# The rival is a RocksDB built for speed, which tools/build_native_rocksdb.sh makes in the first run. Each row
# runs next to its rivals and to a copy of itself, in rounds, so that all are measured under the same
# conditions; the page marks differences that the copy shows to be noise.
set -euo pipefail
cd "$(dirname "$0")/.."
command_line="tools/bench.sh $*"

fail() {
  printf 'tools/bench.sh: %s\n' "$*" >&2
  exit 1
}

quick=
huge=()
native=1
repetitions=
for argument in "$@"; do
  case $argument in
  --quick) quick=1 ;;
  --huge) huge=(--huge) ;;
  --system) native= ;;
  --repetitions=[1-9] | --repetitions=[1-9][0-9]) repetitions=${argument#*=} ;;
  *)
    echo "tools/bench.sh: unknown argument '$argument'; see the top of the script" >&2
    exit 2
    ;;
  esac
done
repetitions=${repetitions:-$([[ -n $quick ]] && echo 5 || echo 15)}
command -v python3 >/dev/null || fail "python3 is missing, which writes the page; on Debian and Ubuntu: apt-get install python3"

tools/setup.sh
if [[ -n $native ]]; then
  tools/build_native_rocksdb.sh
  program=filter_bench_native
  cmake --preset release -DWINNOW_NATIVE_ROCKSDB=build/rocksdb-native >/dev/null
else
  program=filter_bench
  cmake --preset release >/dev/null
fi
cmake --build --preset release --target "$program"

mkdir -p build/bench
rm -f build/bench/*.json

folder=build/release
# measure NAME SECONDS FILTER: runs the matching rows and writes build/bench/NAME.json.
measure() {
  echo "Measuring $1: $3"
  "$folder/bin/$program" "${huge[@]}" "--benchmark_filter=$3" "--benchmark_min_time=$2" \
    "--rounds=$repetitions" "--json=build/bench/$1.json" 2>"build/bench/$1.log" ||
    fail "the rows of $1 could not be measured; see build/bench/$1.log"
}

if [[ -n $quick ]]; then
  measure build 0.1 '^build(_phases)?/'
  WINNOW_KERNEL=avx2 measure build_avx2 0.1 '^build/.*/(100000|1000000)$'
  WINNOW_KERNEL=portable measure build_portable 0.1 '^build/.*/(100000|1000000)$'
  measure query 0.1 '^keys/|^(query|multiget)/(hot|random_of_100)/.*/(100000|1000000|10000000)$|^library/'
  WINNOW_KERNEL=avx2 measure query_avx2 0.1 '^query/(hot|random_of_100)/.*/(100000|1000000)$'
  WINNOW_KERNEL=portable measure query_portable 0.1 '^query/(hot|random_of_100)/.*/(100000|1000000)$'
  measure filter_set 0.1 '^filter_set_of_.*/(1|4|8|24|128)$'
  measure space 0.1 '^space/'
else
  measure build 0.5 '^build(_phases)?/'
  WINNOW_KERNEL=avx2 measure build_avx2 0.5 '^build/.*/(100000|1000000)$'
  WINNOW_KERNEL=portable measure build_portable 0.5 '^build/.*/(100000|1000000)$'
  measure query 0.5 '^keys/|^(query|multiget)/(hot|random_of_100)/|^library/'
  measure alignment 0.2 '^query/at_'
  WINNOW_KERNEL=avx2 measure query_avx2 0.5 '^(query|multiget)/(hot|random_of_100)/.*/[0-9]+$'
  WINNOW_KERNEL=portable measure query_portable 0.5 '^(query|multiget)/(hot|random_of_100)/.*/[0-9]+$'
  measure filter_set 0.2 '^filter_set_'
  measure space 0.5 '^space/'
  # Winnow compiled for this processor should be no faster, as kernels are chosen at run time.
  folder=build/bench/compiled-natively
  cmake -G Ninja -S . -B "$folder" -DCMAKE_BUILD_TYPE=Release \
    "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -march=native -Wno-uninitialized -Wno-maybe-uninitialized" \
    -DWINNOW_TESTS=OFF -DWINNOW_NATIVE_ROCKSDB="${native:+build/rocksdb-native}" >/dev/null
  cmake --build "$folder" --target "$program"
  measure compiled_natively 0.5 '^build/.*/(100000|1000000)$|^query/(hot|random_of_100)/.*/(100000|1000000)$'
fi
python3 tools/bench_page.py "$command_line" build/bench
echo "tools/bench.sh: build/bench/README.md"
