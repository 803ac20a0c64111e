#!/bin/bash
# Tests Winnow in Node with a published npm package, whose RocksDB has another version than this build's. Builds the
# run-time bound plugin from the package's headers. PRELOAD and PLUGIN are the build's libraries.
# node_test.sh SOURCE PRELOAD PLUGIN CXX
#
# Exit code 77: skipped, without node or npm, or without FETCH_FROM_NPM=1, since it downloads 20 MB from npm.
set -euo pipefail
# shellcheck source=tests/support/script.sh disable=SC1091 # it is looked for where shellcheck is started
. "$(dirname "$0")/../support/script.sh"
source=$1
preload=$2
plugin=$3
compiler=$4
package=@nxtedition/rocksdb
keys=1000000

[[ ${FETCH_FROM_NPM:-} == 1 ]] || skip "it fetches a package of npm: set FETCH_FROM_NPM=1"
command -v node >/dev/null || skip "there is no node here; on Debian: apt-get install nodejs"
command -v npm >/dev/null || skip "there is no npm here; on Debian: apt-get install npm"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/node" "$work/lib"
(cd "$work/node" && npm install --ignore-scripts --no-audit --no-fund "$package@12.2.12" >"$work/npm.log" 2>&1) ||
  fail "npm install: $(cat "$work/npm.log")"
folder=$work/node/node_modules/$package
client() { node "$source/tests/preload/node_client.js" "$folder" "$@" "$work/db" $keys; }

cp "$preload" "$work/lib"
cp "$plugin" "$work/lib/$(basename "$(readlink -f "$plugin")" | sed 's/\.so\.\([0-9]*\).*/.so.\1/')"
build_plugin() {
  cmake -S "$source" -B "$work/build" -DWINNOW_ROCKSDB_HEADERS="$folder/deps/rocksdb/rocksdb/include" \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_INSTALL_LIBDIR=lib &&
    cmake --build "$work/build" --parallel 2 &&
    cmake --install "$work/build" --prefix "$work"
}
build_plugin >"$work/build.log" 2>&1 || fail "the plugin is not built: $(tail -n 20 "$work/build.log")"

# run WINNOW_POLICY: prints the output of writing and reading.
run() {
  rm -rf "$work/db"
  for what in write read; do
    LD_PRELOAD="$work/lib/$(basename "$preload")" WINNOW_POLICY=$1 WINNOW_LOG=1 client $what 2>&1 ||
      fail "node ends with $? in $what with WINNOW_POLICY=$1"
  done
}
expect() { [[ $1 == *"$2"* ]] || fail "expected '$2' in: $1"; }
none_missing="missing=0 invented=0 of $keys"

# Prints the sizes of SST files, whose bytes contain identities and times, and the OPTIONS file.
left_behind() { (cd "$work/db" && stat -c '%n %s' ./*.sst && cat OPTIONS-*); }

client write
plain=$(left_behind)
said=$(run winnow:10)
expect "$said" "; bound to the RocksDB inside $folder"
# The last third is in the WAL when the first process ends.
expect "$said" "winnow: built 0 Bloom filters and 2 Ribbon filters of 666668 keys"
expect "$said" "winnow: built 0 Bloom filters and 1 Ribbon filter of 333332 keys"
expect "$said" "loaded 3 filters of Winnow's and 0 of RocksDB's own; "
expect "$said" "$none_missing"
expect "$(cat "$work"/db/OPTIONS-*)" "filter_policy=bloomfilter:"
expect "$(client read)" "$none_missing"
for policy in '' read; do
  said=$(run "$policy")
  expect "$said" "winnow: built no filters of Winnow's; "
  expect "$said" "$none_missing"
done
rm -rf "$work/db"
LD_PRELOAD="$work/lib/$(basename "$preload")" WINNOW_POLICY=stock client write
[[ $(left_behind) == "$plain" ]] || fail "with stock there is something else than without Winnow: $(diff <(echo "$plain") <(left_behind))"
echo "node_test: node $(node --version), $package 12.2.12, $keys keys"
