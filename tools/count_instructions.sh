#!/bin/bash
# Counts what building a filter and a lookup take, in instructions a key, of Winnow's filters and RocksDB's beside them:
#   tools/count_instructions.sh [--keys=N] BUILD
# BUILD is a build folder of this tree with bin/filter_bench, also one for another machine, as build/arm64_rocksdb. An emulator
# counts, with a plugin, so that the figures are the same each time: on Debian 12, whose emulator of qemu-user takes plugins;
# Debian 13's does not. It knows AVX2, and neither AVX-512 nor GFNI. Instructions are not times.
set -euo pipefail

fail() {
  echo "tools/count_instructions.sh: $*" >&2
  exit 2
}

keys=100000
if [[ ${1-} =~ ^--keys=(10000|100000|1000000)$ ]]; then
  keys=${BASH_REMATCH[1]}
  shift
fi
[[ $# == 1 && -x ${1-}/bin/filter_bench ]] ||
  fail "expected [--keys=10000|100000|1000000] and a build folder with bin/filter_bench"
build=$1

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
processor=$(cached WINNOW_EMULATED)
sysroot=$(cached WINNOW_SYSROOT)
emulator=("qemu-${processor:-$(uname -m)}" -cpu max ${sysroot:+-L "$sysroot"})
command -v "${emulator[0]}" >/dev/null || fail "there is no ${emulator[0]}; tools/setup.sh qemu-user installs it"

plugin=$(mktemp --suffix=.so)
trap 'rm -f "$plugin"' EXIT
"${CC:-cc}" -O2 -shared -fPIC -fvisibility=hidden "$(dirname "$0")/count_instructions.c" -o "$plugin"

# run ROW ITERATIONS: the instructions of the whole program.
run() {
  local said
  said=$("${emulator[@]}" -plugin "$plugin" "$build/bin/filter_bench" --benchmark_filter="^$1/iterations:" --iterations="$2" 2>&1) ||
    fail "$1 failed: $said"
  sed -n 's/^instructions //p' <<<"$said"
}

# a_key ROW ITERATIONS KEYS: what a key takes, in tenths: of so many iterations with so many keys each, by the difference of
# two runs.
a_key() {
  local once often
  once=$(run "$1" 1) || exit
  often=$(run "$1" $(($2 + 1))) || exit
  echo $(((often - once) * 10 / ($2 * $3)))
}

subjects=(winnow_bloom winnow_ribbon builtin_bloom builtin_ribbon)
# print_row WORDS ROW ITERATIONS KEYS LESS: ROW has a % for the subject.
print_row() {
  local figures=() subject each
  for subject in "${subjects[@]}"; do
    each=$(a_key "${2/\%/$subject}" "$3" "$4") || exit
    figures+=($((each - $5)))
  done
  printf '| %s |' "$1"
  for each in "${figures[@]}"; do
    printf ' %d.%d |' $((each / 10)) $((each % 10))
  done
  for each in 0 1; do
    printf ' %d.%02d |' $((figures[each] / figures[2])) $((figures[each] * 100 / figures[2] % 100))
  done
  echo
}

"${emulator[@]}" "$build/bin/filter_bench" --benchmark_filter=^keys/half --iterations=1 2>&1 | grep '^winnow_kernel'
echo "| instructions a key, $keys keys | Winnow Bloom | Winnow Ribbon | RocksDB's Bloom | RocksDB's Ribbon | Bloom to its Bloom | Ribbon to its Bloom |"
echo '|---|---:|---:|---:|---:|---:|---:|'
print_row building "build/%/$keys" 3 "$keys" 0
for presence in half absent; do
  making=$(a_key "keys/$presence" 10000 32) || exit
  words=${presence/half/half of the keys present}
  print_row "a lookup, $words" "query/hot/$presence/%/$keys" 10000 32 "$making"
  print_row "MultiGet, $words" "multiget/hot/$presence/%/$keys" 10000 32 "$making"
done
