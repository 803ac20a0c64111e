#!/bin/bash
# Shows what Winnow does, on real keys: installs what is missing, builds, measures five filter policies
# on the paths of all files in Debian's packages, and switches Winnow on in RocksDB's own db_bench.
# Fails if winnow:10 has more than 1.03 times the false positives and block reads of RocksDB's Bloom
# filter with 10 bits a key, or more than 0.75 times its memory.
# What is found out stays in build/demo; when nothing changed, it is shown again without measuring.
# tools/demo.sh --again measures anew.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
# shellcheck source=tools/build_jobs.sh
. tools/build_jobs.sh

out=build/demo
keys=$out/keys.lz4
bin=build/release/bin
preload=build/release/lib/libwinnow_preload.so

fail() {
  printf 'tools/demo.sh: %s\n' "$*" >&2
  exit 1
}

build() {
  cmake --preset release >"$out/configure.log" || {
    cat "$out/configure.log" >&2
    fail "CMake could not configure; its output is above"
  }
  cmake --build --preset release --parallel "$(build_jobs)" --target db_bench_ext winnow_preload winnow_rocksdb winnow_tool
}

# The files in which apt keeps the lists of paths in packages, if it has any.
package_indexes() {
  local file
  # shellcheck disable=SC2016 # apt-get replaces it
  apt-get indextargets --format '$(FILENAME)' 'Created-By: Contents-deb' \
    "Architecture: $(dpkg --print-architecture)" 2>/dev/null | sort -u |
    while read -r file; do
      if [[ -r $file ]]; then printf '%s\n' "$file"; fi
    done
}

fetch_package_indexes() {
  local as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "Fetching the index of Debian's packages needs root, and there is no sudo"
      return 1
    fi
    as_root=(sudo)
  fi
  echo "Fetching the index of Debian's packages (about 100 MB)"
  "${as_root[@]}" timeout 300 apt-file -o Acquire::Retries=1 -o Acquire::http::Timeout=30 update \
    >"$out/apt-file.log" 2>&1 || {
    tail -n 3 "$out/apt-file.log"
    return 1
  }
}

# Paths of all files in the packages: a line is a path, spaces, and the packages that have it.
package_paths() {
  local indexes index
  indexes=$(package_indexes)
  if [[ -z $indexes ]]; then
    fetch_package_indexes || return 1
    indexes=$(package_indexes)
    [[ -n $indexes ]] || return 1
  fi >&2
  while read -r index; do
    /usr/lib/apt/apt-helper cat-file "$index" || exit 1
  done <<<"$indexes" | sed -E 's/[[:space:]]+[^[:space:]]+$//'
}

own_paths() {
  { find / -xdev -path /proc -prune -o -printf '%P\n' 2>/dev/null || true; } | sed '/^$/d'
}

get_keys() {
  [[ -s $keys ]] && return
  if package_paths | lz4 -q -f - "$keys.part"; then
    mv -f "$keys.part" "$keys"
    return
  fi
  rm -f "$keys.part"
  echo "The index of Debian's packages can't be had: the paths of this machine's own files are the" \
    "keys this time." >&2
  # Not the name that is looked for next time: there may be a network then.
  keys=$out/own-keys.lz4
  own_paths | lz4 -q -f - "$keys"
}

compare_policies() {
  echo
  echo "== Five filter policies on the same tree of real keys =="
  echo
  rm -rf "$out/trees" # of a run that was killed
  "$bin/db_bench_ext" --keys="$keys" --reads=1000000 --db="$out/trees" --json="$out/readamp.json" \
    --summary="$out/summary.txt" --html="$out/readamp.html" --frontier=7,14 \
    --policies='none,bloomfilter:10,ribbonfilter:10,{id=winnow;bits_per_key=10;level_plan=auto},winnow:10' \
    --max_false_positive_ratio=1.03 --max_block_read_ratio=1.03 --max_filter_memory_ratio=0.75 ||
    fail "the comparison failed, or winnow:10 does not keep what is promised of it: see above"
}

switch_on_in_db_bench() {
  cat >"$out/options.ini" <<'OPTIONS'
[Version]
  rocksdb_version=7.8.3
  options_file_version=1.1
[DBOptions]
  create_if_missing=true
[CFOptions "default"]
  write_buffer_size=16777216
  target_file_size_base=16777216
  max_bytes_for_level_base=67108864
[TableOptions/BlockBasedTable "default"]
  filter_policy=winnow:10
OPTIONS
  echo
  echo "== RocksDB's own db_bench, with Winnow preloaded and winnow:10 in its options file =="
  echo
  echo "LD_PRELOAD=$preload db_bench --options_file=$out/options.ini …"
  rm -rf "$out/db_bench"
  env LD_PRELOAD="$PWD/$preload" db_bench --options_file="$out/options.ini" --db="$out/db_bench" \
    --benchmarks=fillrandom,compact,readmissing --num=1000000 --reads=300000 --seed=1 --statistics \
    --progress_reports=false >"$out/db_bench.log" 2>&1 || {
    tail -n 20 "$out/db_bench.log" >&2
    fail "db_bench failed; its last lines are above"
  }
  grep -E '^(fillrandom|readmissing) ' "$out/db_bench.log"
  grep -E '^rocksdb.bloom.filter.(useful|full.positive) ' "$out/db_bench.log"
  echo
  echo "$bin/winnow inspect $out/db_bench"
  "$bin/winnow" inspect "$out/db_bench" | tee "$out/inspect.txt"
  grep -q 'winnow-ribbon' "$out/inspect.txt" ||
    fail "db_bench wrote no Winnow filter: see $out/db_bench/LOG and $out/db_bench.log"
}

what_is_measured() {
  sha256sum "$bin/db_bench_ext" "$bin/winnow" "$preload" build/release/lib/libwinnow_rocksdb.so "$keys" tools/demo.sh
}

say_where() {
  echo "A page with charts is $out/readamp.html: open it in a browser. Every figure is in" \
    "$out/readamp.json, this text in $out/report.txt."
}

measure() {
  compare_policies
  switch_on_in_db_bench
  echo
  echo "== In short =="
  echo
  cat "$out/summary.txt"
}

again=false
case $# in
0) ;;
*)
  [[ $# == 1 && $1 == --again ]] || fail "the only argument is --again, which measures anew"
  again=true
  ;;
esac

mkdir -p "$out"
tools/setup.sh
build
get_keys
if ! $again && [[ -s $out/measured && -s $out/readamp.html ]] && what_is_measured | cmp -s - "$out/measured"; then
  cat "$out/report.txt"
  echo
  echo "Measured on $(date -r "$out/measured" '+%Y-%m-%d at %H:%M'); nothing changed since." \
    "tools/demo.sh --again measures anew."
  say_where
  exit 0
fi
rm -f "$out/measured"
measure | tee "$out/report.txt.part"
mv -f "$out/report.txt.part" "$out/report.txt"
what_is_measured >"$out/measured"
echo
say_where
