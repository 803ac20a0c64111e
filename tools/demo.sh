#!/bin/bash
# Demonstrates Winnow: installs missing packages, builds only what is needed, compares three filter policies
# on one tree, and switches Winnow on in RocksDB's db_bench. Takes about two minutes on two processors,
# besides the download of packages; if nothing changed, it prints the last results without measuring again.
# Fails if winnow:10 has more than 0.6 times the false positives and block reads of RocksDB's Bloom filter
# with 10 bits per key, or more than 0.75 times its memory.
#   --long   compares five policies. Keys are the paths of all files in Debian's packages, whose index is 100 MB to
#            download, or of this machine's files if it can't be downloaded. Few of these keys are in the range of two
#            files, so 1.03 times the false positives are allowed
#   --again  measures again
# The build and the results are in build/demo, the results of --long in build/demo/long.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
# shellcheck source=tools/build_jobs.sh
. tools/build_jobs.sh

build=build/demo
bin=$build/bin
preload=$build/lib/libwinnow_preload.so
phases=()

fail() {
  printf 'tools/demo.sh: %s\n' "$*" >&2
  exit 1
}

# setup [OPTION]: runs tools/setup.sh for the demo.
setup() { tools/setup.sh --demo "$@" ${long:+apt-file lz4}; }

# phase NAME COMMAND…: runs the command and records its duration.
phase() {
  local name=$1 begun=$SECONDS
  shift
  echo
  echo "== $name =="
  echo
  "$@"
  phases+=("$name" $((SECONDS - begun)))
}

say_phases() {
  local i all=0
  for ((i = 0; i < ${#phases[@]}; i += 2)); do
    printf '%4d s  %s\n' "${phases[i + 1]}" "${phases[i]}"
    all=$((all + phases[i + 1]))
  done
  printf '%4d s  all\n' "$all"
}

# Prints the expected duration. Seconds were measured on a cloud machine with two processors.
say_how_long() {
  local install=40 make=$((150 / $(build_jobs))) measure=65 parts=() all=0
  [[ -z $long ]] || measure=240
  setup --missing >/dev/null || {
    parts+=("$install s to install packages, beside the download of about 110 MB")
    all=$((all + install))
  }
  [[ -x $bin/db_bench_ext ]] || {
    parts+=("$make s to build")
    all=$((all + make))
  }
  [[ -z $again && -s $out/measured ]] || {
    parts+=("$measure s to measure")
    all=$((all + measure))
  }
  if ((all == 0)); then
    echo "This takes seconds, unless something changed since the last run."
  else
    printf 'This takes about %d s:' "$all"
    printf ' %s;' "${parts[@]}"
    echo " a table of what it found out is at the end."
  fi
}

build() {
  cmake --preset demo >"$build/configure.log" || {
    cat "$build/configure.log" >&2
    fail "CMake could not configure; its output is above"
  }
  cmake --build --preset demo --parallel "$(build_jobs)"
}

# Prints the files in which apt keeps the lists of paths in packages, if there are any.
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

# Prints the paths of all files in the packages. A line of an index has a path, spaces, and the packages that
# have it.
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

get_paths() {
  paths=$build/keys.lz4
  [[ -s $paths ]] && return
  if package_paths | lz4 -q -f - "$paths.part"; then
    mv -f "$paths.part" "$paths"
    return
  fi
  rm -f "$paths.part"
  echo "The index of Debian's packages can't be had: the paths of this machine's own files are the" \
    "keys this time." >&2
  # The file has another name than the one that the next run looks for, as that run may have a network.
  paths=$build/own-keys.lz4
  own_paths | lz4 -q -f - "$paths"
}

# check_promises MOST_FALSE: compares figures of winnow:10 and of RocksDB's Bloom filter in the JSON, of its first
# workload, and fails if one is beyond its limit or the trees differ.
check_promises() {
  awk -v most="$1" '
    function check(what, field, limit) {
      theirs = figure["bloomfilter:10", field] + 0
      ratio = theirs > 0 ? figure["winnow:10", field] / theirs : 0
      kept = ratio > 0 && ratio <= limit
      printf "%.3f times %s (%s %g)\n", ratio, what, kept ? "promised: at most" : "MORE than the promised", limit
      failed = failed || !kept
    }
    { name = $1; value = $2; gsub(/[":]/, "", name); gsub(/[",]/, "", value) }
    /^  "trees_agree": true/ { agree = 1 }
    name == "policy" { policy = value }
    # Fields of a policy, and of its first workload.
    /^(    )?      "/ && !((policy, name) in figure) { figure[policy, name] = value }
    END {
      if (!agree) { print "The trees differ too much to be compared."; exit 1 }
      print "To bloomfilter:10, winnow:10 has"
      check("the false positives per filter check", "false_positives_per_filter_check", most)
      check("the block reads per absent key", "data_blocks_accessed_per_lookup", most)
      check("the filter memory", "filter_bytes", 0.75)
      exit failed
    }' "$out/readamp.json"
}

# compare MOST_FALSE POLICIES FLAG…: compares policies and checks winnow:10 against its limits.
compare() {
  rm -rf "$out/trees" # left by a killed run
  "$bin/db_bench_ext" --policies="$2" "${@:3}" --reads=1000000 --db="$out/trees" --json="$out/readamp.json" \
    --summary="$out/summary.txt" --html="$out/readamp.html" >"$out/figures.txt" ||
    fail "the comparison failed: see above"
  check_promises "$1" || fail "winnow:10 does not keep what is promised of it: see above, and $out/figures.txt"
}

compare_on_paths() {
  compare 1.03 none,bloomfilter:10,ribbonfilter:10,winnow:15.1,winnow:10 --keys="$paths"
}

# Lookups of existing keys are left out: their reads do not depend on the filter.
compare_on_numbers() {
  compare 0.6 bloomfilter:10,winnow:15.1,winnow:10 --num=1200000 --benchmarks=readabsent --timed_rounds=3
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
  echo "$bin/winnow inspect $out/db_bench # this build of winnow has no other verb; the plain one has all"
  "$bin/winnow" inspect "$out/db_bench" | tee "$out/inspect.txt"
  grep -q 'winnow-ribbon' "$out/inspect.txt" ||
    fail "db_bench wrote no Winnow filter: see $out/db_bench/LOG and $out/db_bench.log"
}

what_is_measured() {
  sha256sum "$bin/db_bench_ext" "$bin/winnow" "$preload" $build/lib/libwinnow_rocksdb.so tools/demo.sh \
    ${paths:+"$paths"}
}

say_what_was_found() {
  echo
  echo "== In short =="
  echo
  cat "$out/summary.txt"
  echo
  echo "A page with charts is $out/readamp.html: open it in a browser. Every figure is in" \
    "$out/figures.txt and $out/readamp.json."
}

long=
again=
for argument in "$@"; do
  case $argument in
  --long) long=1 ;;
  --again) again=1 ;;
  *) fail "there is no argument '$argument'; those are --long and --again" ;;
  esac
done
out=$build${long:+/long}
paths=

mkdir -p "$out"
say_how_long
setup --missing >/dev/null || phase "Downloading packages" setup --download
setup --missing >/dev/null || phase "Installing packages" setup
phase "Building" build
[[ -z $long ]] || phase "Getting the paths" get_paths
if [[ -z $again && -s $out/measured ]] && what_is_measured | cmp -s - "$out/measured"; then
  say_what_was_found
  echo "Measured on $(date -r "$out/measured" '+%Y-%m-%d at %H:%M'); nothing changed since." \
    "tools/demo.sh --again measures anew."
  exit 0
fi
rm -f "$out/measured"
if [[ -n $long ]]; then
  phase "Five filter policies on the same tree of real paths" compare_on_paths
else
  phase "Three filter policies on the same tree of generated keys" compare_on_numbers
fi
phase "RocksDB's own db_bench, with Winnow preloaded and winnow:10 in its options file" switch_on_in_db_bench
what_is_measured >"$out/measured"
say_what_was_found
echo
echo "Time that each step took:"
say_phases
