#!/bin/bash
# Builds the RocksDB plugin of an earlier commit, to be measured beside the present one in one process:
#
#   tools/build_release.sh [COMMIT]
#
# COMMIT is 380b00ab, Winnow 1.2, by default. Builds only that library, by the commit's own preset `release`, and
# prints its path, build/frozen/COMMIT/lib/libwinnow_rocksdb.so. Does nothing but print it if it exists. The
# sources are those of git, or in a source archive without git those in build/frozen/COMMIT/source.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/build_jobs.sh
. tools/build_jobs.sh

fail() {
  printf 'tools/build_release.sh: %s\n' "$2" >&2
  exit "$1"
}

commit=${1:-380b00ab}
[[ $# -le 1 && $commit =~ ^[0-9a-f]{7,40}$ ]] || fail 2 "expected the hash of a commit, found '$*'"
folder=$PWD/build/frozen/$commit
library=$folder/lib/libwinnow_rocksdb.so
if [[ ! -e $library ]]; then
  if [[ ! -e $folder/source/CMakeLists.txt ]]; then
    git cat-file -e "$commit^{commit}" 2>/dev/null ||
      fail 1 "commit $commit is not in this clone; fetch it with 'git fetch --unshallow', or unpack its sources into build/frozen/$commit/source"
    rm -rf "$folder/unpacked"
    mkdir -p "$folder/unpacked"
    git archive "$commit" | tar -x -C "$folder/unpacked"
    rm -rf "$folder/source"
    mv "$folder/unpacked" "$folder/source"
  fi
  (cd "$folder/source" && cmake --preset release -B "$folder" -DWINNOW_TESTS=OFF -DWINNOW_TOOLS=OFF -DWINNOW_BENCH=OFF \
    -DWINNOW_STREAMS=OFF -DWINNOW_PRELOAD=OFF) >&2
  cmake --build "$folder" --target winnow_rocksdb --parallel "$(build_jobs)" >&2
fi
echo "$library"
