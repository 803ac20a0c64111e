#!/bin/bash
# Tests that the plugin loads, and prints a warning, with a RocksDB that differs from the one it was built for only in
# type information. That RocksDB is a stub with the right version and all symbols that the plugin needs.
# type_information_test.sh PLUGIN ROCKSDB_VERSION CXX
set -euo pipefail
# shellcheck source=tests/support/script.sh disable=SC1091 # it is looked for where shellcheck is started
. "$(dirname "$0")/../support/script.sh"

plugin=$1
version=$2
compiler=$3
type=_ZTIN7rocksdb12FilterPolicyE

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

soname=$(readelf -d "$plugin" | sed -n 's/.*NEEDED.*\[\(librocksdb\.so[^]]*\)\].*/\1/p')
[[ -n "$soname" ]] || fail "$plugin has no librocksdb among its NEEDED libraries"
nm -D --undefined-only "$plugin" | awk '{ print $2 }' | grep rocksdb >"$work/wanted"
grep -qx "$type" "$work/wanted" || fail "$plugin does not ask for $type at all"

# The plugin has type names of its own classes if it is built with type information.
built=without
differing=with
omitted=none
if grep -aq N6winnow6plugin6PolicyE "$plugin"; then
  built=with
  differing=without
  omitted='_ZTIN7rocksdb.*'
fi

{
  printf '#include <string>\nnamespace rocksdb {\n__attribute__((visibility("default"))) '
  printf 'std::string GetRocksVersionAsString(bool) { return "%s"; }\n}\n' "$version"
  grep -v -x -e "$omitted" -e _ZN7rocksdb23GetRocksVersionAsStringB5cxx11Eb "$work/wanted" | while read -r name; do
    printf 'asm(".globl %s\\n%s: .skip 64");\n' "$name" "$name"
  done
} >"$work/stand_in.cc"
"$compiler" -shared -fPIC -Wl,-soname,"$soname" "$work/stand_in.cc" -o "$work/$soname"
printf 'int main() {}\n' >"$work/program.cc"
"$compiler" "$work/program.cc" -o "$work/program" -Wl,--no-as-needed "$plugin" -Wl,--allow-shlib-undefined

said=$(LD_LIBRARY_PATH="$work:$(dirname "$plugin")" "$work/program" 2>&1) ||
  fail "a program with the plugin ends with $? where RocksDB is built $differing type information: $said"
expected="built for a RocksDB $built type information"
[[ "$said" == "winnow: "*"$expected"* && $(wc -l <<<"$said") == 1 ]] ||
  fail "expected one line with \"$expected\" where RocksDB is built $differing it; it said: $said"
printf '%s\n' "$said"
