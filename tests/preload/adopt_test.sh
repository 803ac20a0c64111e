#!/bin/bash
# Makes a copy of the installed RocksDB archive by `winnow adopt`, links the clients with it by each available linker,
# also with a static C++ library, and runs stand_in_test with them. Checks the symbols of a shared library made from the
# copy, and runs a Go program if Go is installed. Exit code 77: skipped, as there is no such archive.
# adopt_test.sh BUILD_FOLDER SOURCE_FOLDER ROCKSDB_LIBRARY C++_COMPILER C++_STANDARD CLIENT_OBJECTS C_CLIENT_OBJECTS
# The compiler includes the flags that it always needs; objects are separated by semicolons.
set -euo pipefail
export LC_ALL=C
# shellcheck source=tests/support/script.sh disable=SC1091 # it is looked for where shellcheck is started
. "$(dirname "$0")/../support/script.sh"
built=$1
source=$2
archive=$(dirname "$3")/librocksdb.a
read -ra compiler <<<"$4"
machine=$("${compiler[@]}" -dumpmachine)
standard=$5
IFS=';' read -ra client <<<"$6"
IFS=';' read -ra c_client <<<"$7"
[[ -f $archive ]] || skip "there is no $archive"
winnow=$built/bin/winnow

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
unset WINNOW_POLICY WINNOW_ADD WINNOW_LOG

# Runs the examples of the help, each in its own folder.
before=$(sha256sum <"$archive")
mapfile -t examples < <("$winnow" help adopt | sed -n '/^Examples:/,$ s/^  winnow //p')
((${#examples[@]} == 2)) || fail "winnow help adopt has no two examples"
for i in 0 1; do
  mkdir "$work/$i"
  command=${examples[i]/ARCHIVE/"'$archive'"}
  sh -c "'$winnow' ${command/COPY/"'$work/$i/librocksdb.a'"}" >"$work/$i/said" || fail "${examples[i]} ends with $?"
done
cmp "$work/0/librocksdb.a" "$work/1/librocksdb.a" || fail "the same archive is adopted in two ways"
[[ $(sha256sum <"$archive") == "$before" ]] || fail "the original is changed"
[[ -z $(find "$work" -mindepth 1 -maxdepth 1 ! -name '[01]') ]] || fail "something is left in TMPDIR: $(ls "$work")"
"$winnow" adopt "$work/0/librocksdb.a" -o "$work/again.a" >"$work/refused" 2>&1 && fail "a copy is adopted again"
grep -q 'has Winnow inside already: .* take the original' "$work/refused" || fail "of a copy it says: $(cat "$work/refused")"

# A program is linked with the libraries that the pkg-config file lists.
# shellcheck disable=SC2016 # the name is pkg-config's
needs=$(sed -n 's/^Libs: -L\${libdir} -lrocksdb //p' "$work/0/rocksdb.pc")
[[ -n $needs ]] || fail "rocksdb.pc names no libraries: $(cat "$work/0/rocksdb.pc")"
read -ra needs <<<"$needs"
headers=$(sed -n 's/^Cflags: -I//p' "$work/0/rocksdb.pc")
[[ -f $headers/rocksdb/version.h ]] || fail "rocksdb.pc does not name the folder of the headers: $(cat "$work/0/rocksdb.pc")"

rtti=-fno-rtti
[[ $(nm "$archive" 2>/dev/null) != *" _ZTIN7rocksdb12FilterPolicyE"$'\n'* ]] || rtti=-frtti

# link NAME FLAG… OBJECT…: links with the C++ compiler, which adds its own library.
link() {
  local libraries=()
  mapfile -t libraries < <(printf '%s\n' "${needs[@]}" | grep -vxF -- -lstdc++)
  "${compiler[@]}" -o "$work/$1" "${@:2}" -L"$work/0" -lrocksdb "${libraries[@]}" >"$work/link.log" 2>&1 ||
    fail "$1 does not link with ${*:2}: $(cat "$work/link.log")"
}

# Programs linked by the compiler's default linker.
link client "${client[@]}"
link c_client "${c_client[@]}"
STAND_IN_CLIENT="$work/client" STAND_IN_C_CLIENT="$work/c_client" STAND_IN_PLACE="an adopted archive" \
  "$built/tests/stand_in_test"

# Programs without a filter policy, and events for listeners, behave as with the preloaded library.
ADOPTED_CLIENT="$work/client" "$built/tests/preload_tests" \
  --gtest_filter='*PreloadAdd*:*PreloadListenerOpenTest*-*CApi*' >"$work/said" || fail "$(cat "$work/said")"

# Prints the kinds of filters in the database, one per line.
kinds() { "$winnow" inspect "$work/db" --json | grep -o '"kind": "[^"]*"' | sort -u; }

# writes COMMAND…: checks that it builds Winnow's filters with WINNOW_POLICY and RocksDB's without.
writes() {
  rm -rf "$work/db"
  "$@" >"$work/said" 2>&1 || fail "$* ends with $? without WINNOW_POLICY: $(cat "$work/said")"
  [[ $(kinds) == '"kind": "builtin-bloom"' ]] || fail "without WINNOW_POLICY $* left these filters: $(kinds)"
  rm -rf "$work/db"
  WINNOW_POLICY=winnow:10 "$@" >"$work/said" 2>&1 || fail "$* ends with $?: $(cat "$work/said")"
  [[ $(kinds) == '"kind": "winnow-ribbon"' ]] || fail "$* left these filters: $(kinds)"
}

# finds COMMAND…: checks that no key is missing.
finds() { [[ $("$@") == *missing=0\ invented=0* ]] || fail "$* does not find all keys"; }

# No policy is added if the archive refers to SetOptions by a symbol that Winnow does not replace.
"$winnow" adopt --help | grep -q adds_policies || fail "the help does not name adds_policies"
grep -q '"adds_policies": true' "$work/1/said" || fail "it does not see SetOptions in $archive"
mkdir "$work/unseen" "$work/unseen/copy"
cp "$archive" "$work/unseen/librocksdb.a"
(cd "$work/unseen" && ar x librocksdb.a db_impl.cc.o
  place=$(nm db_impl.cc.o | sed -n 's/^\([0-9a-f]*\) T _ZN7rocksdb6DBImpl10SetOptionsE.*/\1/p')
  objcopy --add-symbol=another_name=.text:0x"$place",global,function db_impl.cc.o && ar r librocksdb.a db_impl.cc.o)
"$winnow" adopt "$work/unseen/librocksdb.a" -o "$work/unseen/copy/librocksdb.a" >"$work/said"
grep -q '^no effect    WINNOW_ADD' "$work/said" || fail "with another name for SetOptions it says: $(cat "$work/said")"
link client_unseen -L"$work/unseen/copy" "${client[@]}"
for program in client client_unseen; do
  WINNOW_POLICY=winnow:10 WINNOW_ADD=1 "$work/$program" write "$work/db" none 1000 || fail "$program ends with $?"
  kinds >"$work/kinds.$program" || true
done
grep -q winnow "$work/kinds.client" || fail "no policy is added: $(cat "$work/kinds.client")"
! grep -q winnow "$work/kinds.client_unseen" || fail "a policy is added that can't be taken away"

# A function defined in a header is a weak symbol in each object file that uses it; the linker takes one definition.
case $machine in
x86_64-*) jump=jmp ;;
*) jump=b ;;
esac
mkdir "$work/weak" "$work/weak/copy"
cp "$archive" "$work/weak/librocksdb.a"
(cd "$work/weak" && ar x librocksdb.a db_impl.cc.o column_family.cc.o
  read -r place function < <(nm db_impl.cc.o |
    sed -nE 's/^([0-9a-f]*) [TW] (_ZN7rocksdb6DBImpl18CreateColumnFamilyERKNS_19ColumnFamilyOptionsE.*)$/\1 \2/p')
  section=$(objdump -t db_impl.cc.o | awk -v name="$function" '$NF == name { print $(NF - 2) }')
  echo "$function" >function
  if [[ -n $section ]]; then
    objcopy --weaken-symbol="$function" --add-symbol=made_by_header="$section":0x"$place",global,function db_impl.cc.o
    printf '.weak %s\n.type %s, %%function\n%s: %s made_by_header\n.section .note.GNU-stack,"",%%progbits\n' \
      "$function" "$function" "$function" "$jump" >weak.s
    "${compiler[@]}" -c -o weak.o weak.s
    ld -r -o both.o column_family.cc.o weak.o && mv both.o column_family.cc.o && ar r librocksdb.a db_impl.cc.o column_family.cc.o
  fi)
"$winnow" adopt "$work/weak/librocksdb.a" -o "$work/weak/copy/librocksdb.a" --json >"$work/said"
for object in db_impl column_family; do
  grep -q "\"$object.cc.o\"" "$work/said" || fail "$(cat "$work/weak/function") is as it was in $object.cc.o: $(cat "$work/said")"
done
link client_weak -L"$work/weak/copy" "${client[@]}"
for program in client client_weak; do
  rm -rf "$work/db"
  WINNOW_POLICY=winnow:10 WINNOW_ADD=1 "$work/$program" later-families "$work/db" none 1000 >"$work/later.$program" ||
    fail "$program ends with $?"
  kinds >"$work/kinds.$program" || true
done
grep -q winnow "$work/kinds.client" || fail "later families get no policy: $(cat "$work/kinds.client")"
cmp "$work/kinds.client" "$work/kinds.client_weak" || fail "a column family is created without Winnow"
cmp "$work/later.client" "$work/later.client_weak" || fail "with the function in two object files the program says something else"

keys=10000
for linker in bfd gold lld; do
  "${compiler[@]}" -fuse-ld="$linker" -Wl,--version >/dev/null 2>&1 || continue
  for inside in "" "-static-libstdc++ -static-libgcc"; do
    # shellcheck disable=SC2086 # two flags or none
    link "client_$linker" -fuse-ld="$linker" $inside "${client[@]}"
    writes "$work/client_$linker" write "$work/db" bloom:10 $keys
    finds env WINNOW_POLICY=winnow:10 "$work/client_$linker" read "$work/db" bloom:10 $keys
    finds "$built/tests/preload_client" read "$work/db" bloom:10 $keys
  done
  link "c_client_$linker" -fuse-ld="$linker" "${c_client[@]}"
  writes "$work/c_client_$linker" "$work/db" bloom 10 $keys
  "$winnow" verify "$work/db" >/dev/null || fail "the filters of a C program deny keys"
  rm -rf "$work/db"
  WINNOW_POLICY=winnow:10 WINNOW_RANGE_BITS=15 WINNOW_LOG=1 "$work/c_client_$linker" "$work/db" bloom 10 $keys >"$work/said" 2>&1
  grep -q 'gets range filters' "$work/said" || fail "a C program gets no range filters: $(cat "$work/said")"
  echo "adopt_test: ld.$linker"
done

# compiles_here NAME: succeeds if the compiler is installed and the archive is for this machine.
compiles_here() { [[ $machine == "$(uname -m)"-* ]] && command -v "$1" >/dev/null; }

# Programs with link-time optimization: only RocksDB's object files must be machine code.
for by in g++ clang++; do
  compiles_here $by || continue
  lto=(-flto -O2 -std=c++"$standard" -I"$source" "$rtti")
  [[ $by == g++ ]] || lto+=(-fuse-ld=lld)
  $by "${lto[@]}" -Wl,--version >/dev/null 2>&1 || continue
  for name in client c_client; do
    $by "${lto[@]}" -o "$work/lto_$name" "$source/tests/preload/preload_$name.cc" -L"$work/0" -lrocksdb "${needs[@]}" \
      >"$work/link.log" 2>&1 || fail "$name does not link with $by -flto: $(cat "$work/link.log")"
  done
  writes "$work/lto_client" write "$work/db" bloom:10 $keys
  finds env WINNOW_POLICY=winnow:10 "$work/lto_client" read "$work/db" bloom:10 $keys
  finds "$built/tests/preload_client" read "$work/db" bloom:10 $keys
  writes "$work/lto_c_client" "$work/db" bloom 10 $keys
  echo "adopt_test: $by -flto"
done

# A shared library made from a copy exports no symbol of Winnow's and keeps all of RocksDB's. It needs no static
# thread-local storage, which is scarce for libraries loaded by dlopen.
ours=$built/lib/winnow/libwinnow_adopted.a
"${compiler[@]}" -shared -o "$work/ours.so" -Wl,--whole-archive "$ours" -Wl,--no-whole-archive
shown=$(nm -D --defined-only --format=posix "$work/ours.so" | cut -d' ' -f1 | grep -i winnow | grep -v winnow_tell_rocksdb_version || true)
[[ -z $shown ]] || fail "a library of the copy would show symbols of ours: $(c++filt <<<"$shown")"
! readelf -drW "$work/ours.so" | grep -E 'STATIC_TLS|_64_TPOFF64|TLS_TPREL' || fail "a library of the copy would need static thread-local storage"
hidden=$(readelf -sW "$ours" | awk '$6 == "HIDDEN" { print $8 }' | c++filt | grep rocksdb:: | grep -v winnow | sort -u || true)
[[ -z $hidden ]] || fail "RocksDB's own symbols would be hidden; is a header missing in src/rocksdb/in_tree.h? $hidden"

if compiles_here go; then
  cp "$source/tests/languages/rocksdb.go" "$work/rocksdb.go"
  (cd "$work" && GOCACHE=$work/cache GOPATH=$work/path GOPROXY=off GOTOOLCHAIN=local GOFLAGS='' \
    CGO_LDFLAGS="-L$work/0 -lrocksdb ${needs[*]}" go build -o go_client rocksdb.go) >"$work/go.log" 2>&1 ||
    fail "the Go program does not build: $(cat "$work/go.log")"
  writes "$work/go_client" "$work/db" $keys
  "$winnow" verify "$work/db" >/dev/null || fail "the filters of a Go program deny keys"
  echo "adopt_test: $(go version)"
fi
