#!/bin/bash
# Builds Winnow with the RocksDB in each given prefix, and runs all tests that need RocksDB:
#   tools/test_rocksdb.sh [--static] DIR…
# A prefix has include/rocksdb/ and lib/librocksdb.so or .a, as "make install" and "cmake --install" of
# RocksDB create them. If it has both, the shared library is used, except for prefixes after --static.
# Programs of that RocksDB (db_bench, ldb) that some tests run are searched for in DIR/bin.
#
# Build folders are build/rocksdb-VERSION-shared or -static. Continues after a failure, and exits with 1 if
# anything failed. The last lines list what passed, failed and was skipped with each RocksDB, and reasons for
# skipping.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/build_jobs.sh
. tools/build_jobs.sh

usage() {
  echo "tools/test_rocksdb.sh: $*; usage: tools/test_rocksdb.sh [--static] DIR…" >&2
  exit 2
}

# test_prefix DIR ON|OFF: appends lines to the summary; fails if a test does.
test_prefix() {
  local prefix=$1 static=$2 version kind build log status=0
  version=$(awk '/^#define ROCKSDB_(MAJOR|MINOR|PATCH) / { printf "%s%s", dot, $3; dot = "." }' \
    "$prefix/include/rocksdb/version.h")
  kind=shared
  if [[ $static == ON || -z $(find -L "$prefix" -maxdepth 3 -name librocksdb.so -print -quit) ]]; then
    kind=static
  fi
  build=build/rocksdb-$version-$kind
  log=$build/Testing/Temporary/LastTest.log
  echo "== RocksDB $version, $kind, in $prefix: $build"
  if ! cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O2 -DWINNOW_WERROR="${WERROR:-OFF}" \
    -DWINNOW_ROCKSDB_ROOT="$prefix" -DWINNOW_ROCKSDB_STATIC="$static" ||
    ! cmake --build "$build" --parallel "$(build_jobs)"; then
    summary+=("RocksDB $version $kind: does not build")
    return 1
  fi
  ctest --test-dir "$build" --label-regex rocksdb --parallel 2 --output-on-failure | tee "$build/tests.txt" || status=1
  summary+=("RocksDB $version $kind: $(grep -E 'tests (passed|failed)' "$build/tests.txt" || echo 'no tests')")
  local reasons
  # GoogleTest prints the reason in the next line; scripts print it in one line.
  reasons=$(sed -n '/: Skipped$/{n;p}; s/^tools.*: skipped: /skipped: /p' "$log" | sort | uniq -c)
  [[ -z $reasons ]] || summary+=("$reasons")
  return "$status"
}

(($#)) || usage "expected at least one prefix"
static=OFF
prefixes=()
for argument in "$@"; do
  case $argument in
  --static) static=ON ;;
  -*) usage "unknown argument '$argument'" ;;
  *)
    [[ -f $argument/include/rocksdb/version.h ]] || usage "$argument has no include/rocksdb/version.h"
    prefixes+=("$static $(realpath "$argument")")
    static_seen=$static
    ;;
  esac
done
[[ -n ${static_seen-} ]] || usage "expected at least one prefix"

summary=()
failed=0
for prefix in "${prefixes[@]}"; do
  test_prefix "${prefix#* }" "${prefix%% *}" || failed=1
done
echo
printf '%s\n' "${summary[@]}"
exit $failed
