#!/bin/bash
# Tests that winnow:10 costs no more memory and false reads, relative to bloomfilter:10, than docs/which-policy.md says of
# databases of a shape.
# shape_costs_test.sh BUILD_FOLDER SOURCE_FOLDER SHAPE
# SHAPE is one of shape_client's; with _compacted, RocksDB's filters are converted by CompactRange of everything, instead
# of by writing the keys. With WINNOW_SHAPE_KEYS=1000000 in the environment, databases have so many keys, and the costs of
# other ways to the policy, and of other policies, are printed, too.
set -euo pipefail
# shellcheck source=tests/support/script.sh disable=SC1091 # the path is relative to shellcheck's working directory
. "$(dirname "$0")/../support/script.sh"

build=$1 source=$2 shape=${3%_compacted}
case $3 in
full) row='leveled, each level a tenth of the next one' ;;
partitions) row='the same, with partitioned filters' ;;
block_cache) row='the same, with filters in the block cache' ;;
growing) row='leveled, two levels of about one size' ;;
few_small_files) row='a few small files' ;;
in_order) row='keys written in order' ;;
growing_compacted) row='all compacted into one level of many files' ;;
one_file_compacted) row='all compacted into one file' ;;
reverse) row='reverse bytewise comparator, leveled' ;;
reverse_compacted) row='the same, compacted into one level' ;;
own) row='comparator of your own, leveled' ;;
own_compacted) row='the same, compacted into one sorted run' ;;
universal) row='universal' ;;
universal_compacted) row='universal, compacted into one sorted run' ;;
fifo) row='FIFO, ten files' ;;
*) fail "the page has no row of shape $3" ;;
esac
read -r page_memory page_reads < <(sed -n "s/^| $row | \([0-9.]*\) | \([0-9.]*\) |.*/\1 \2/p" "$source/docs/which-policy.md") ||
  fail "the page has no row '$row'"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
client=$build/tests/shape_client
keys=${WINNOW_SHAPE_KEYS-200000}
stock=(bloomfilter:10 "$keys")

# costs NAME POLICY DBOPTIONS ENVIRONMENT…: makes a database, and sets bits and passed: the bits per key of its filters,
# and how many of the lookups they passed.
costs() {
  local name=$1 policy=$2 options=() said
  [[ -z $3 ]] || options=("$3")
  shift 3
  if [[ $test_shape == "$shape" ]]; then
    env "$@" "$client" write "$shape" "$work/db" "$policy" "$keys" "${options[@]}"
  else
    "$client" write "$shape" "$work/db" "${stock[@]}"
    env "$@" "$client" compact "$shape" "$work/db" "$policy" "$keys" "${options[@]}"
  fi
  said=$(env "$@" "$client" look "$shape" "$work/db" "$policy" "$keys" "$keys" "${options[@]}")
  bits=${said#bits_per_key=} bits=${bits%% *}
  passed=${said#*passed=} passed=${passed%% *}
  printf '%s: %s: %s\n' "$test_shape" "$name" "$said"
}

over() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a / b }'; }

# compare NAME POLICY DBOPTIONS ENVIRONMENT…: as costs, and sets memory and reads, relative to bloomfilter:10.
compare() {
  costs "$@"
  memory=$(over "$bits" "$bloom_bits") reads=$(over "$passed" "$bloom_passed")
  printf '%s: %s: memory %s, false reads %s\n' "$test_shape" "$1" "$memory" "$reads"
}

test_shape=$3
costs bloomfilter:10 bloomfilter:10 '' WINNOW_LOG=
bloom_bits=$bits bloom_passed=$passed
preload=LD_PRELOAD=$build/lib/libwinnow_preload.so
if [[ -n ${WINNOW_SHAPE_KEYS-} ]]; then
  plugin=LD_PRELOAD=$build/lib/libwinnow_rocksdb.so
  compare listeners=winnow winnow:10 listeners=winnow "$plugin"
  compare 'no listener' winnow:10 '' "$plugin"
  for policy in winnow winnow:10.5 winnow:11 '{id=winnow;bits_per_key=10;level_plan=uniform}'; do
    compare "preloaded $policy" bloomfilter:10 '' "$preload" "WINNOW_POLICY=$policy"
  done
fi
compare preloaded bloomfilter:10 '' "$preload" WINNOW_POLICY=winnow:10

# at_most COST PAGE MORE: succeeds unless the cost is more than the page says, by more than chance and the smaller files of
# smaller databases explain.
at_most() { awk -v cost="$1" -v page="$2" -v more="$3" 'BEGIN { exit !(cost <= page + more) }'; }
at_most "$memory" "$page_memory" 0.08 || fail "filters take $memory of the memory; the page says $page_memory"
at_most "$reads" "$page_reads" 0.15 || fail "they have $reads times the false reads; the page says $page_reads"
