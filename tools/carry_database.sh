#!/bin/bash
# Opens one database with a series of RocksDB versions and back again, with and without Winnow at each stop,
# and looks up every key at every stop both ways:
#   tools/carry_database.sh [--keys=N] BUILD…
# BUILDs are build folders of this tree with its tests, ordered by RocksDB version, oldest first;
# CHROOT//BUILD is a build folder in a chroot (run as root). With tools/emulated.sh MACHINE, one may be for
# another machine. Tables have format version 5, the newest that RocksDB 7.8 reads.
#
# Half of the keys are rewritten and compacted at each stop, once with Winnow and once with RocksDB's Bloom
# filter, and the next stop gets the result of one of them in turn, so that files of both kinds coexist. Exits
# with 1 if a key is missing, if a key is found that was never written, or if Winnow's filters or built-in
# filters of other stops skip too few lookups.
set -euo pipefail

usage() {
  echo "tools/carry_database.sh: $*; usage: tools/carry_database.sh [--keys=N] BUILD BUILD…" >&2
  exit 2
}

keys=100000
builds=()
for argument in "$@"; do
  case $argument in
  --keys=[1-9]*) keys=${argument#*=} ;;
  -*) usage "unknown argument '$argument'" ;;
  *)
    [[ -x $argument/tests/preload_client && -e $argument/lib/libwinnow_preload.so ]] ||
      usage "$argument has no tests/preload_client and lib/libwinnow_preload.so"
    if [[ $argument == *//* ]]; then builds+=("$argument"); else builds+=("$(realpath "$argument")"); fi
    ;;
  esac
done
((${#builds[@]} >= 2)) || usage "expected at least two builds"

home=$(mktemp -d)
database=$home/database # current path
failed=0
trap 'rm -rf "$home" ${inside:+"$inside"}' EXIT
inside=

winnow='string:filter_policy=winnow:10;format_version=5'
stock='string:filter_policy=bloomfilter:10:false;format_version=5'

# run BUILD winnow|stock VERB: moves the database into the build's chroot, runs the client on it, and moves it
# back.
run() {
  local build=$1 how=$2 verb=$3 chroot='' environment=() policy=$stock
  if [[ $build == *//* ]]; then
    chroot=${build%%//*}
    build=/${build#*//}
    inside=$(mktemp -d "$chroot/tmp/carry.XXXXXX")
    mv "$database" "$inside/database"
  fi
  if [[ $how == winnow ]]; then
    environment=("LD_PRELOAD=$build/lib/libwinnow_preload.so")
    policy=$winnow
  fi
  local place=$database status=0
  [[ -z $chroot ]] || place=${inside#"$chroot"}/database
  ${chroot:+chroot "$chroot"} env "${environment[@]}" "$build/tests/preload_client" "$verb" "$place" "$policy" "$keys" ||
    status=$?
  if [[ -n $chroot ]]; then
    mv "$inside/database" "$database"
    rm -rf "$inside"
    inside=
  fi
  return "$status"
}

# read_both BUILD LABEL: prints a line with and without Winnow.
read_both() {
  local build=$1 label=$2 how found missing invented useful
  for how in winnow stock; do
    found=$(run "$build" "$how" read) || found="missing=? invented=? useful=? failed"
    missing=$(sed -n 's/.*missing=\([^ ]*\).*/\1/p' <<<"$found")
    invented=$(sed -n 's/.*invented=\([^ ]*\).*/\1/p' <<<"$found")
    useful=$(sed -n 's/.*useful=\([0-9]*\).*/\1/p' <<<"$found")
    printf '%-50s %-17s missing %s, invented %s, lookups that filters saved %s of %s\n' "$label" "read with $how" \
      "$missing" "$invented" "${useful:-?}" "$keys"
    [[ $missing == 0 && $invented == 0 ]] || failed=1
    # Winnow reads both kinds of filters; at 10 bits per key, about 1% of absent keys pass.
    [[ $how == stock || ${useful:-0} -ge $((keys * 95 / 100)) ]] || failed=1
  done
}

version() {
  local log=$database/LOG
  sed -n 's/.*RocksDB version: *\([0-9.]*\).*/\1/p' "$log" | tail -n 1
}

stops=("${builds[@]}")
for ((i = ${#builds[@]} - 2; i >= 0; --i)); do
  stops+=("${builds[i]}")
done

mkdir "$database"
first=1
number=0
for build in "${stops[@]}"; do
  if ((first)); then
    run "$build" stock write
    first=0
  fi
  # The database is first read in the state in which the last stop left it.
  read_both "$build" "stop $number, as it came"
  # The last of the two ways writes the database for the next stop.
  ways=(stock winnow)
  ((number % 2 == 0)) || ways=(winnow stock)
  for how in "${ways[@]}"; do
    run "$build" "$how" overwrite
    read_both "$build" "stop $number, RocksDB $(version), rewritten with $how"
  done
  number=$((number + 1))
done
((!failed)) || {
  echo "tools/carry_database.sh: failed: see above" >&2
  exit 1
}
echo "Every key was found at each of ${#stops[@]} stops, with and without Winnow."
