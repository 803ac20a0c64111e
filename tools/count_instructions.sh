#!/bin/bash
# Counts the instructions per key for building and querying Winnow's and RocksDB's filters:
#   tools/count_instructions.sh [--keys=N] BUILD
#   tools/count_instructions.sh --ways BUILD    lookups in Winnow's filters, by each way to use Winnow in RocksDB
#   tools/count_instructions.sh --seeks BUILD   seeks of iterators, and lookups, with and without range filters
# BUILD is a build folder of this tree with bin/filter_bench; it may be for another machine, as
# build/arm64_rocksdb. A plugin of an emulator counts, so that results are reproducible. It needs Debian 12,
# whose qemu-user supports plugins; that of Debian 13 does not. The emulator has AVX2, but neither AVX-512 nor
# GFNI. Instructions are not times.
set -euo pipefail

fail() {
  echo "tools/count_instructions.sh: $*" >&2
  exit 2
}

mode=
if [[ ${1-} == --ways || ${1-} == --seeks ]]; then
  mode=$1
  shift
fi
keys=100000
if [[ ${1-} =~ ^--keys=(10000|100000|1000000)$ ]]; then
  keys=${BASH_REMATCH[1]}
  shift
fi
if [[ $mode == --seeks ]]; then
  [[ $# == 1 && -e ${1-}/lib/libwinnow_rocksdb.so ]] || fail "expected --seeks and a build folder with the target winnow_rocksdb"
elif [[ $mode == --ways ]]; then
  [[ $# == 1 && -e ${1-}/bound/lib/libwinnow_preload.so && -e $1/lib/winnow/libwinnow_adopted.a ]] ||
    fail "expected --ways and a build folder with the targets winnow_tool, winnow_adopted and preload_bound_test"
else
  [[ $# == 1 && -x ${1-}/bin/filter_bench ]] ||
    fail "expected [--keys=10000|100000|1000000] and a build folder with bin/filter_bench"
fi
build=$1

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
processor=$(cached WINNOW_EMULATED)
sysroot=$(cached WINNOW_SYSROOT)
emulator=("qemu-${processor:-$(uname -m)}" -cpu max ${sysroot:+-L "$sysroot"})
command -v "${emulator[0]}" >/dev/null || fail "there is no ${emulator[0]}; tools/setup.sh qemu-user installs it"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
plugin=$work/plugin.so
"${CC:-cc}" -O2 -shared -fPIC -fvisibility=hidden "$(dirname "$0")/count_instructions.c" -o "$plugin"

# emulated [OPTION]… COMMAND…: prints the program's output and a line with its number of instructions.
emulated() {
  local said
  said=$("${emulator[@]}" -plugin "$plugin" "$@" 2>&1) || fail "$* failed: $said"
  echo "$said"
}
instructions_in() { sed -n 's/^instructions //p'; }

# ---- Ways to use Winnow, in programs for this machine

# lookups POLICY COMMAND…: prints the instructions per lookup, in tenths.
lookups() {
  local number said counts=()
  for number in 10000 110000; do
    said=$(emulated -E "WINNOW_POLICY=$1" "${@:2}" "$number") || exit
    grep -q " filter of $bytes bytes$" <<<"$said" || fail "${*:2} has not built the filter that the first way has: $said"
    counts+=("$(instructions_in <<<"$said")")
  done
  echo $(((counts[1] - counts[0]) / 10000))
}

# Counts lookups with the linked plugin, with the bound one, and in a program with an adopted librocksdb.a.
count_ways() {
  local library needs each figures policy program=$work/linked source
  source=$(dirname "$0")/..
  library=$(cached ROCKSDB_LIBRARY)
  "${CXX:-c++}" -std=c++20 -O2 -I"$source" -c "$source/tests/preload/count_lookups.cc" -o "$work/lookups.o"
  "${CXX:-c++}" "$work/lookups.o" "$library" -o "$program"
  for each in "$program" "$(ldd "$program" | sed -n 's/.*librocksdb[^ ]* => \([^ ]*\).*/\1/p')"; do
    LC_ALL=C sed 's/librocksdb/libcarried/g' "$each" >"$work/$(basename "${each/librocksdb/libcarried}" | sed 's/^linked$/bound/')"
  done
  chmod +x "$work/bound"
  "$build/bin/winnow" adopt "$(dirname "$library")/librocksdb.a" -o "$work/librocksdb.a" >/dev/null
  # shellcheck disable=SC2016 # the name is pkg-config's
  read -ra needs < <(sed -n 's/^Libs: -L\${libdir} -lrocksdb //p' "$work/rocksdb.pc")
  "${CXX:-c++}" "$work/lookups.o" "$work/librocksdb.a" "${needs[@]}" -o "$work/tree"

  echo '| instructions a lookup, 100000 keys, half of the asked present | linked | bound | in tree |'
  echo '|---|---:|---:|---:|'
  for policy in '{id=winnow;bits_per_key=10;ribbon_min_keys=1000000}' 'winnow:10'; do
    local preload=$build/lib/libwinnow_preload.so
    bytes=$(LD_PRELOAD=$preload WINNOW_POLICY=$policy "$program" 1 | grep -Eo '[0-9]+ bytes' | grep -o '^[0-9]*')
    figures=("$(lookups "$policy" -E "LD_PRELOAD=$preload" "$program")"
      "$(lookups "$policy" -E "LD_PRELOAD=$build/bound/lib/libwinnow_preload.so" -E "LD_LIBRARY_PATH=$work" "$work/bound")"
      "$(lookups "$policy" "$work/tree")")
    [[ $policy == winnow:10 ]] && printf '| Ribbon |' || printf '| Bloom |'
    for each in "${figures[@]}"; do printf ' %d.%d |' $((each / 10)) $((each % 10)); done
    echo
  done
}
if [[ $mode == --ways ]]; then
  count_ways
  exit
fi

# ---- Seeks, in programs for this machine

# seeks POLICY EXTRACTOR KEYS KIND: prints the instructions per seek.
seeks() {
  local number said counts=()
  for number in 2000 12000; do
    said=$(emulated "$work/seeks" "$@" "$number") || exit
    counts+=("$(instructions_in <<<"$said")")
  done
  echo $(((counts[1] - counts[0]) / 10000))
}

count_seeks() {
  local source rocksdb keys kind words range_kind without with ratio
  source=$(dirname "$0")/..
  rocksdb=$(cached ROCKSDB_LIBRARY)
  "${CXX:-c++}" -std=c++20 -O2 -I"$source" -I "$(cached ROCKSDB_INCLUDE_DIR)" "$source/tests/rocksdb/ranges/count_seeks.cc" \
    -L"$build/lib" -Wl,-rpath,"$(realpath "$build")/lib" -Wl,--no-as-needed -lwinnow_rocksdb "$rocksdb" -Wl,-rpath,"$(dirname "$rocksdb")" -o "$work/seeks"
  echo '| instructions a seek in eight sorted runs, 100000 random keys | no range filters | range filters | |'
  echo '|---|---:|---:|---:|'
  while read -r keys kind words; do
    without=$(seeks winnow:10 none "$keys" "$kind") || exit
    range_kind=positions
    [[ $words != *', trees' ]] || range_kind=trees
    with=$(seeks "{id=winnow;bits_per_key=10;range_bits=15;range_kind=$range_kind}" winnow.range "$keys" "$kind") || exit
    ratio=$(((with * 1000 / without + 5) / 10))
    printf '| %s: %s | %d | %d | %d.%02d |\n' "$keys" "$words" "$without" "$with" $((ratio / 100)) $((ratio % 100))
  done <<'END'
integers behind with a bound, behind a key: nothing is there
integers present with a bound, from a key on
integers new with a bound, from a key on, and a new iterator each time
integers asked a wide range, when filters are asked each time
integers wide a wide range, when they are asked seldom
integers newwide a wide range, when they are asked seldom, and a new iterator each time
integers auto a wide range, when they are asked seldom, a new iterator each time and `auto_prefix_mode`
integers unbound without a bound
integers get no seek, but a `Get` of a key that is there
integers absent a `Get` of a key that is not there
decimals behind with a bound, behind a key: nothing is there
decimals asked a wide range, when filters are asked each time
decimals asked a wide range, when filters are asked each time, trees
decimals wide a wide range, when they are asked seldom
decimals newwide a wide range, when they are asked seldom, and a new iterator each time
decimals auto a wide range, when they are asked seldom, a new iterator each time and `auto_prefix_mode`
END
}
if [[ $mode == --seeks ]]; then
  count_seeks
  exit
fi

# ---- Comparison with RocksDB's filters

# run ROW ITERATIONS: prints the instructions of the whole program.
run() {
  emulated "$build/bin/filter_bench" --benchmark_filter="^$1/iterations:" --iterations="$2" | instructions_in
}

# a_key ROW ITERATIONS KEYS: prints the instructions per key in tenths, for so many iterations with so many
# keys each: the difference of two runs.
a_key() {
  local once often
  once=$(run "$1" 1) || exit
  often=$(run "$1" $(($2 + 1))) || exit
  echo $(((often - once) * 10 / ($2 * $3)))
}

subjects=(winnow_bloom winnow_ribbon builtin_bloom builtin_ribbon)
# print_row WORDS ROW ITERATIONS KEYS LESS: prints a table row; a % in ROW stands for the subject.
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
