# Sourced by tools/try_hosts.sh: runs the tests of the crate rocksdb with an archive of RocksDB and with a copy that
# winnow adopt made, and writes keys with both.
#   tools/try_hosts.sh rust-rocksdb SOURCES [OPTION…]
# SOURCES is the folder of the crate, only read: Debian's /usr/share/cargo/registry/rocksdb-VERSION.
#
#   --archive=FILE  the archive (librocksdb.a in the folder that pkg-config names)
#   --tool=FILE     the program winnow of an installed or built Winnow (build/release/bin/winnow)
#   --keys=N        keys that are written and found (1,000,000)
#   --keep          keeps all that was made and said
#
# Needs cargo, python3 and Debian's librust-rocksdb-dev, librust-bincode-dev, librust-pretty-assertions-dev,
# librust-tempfile-dev and librust-trybuild-dev, as crates come from /usr/share/cargo/registry and not from the network.
# Tests run one by one, with the original and the adopted archive, without WINNOW_POLICY and with winnow:10; doc tests are
# left out. Prints two tables: tests, and keys and filters. Ends with 1 if a list of passed and failed tests differs from
# that of the original, or a key is missing. Some fifteen minutes on two processors.
# shellcheck shell=bash disable=SC2154 # variables are set in the sourcing script

registry=/usr/share/cargo/registry

# run_cargo ARCHIVE ARGUMENT…: runs cargo in the crate. Debian's sys crate asks pkg-config for the archive, that of
# crates.io reads variables. Each archive has a target folder of its own, as cargo does not notice another archive.
run_cargo() (
  cd "$work/crate" || exit
  export CARGO_HOME=$work/cargo CARGO_TARGET_DIR=$work/$1/target CARGO_NET_OFFLINE=true
  export NO_COLOR=1 # by TERM, trybuild colors its lines in files too, and test_host would not know them
  export PKG_CONFIG_PATH=$work/$1 ROCKSDB_STATIC=1 ROCKSDB_LIB_DIR=$work/$1 SNAPPY_LIB_DIR ROCKSDB_INCLUDE_DIR
  SNAPPY_LIB_DIR=$(pkg-config --variable=libdir snappy)
  ROCKSDB_INCLUDE_DIR=$(pkg-config --cflags-only-I --keep-system-cflags rocksdb | sed "s/^-I//; s/ .*//")
  cargo "${@:2}" 2>&1
)

build_host() {
  if [[ ! -d $work/crate ]]; then
    mkdir -p "$work/crate/examples" "$work/cargo"
    cp -a "$sources/." "$work/crate"
    cp tests/languages/without_winnow.rs "$work/crate/examples/try_hosts.rs"
    printf '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "%s"\n' "$registry" >"$work/cargo/config.toml"
  fi
  run_cargo "$1" test --no-run --lib --tests && run_cargo "$1" build --example try_hosts
}

test_host() {
  local log=$work/said/$1.${WINNOW_POLICY-}
  run_cargo "$1" test --no-fail-fast --lib --tests -- --test-threads=1 >"$log" || true
  # Output of a test may stand between its name and its result. Lines of trybuild name a file that must not compile.
  # A test that ends the process has no result.
  awk 'function ends(result) { if (name != "") print result, file ":" name; name = "" }
    /^test .*\.rs .*\.\.\. / { next }
    / Running / { ends("failed"); file = $(NF - 1) }
    /^test .* \.\.\. / { ends("failed"); name = $2 }
    name != "" && /ignored$/ { name = "" }
    /ok$/ { ends("passed") }
    /FAILED$/ { ends("failed") }
    END { ends("failed") }' "$log"
}

reason_of() { grep -A 9 -e "---- ${2#*:} stdout ----" "$work/said/$1." | grep -A 1 -m 1 'panicked at' | paste -sd ' '; }

program_of() { echo "$work/$1/target/debug/examples/try_hosts"; }

# take_arguments ARGUMENT…: sets $sources, $archive, $tool, $keys and $keep by the arguments of a host.
take_arguments() {
  local argument
  sources='' archive='' tool=build/release/bin/winnow keys=1000000 keep=''
  for argument in "$@"; do
    case $argument in
    --archive=?*) archive=$(path_of "${argument#*=}") ;;
    --tool=?*) tool=$(path_of "${argument#*=}") ;;
    --keys=[1-9]*) keys=${argument#*=} ;;
    --keep) keep=1 ;;
    -*) usage "$host: unknown argument '$argument'" ;;
    *)
      [[ ! $sources ]] || usage "$host: expected one folder of sources, found also '$argument'"
      sources=$(path_of "$argument")
      ;;
    esac
  done
  [[ $sources ]] || usage "$host: the folder of its sources is not named"
  needs pkg-config pkgconf
  needs python3 python3
  [[ $archive ]] || archive=$(pkg-config --variable=libdir rocksdb)/librocksdb.a
  [[ -f $archive ]] || usage "$host: there is no archive $archive; --archive=FILE names one"
  [[ -f $tool && -x $tool ]] || usage "$host: there is no program $tool; --tool=FILE names winnow"
  tool=$(realpath "$tool")
}

# try_archives: tries the host; returns 0 if all was as expected.
try_archives() {
  local kind
  different=0
  work=$(mktemp -d -t try_hosts.XXXXXX)
  # shellcheck disable=SC2064
  if [[ $keep ]]; then echo "All that is made is in $work"; else trap "rm -rf '$work'" EXIT; fi
  mkdir -p "$work"/{plain,adopted,lists,said,databases}
  unset WINNOW_POLICY WINNOW_ADD WINNOW_LOG LD_LIBRARY_PATH

  "$tool" adopt "$archive" -o "$work/adopted/librocksdb.a" >"$work/said/adopt" 2>&1 || {
    cat "$work/said/adopt"
    return 1
  }
  # The original gets the same rocksdb.pc, as that of the distribution may prefer the shared library.
  ln -s "$archive" "$work/plain/librocksdb.a"
  cp "$work/adopted/rocksdb.pc" "$work/plain"
  for kind in plain adopted; do
    PKG_CONFIG_PATH=$work/$kind build_host "$kind" >"$work/said/build.$kind" 2>&1 || {
      echo "With the $kind archive the host does not compile:"
      tail -n 30 "$work/said/build.$kind"
      return 1
    }
  done

  printf '| archive | WINNOW_POLICY | tests | passed | failed |\n|---|---|---:|---:|---:|\n'
  for kind in plain adopted; do
    run_tests "$kind" ''
    run_tests "$kind" winnow:10
  done
  compare_tests
  printf '\n| keys written by | missing in three reads, by both | bytes of filters per key | in files with filters of Winnow |\n|---|---:|---:|---:|\n'
  try_keys plain '' 0
  try_keys adopted '' 0
  try_keys adopted winnow:10 100
  ((different == 0))
}

# with_policy TEXT COMMAND…: runs a command with WINNOW_POLICY, or without if TEXT is empty.
with_policy() {
  if [[ $1 ]]; then
    WINNOW_POLICY=$1 "${@:2}"
  else
    "${@:2}"
  fi
}

# run_tests ARCHIVE POLICY: prints a row, and keeps the list of tests.
run_tests() {
  local list=$work/lists/$1${2:+,WINNOW_POLICY=$2}
  with_policy "$2" test_host "$1" 2>"$work/said/tests.$1.$2" | sort >"$list"
  printf '| %s | %s | %d | %d | %d |\n' "$1" "${2:-not set}" "$(wc -l <"$list")" "$(grep -c ^passed "$list")" "$(grep -c ^failed "$list")"
  [[ -s $list ]] || tail -n 20 "$work/said/tests.$1.$2"
}

# compare_tests: prints the tests that failed everywhere, and each difference from the first list.
compare_tests() {
  local list name first=$work/lists/plain
  echo
  while read -r name; do
    printf 'fails with the plain archive: %s: %s\n' "$name" "$(reason_of plain "$name" | sed 's/^[[:space:]]*//')"
  done < <(sed -n 's/^failed //p' "$first")
  if ! grep -q '^passed' "$first"; then
    echo "No test passes with the plain archive."
    different=1
  fi
  for list in "$work"/lists/*; do
    [[ $list != "$first" ]] || continue
    if diff "$first" "$list" >"$work/said/differences"; then
      echo "${list##*/}: the same tests pass and fail"
    else
      different=1
      echo "${list##*/}: differs from the plain archive without WINNOW_POLICY:"
      grep '^[<>]' "$work/said/differences"
    fi
  done
}

# try_keys ARCHIVE POLICY PERCENT: writes a database, and reads it by the programs with both archives. PERCENT of its
# entries are in files with Winnow's filters.
try_keys() {
  local database=$work/databases/$1.$2 kind said verb="write" missing=0
  for kind in "$1" plain adopted; do
    said=$(with_policy "$2" "$(program_of "$kind")" "$verb" "$database" "$keys" 2>&1) || true
    verb="read"
    if [[ $said =~ missing\ ([0-9]+)\ of\ $keys$ ]]; then
      missing=$((missing + BASH_REMATCH[1]))
    else
      missing=$keys
      echo "The program with the $kind archive says: $said"
    fi
  done
  ((missing == 0)) || different=1
  "$tool" inspect --json "$database" | python3 -c '
import json, sys
converted = json.load(sys.stdin)["converted"]
keys, size = (sum(converted[kind][name] for kind in ("winnow", "builtin")) for name in ("keys", "filter_bytes"))
print("%.3f | %.0f %% |" % (size / keys if keys else 0, 100 * (converted["winnow_share_of_entries"] or 0)))' >"$work/said/inspect"
  printf '| %s, %s | %d | %s\n' "$1" "${2:-no WINNOW_POLICY}" "$missing" "$(<"$work/said/inspect")"
  [[ $(<"$work/said/inspect") == *" | $3 % |" ]] || {
    different=1
    echo "The share of entries with Winnow's filters is not $3 %."
  }
}

try_host() {
  take_arguments "$@"
  needs cargo cargo
  grep -q '^name = "rocksdb"' "$sources/Cargo.toml" 2>/dev/null || usage "rust-rocksdb: there is no crate rocksdb in $sources"
  [[ -d $registry ]] || usage "rust-rocksdb: there is no $registry; on Debian: apt-get install librust-rocksdb-dev"
  try_archives
}
