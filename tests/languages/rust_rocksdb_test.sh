#!/bin/bash
# Builds the crates of bindings/rust offline with the crates of Debian 13's packages, and runs
# programs that use them.
# rust_rocksdb_test.sh BUILD_FOLDER SOURCE_FOLDER [KEYS]
# The fork rust-rocksdb is not packaged: rocksdb_fork/ has stand-ins for its crates. Exits with 77
# without cargo or these crates.
set -euo pipefail
# shellcheck source=tests/support/script.sh disable=SC1091 # the path is relative to shellcheck's working directory
. "$(dirname "$0")/../support/script.sh"
built=$1
source=$2
keys=${3-100000}
registry=/usr/share/cargo/registry
unset ROCKSDB_INCLUDE_DIR ROCKSDB_LIB_DIR LD_LIBRARY_PATH WINNOW_POLICY

if ! { command -v cargo && compgen -G "$registry/rocksdb-0.*"; } >/dev/null; then
  skip "cargo or the crate rocksdb is not here; on Debian 13: apt-get install cargo librust-cc-dev librust-rocksdb-dev"
fi

# Cargo writes into crates, which are therefore copied; sources are linked. Compiled files are kept
# for the next run.
work=$built/rust_rocksdb
mkdir -p "$work/tests" "$work/cargo"
rm -rf "$work/bindings" "$work/tests/languages" "$work/databases"
cp -a "$source/bindings" "$work"
cp -a "$source/tests/languages" "$work/tests"
mkdir "$work/bindings/rust/inside"
for folder in include src third_party; do # a new link would make cargo recompile
  [[ -e $work/$folder ]] || ln -s "$source/$folder" "$work/$folder"
done
export CARGO_HOME=$work/cargo CARGO_TARGET_DIR=$work/target CARGO_NET_OFFLINE=true
printf '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "%s"\n' "$registry" >"$CARGO_HOME/config.toml"
if command -v ccache >/dev/null; then # both crates compile the same sources
  export CXX="ccache ${CXX-g++}" CCACHE_NOHASHDIR=1
fi
if [[ ${WERROR-} == ON ]]; then
  export RUSTFLAGS='-D warnings'
fi

# run_cargo CRATE ARGUMENT…: runs cargo in a crate.
run_cargo() {
  (cd "$work/bindings/rust/$1" && cargo "${@:2}" >"$work/cargo.log" 2>&1) || fail "$1: cargo ${*:2}: $(cat "$work/cargo.log")"
}

fork=()
for crate in rust-rocksdb rust-librocksdb-sys; do
  fork+=(--config "patch.crates-io.$crate.path='$work/tests/languages/rocksdb_fork/$crate'")
done
run_cargo winnow-rocksdb test --quiet
run_cargo winnow-rocksdb build --quiet --examples
run_cargo winnow-rust-rocksdb test --quiet "${fork[@]}"
run_cargo winnow-rust-rocksdb build --quiet --examples "${fork[@]}"

mkdir "$work/databases"
cd "$work/databases"

# expect PATTERN PROGRAM ARGUMENT…: expects exit status 0, or $ends, and output that matches.
programs=$CARGO_TARGET_DIR/debug/examples
ends=0
expect() {
  local said status=0
  said=$("$programs/$2" "${@:3}" 2>&1) || status=$?
  [[ $status == "$ends" && $said =~ $1 ]] || fail "${*:2} ends with $status: $said"
  printf '%s: %s\n' "$2" "$said"
}

# only_winnow DATABASE: checks that each file's filter is Winnow's and denies no key, and that the
# program's other settings are kept.
only_winnow() {
  local said
  said=$("$built/bin/winnow" inspect --summary "$1")
  "$built/bin/winnow" verify "$1" >/dev/null
  ! grep -q '^ *format_version=[^5]' "$1"/OPTIONS-* || fail "the format_version of $1 is no longer the program's"
  [[ $said == *'converted: 100.0 % of the entries'* ]] || fail "not all filters of the database $1 are Winnow's: $said"
}

expect "missing 0 of $keys" rocksdb_crate write crate "$keys"
only_winnow crate
# The filters have a false-positive rate of one in 119.
expect "missing 0 of $keys.*spare 9[89] %" rocksdb_crate read crate "$keys"
expect "missing 0 of $keys" without_winnow read crate "$keys"
[[ $(nm -C "$CARGO_TARGET_DIR/debug/examples/without_winnow") != *winnow::plugin* ]] || fail "without_winnow has Winnow"
ends=1 expect 'no filters of Winnow.s are built in .*default.*: call winnow_rocksdb::register\(\) ' rocksdb_crate forget forgotten "$keys"

expect "missing 0 of $keys.*refused: .*bits_per_key is .*99.*told: .*set no other table factory" rocksdb_fork fork "$keys"
only_winnow fork
expect "missing 0 of $keys" without_winnow read fork "$keys"

# A program that only requests a Bloom policy, linked with an adopted archive. The archive becomes a
# part of the compiled sys crate, so that nothing of it is kept.
rm -rf "$work/adopted"
mkdir -p "$work/adopted"
"$built/bin/winnow" adopt "$(pkg-config --variable=libdir rocksdb)/librocksdb.a" -o "$work/adopted/librocksdb.a" >"$work/adopt.log" ||
  fail "winnow adopt: $(cat "$work/adopt.log")"
printf '%s\n' '[package]' 'name = "inside"' 'version = "0.0.0"' 'edition = "2021"' '[dependencies]' 'rocksdb = ">=0.23, <1"' \
  '[[bin]]' 'name = "inside"' 'path = "../../../tests/languages/without_winnow.rs"' >"$work/bindings/rust/inside/Cargo.toml"
PKG_CONFIG_PATH=$work/adopted ROCKSDB_STATIC=1 CARGO_TARGET_DIR=$work/adopted/target run_cargo inside build --quiet
[[ $(ldd "$work/adopted/target/debug/inside") != *librocksdb* ]] || fail "the program has the shared RocksDB"
programs=$work/adopted/target/debug
expect "missing 0 of $keys" inside write usual "$keys"
[[ $("$built/bin/winnow" inspect --json usual) != *winnow-* ]] || fail "without WINNOW_POLICY the program builds Winnow's filters"
WINNOW_POLICY=winnow:10 expect "missing 0 of $keys" inside write adopted "$keys"
only_winnow adopted
expect "missing 0 of $keys" inside read adopted "$keys"
programs=$CARGO_TARGET_DIR/debug/examples
expect "missing 0 of $keys" without_winnow read adopted "$keys"
