#!/bin/bash
# Tests of the guarantees in docs/compatibility.md, with libraries built from changed sources: with
# changes that later versions may make, and with forbidden ones.
#   programs  programs compiled with today's headers run with libraries whose structs have grown and
#             which have an additional option; and an OPTIONS file written by the later plugin is
#             opened by today's.
#   abi       today's libraries match the record in tests/interface, by abidiff, which permits
#             growing structs and detects a removed function, and a member that was put into a gap.
#             WINNOW_RECORD_ABI=1 records additions of a new version.
# Exits with 77 (skipped) if the test is impossible.
# interface_test.sh programs|abi BUILD_FOLDER SOURCE_FOLDER ROCKSDB_ROOT STANDARD CC CXX
# ROCKSDB_ROOT is empty for the system's RocksDB, STANDARD is that of its headers, such as 17.
set -euo pipefail
export LC_ALL=C
# shellcheck source=tests/support/script.sh disable=SC1091 # the path is relative to shellcheck's working directory
. "$(dirname "$0")/../support/script.sh"

part=$1
built=$2
source=$3
rocksdb=$4
standard=$5
c_compiler=$6
compiler=$7
# shellcheck source=tools/build_jobs.sh disable=SC1091 # the path is relative to shellcheck's working directory
. "$source/tools/build_jobs.sh"

# The record depends on this compiler and on the types of this system.
if [[ $part == abi ]]; then
  # shellcheck source=/dev/null # the file belongs to the system
  system=$(. /etc/os-release && echo "${ID-} ${VERSION_ID-} $(uname -m)")
  [[ $system == "debian 12 x86_64" ]] || skip "the record is of Debian 12 on x86_64, and this is $system"
  [[ $("$compiler" --version) == *" 12."* ]] || skip "the record is by g++ 12, and this compiler is $compiler"
  command -v abidiff >/dev/null || skip "there is no abidiff; on Debian and Ubuntu: apt-get install abigail-tools"
fi

# The folder is kept for the next run, which then compiles only changed files.
work=$built/interface
mkdir -p "$work"

# copy_tree: makes a copy of the tree for changes before a build; unchanged files keep their dates.
copy_tree() {
  rm -rf "$work/new"
  mkdir "$work/new"
  cp -a "$source/CMakeLists.txt" "$source/include" "$source/src" "$source/streams" "$source/third_party" "$work/new"
}

# keep NAME: updates the tree of this name from the changed copy; files with equal content keep
# their dates.
keep() {
  mkdir -p "$work/$1"
  (cd "$work/new" && find . -type f) | while read -r file; do
    cmp -s "$work/new/$file" "$work/$1/$file" || install -D -m 644 "$work/new/$file" "$work/$1/$file"
  done
  (cd "$work/$1" && find . -path ./build -prune -o -type f -print) | while read -r file; do
    [[ -e $work/new/$file ]] || rm "$work/$1/$file"
  done
}

# insert FILE STRUCT BEFORE LINE: inserts the line into the struct, before the first line that
# matches.
insert() {
  awk -v begin="^(typedef )?struct $2 [{]" -v before="$3" -v line="$4" '
    $0 ~ begin { inside = 1 }
    inside && $0 ~ before { print line; inside = 0; done = 1 }
    { print }
    END { exit !done }' "$work/new/$1" >"$work/changed" || fail "$1 has no struct $2 with $3"
  cp "$work/changed" "$work/new/$1"
}

# grow: appends a member of 8 bytes to each struct, and a row to the tables of options.
grow() {
  local header struct option
  for struct in FilterOptions:options FilterInfo:filter RangeFilterOptions:range_filter RangeFilterInfo:range_filter \
    PolicyOptions:rocksdb_policy FilterLoads:rocksdb_filter_loads FilterUse:rocksdb_filter_use LookupCounters:rocksdb_policy \
    SampleCounters:rocksdb_policy; do
    insert "include/winnow/${struct#*:}.h" "${struct%:*}" '^};' '  uint64_t added_later = 7;'
  done
  for struct in filter_loads filter_use lookup_counters sample_counters; do
    insert include/winnow/rocksdb_c.h winnow_rocksdb_$struct '^}' '  uint64_t added_later;'
  done
  for option in FilterOptions::levels_below:options PolicyOptions::filter_memory:rocksdb_policy; do
    header=$work/new/include/winnow/${option##*:}.h
    struct=${option%%:*}
    sed "/^  visit(.*, &${option%:*});/a visit(NumberOption<uint64_t>{\"added_later\", 7, 9}, \&$struct::added_later);" "$header" \
      >"$work/changed"
    ! cmp -s "$work/changed" "$header" || fail "the table of options has no row of ${option%:*}"
    cp "$work/changed" "$header"
  done
}

# build NAME TARGET…: builds without optimization and with the debug information for abidw.
build() {
  local folder=$work/$1/build tree=$work/$1 with_rocksdb=OFF
  [[ $1 != today ]] || tree=$source
  [[ " ${*:2} " != *" winnow_rocksdb "* ]] || with_rocksdb=ON
  echo "== build $*"
  {
    cmake -G Ninja -S "$tree" -B "$folder" -DCMAKE_C_COMPILER="$c_compiler" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_CXX_FLAGS_RELEASE="-O0 -g -ffile-prefix-map=$tree/= -ffile-prefix-map=$folder/=" -DCMAKE_UNITY_BUILD=ON \
      -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 -DWINNOW_ROCKSDB=$with_rocksdb -DWINNOW_ROCKSDB_ROOT="$rocksdb" -DWINNOW_PRELOAD=OFF \
      -DWINNOW_TOOLS=OFF -DWINNOW_BENCH=OFF -DWINNOW_TESTS=OFF &&
      cmake --build "$folder" -j "$(build_jobs)" --target "${@:2}"
  } >"$work/build.log" 2>&1 || fail "the libraries $1 can't be built: $(cat "$work/build.log")"
}

# run NAME COMMAND…: runs a command with the libraries of this build.
run() {
  LD_LIBRARY_PATH=$work/$1/build/lib${rocksdb:+:$rocksdb/lib:$rocksdb/lib64} "${@:2}" ||
    fail "${*:2} ends with $? with the libraries $1"
}

build today winnow winnow_rocksdb
copy_tree
grow
keep grown
build grown winnow winnow_rocksdb

check_programs() {
  local program headers=()
  [[ -z $rocksdb ]] || headers=(-isystem "$rocksdb/include" -L "$rocksdb/lib" -L "$rocksdb/lib64")
  for program in core rocksdb; do
    "$compiler" -std="c++$standard" -O1 -fstack-protector-all -Wall -Wextra -I "$source/include" -I "$source" \
      "$source/tests/interface/$program.cc" "${headers[@]}" -L "$work/today/build/lib" -Wl,--no-as-needed -lwinnow \
      -lwinnow_rocksdb -lrocksdb -o "$work/${program}_user" || fail "$program.cc can't be compiled"
  done
  run today "$work/core_user" same
  run grown "$work/core_user" grown
  local libraries
  for libraries in today grown; do
    rm -rf "$work/database"
    run $libraries "$work/rocksdb_user" use "$work/database"
    echo "rocksdb: all is well with the libraries $libraries"
  done

  # opens_with POLICY EDIT HOW SAID: opens the OPTIONS file of a later plugin with today's, after an
  # edit of the file by sed.
  opens_with() {
    local said file
    rm -rf "$work/database"
    run grown "$work/rocksdb_user" write "$work/database" "$1"
    file=$(find "$work/database" -name 'OPTIONS-*' | sort | tail -n 1)
    sed "$2" "$file" >"$work/changed"
    [[ -z $2 ]] || ! cmp -s "$work/changed" "$file" || fail "the OPTIONS file has nothing for $2: $(cat "$file")"
    cp "$work/changed" "$file"
    said=$(run today "$work/rocksdb_user" open "$work/database" "$3")
    # shellcheck disable=SC2053 # the right side is a pattern
    [[ $said == $4 ]] || fail "of $1, ${2:-not edited}, $3, it is expected: $4; but it says: $said"
    echo "$1${2:+, $2}, $3: $said"
  }
  local how later_rocksdb='s/rocksdb_version=.*/rocksdb_version=99.0.0/' new_value='s/level_plan=auto/level_plan=later/'
  local known='{id=winnow;bits_per_key=12}' later='{id=winnow;bits_per_key=12;added_later=8}'
  local opens='it opens with winnow.Filter;bits_per_key=12;level_plan=auto'
  local refused='it does not open: Invalid argument: *no option "added_later"*'
  for how in strict lenient; do
    opens_with "$known" "" $how "$opens"
    # RocksDB is lenient only with files written by a later RocksDB.
    opens_with "$later" "" $how "$refused"
    opens_with "${known%?};level_plan=auto}" "$new_value" $how 'it does not open: Invalid argument: *level_plan is "later", but must be*'
  done
  opens_with "$known" "$later_rocksdb" strict "$opens"
  opens_with "$later" "$later_rocksdb" strict "$refused"
  opens_with "$later" "$later_rocksdb" lenient "$opens"
  # Today's plugin has written its own OPTIONS file, which the later plugin then reads.
  said=$(run grown "$work/rocksdb_user" open "$work/database" strict)
  [[ $said == "$opens;added_later=7" ]] || fail "the later plugin says after that: $said"
}

# abi_of NAME LIBRARY: writes the library's public ABI.
abi_of() {
  abidw --exported-interfaces-only --headers-dir "$source/include/winnow" --drop-private-types \
    --suppressions "$source/tests/interface/private.abignore" --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed \
    --no-parameter-names --no-write-default-sizes "$work/$1/build/lib/$2.so" >"$work/$1.$2.abi" ||
    fail "abidw can't read $2.so of the libraries $1"
}

# Pattern of the growing structs, for which all messages of abidiff are suppressed.
growing=$(sed -n 's/^  name_regexp = ^\(winnow::\)\?(\(.*\))\$$/\2/p' "$source/tests/interface/grows.abignore" | paste -sd '|')

# members_of FILE: prints a line for each member of each growing struct, with its offset, name and
# type, a line for its size, and a line for each value of each enumeration.
members_of() {
  awk -v structs="$growing" '
    function attribute(name) {
      return match($0, " " name "=.[^\047]*") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) : ""
    }
    function type_of(id, depth) {
      if (kind[id] == "enum-decl") enums[id]
      if (kind[id] == "typedef-decl" && depth < 9) return type_of(target[id], depth + 1)
      return kind[id] " " text[id] (target[id] != "" && depth < 9 ? " of " type_of(target[id], depth + 1) : "")
    }
    FNR == NR && / id=/ && !/<\/|<subrange/ {
      id = attribute("id")
      kind[id] = substr($1, 2)
      text[id] = attribute("name") " " attribute("size-in-bits")
      target[id] = attribute("type-id")
    }
    FNR == NR && /<underlying-type/ { target[id] = attribute("type-id") }
    FNR == NR && /<enumerator/ { values[id] = values[id] "enum " text[id] " " attribute("name") "=" attribute("value") "\n" }
    FNR == NR { next }
    /<class-decl/ {
      struct = attribute("name") ~ "^(" structs ")$" ? attribute("name") : ""
      if (struct) print "size", struct, attribute("size-in-bits")
    }
    /<\/class-decl>/ { struct = "" }
    struct && /layout-offset-in-bits/ { offset = attribute("layout-offset-in-bits") }
    struct && /<var-decl/ { print struct, offset, attribute("name"), type_of(attribute("type-id"), 0) }
    END { for (id in enums) printf "%s", values[id] }' "$1" "$1"
}

# changed_members RECORD TODAY: prints members that have moved since the record, and removed
# enumeration values.
changed_members() {
  members_of "$1" >"$work/members.record"
  members_of "$2" >"$work/members.today"
  [[ -s $work/members.record ]] || fail "$1 has none of the structs that grow"
  awk 'FNR == NR { place[$1, ++count[$1]] = $0; has[$0]; next }
    { kept = $1 == "enum" ? $0 in has : $1 == "size" || place[$1, ++seen[$1]] == $0 }
    !kept { print "expected where it was: " $0 }' "$work/members.today" "$work/members.record"
}

# differs NAME LIBRARY: returns whether a program linked with the recorded library may fail with
# this one, and prints why.
differs() {
  local status=0
  abi_of "$1" "$2"
  abidiff --no-added-syms --suppressions "$source/tests/interface/grows.abignore" "$source/tests/interface/$2.abi" "$work/$1.$2.abi" \
    >"$work/abidiff.log" 2>&1 || status=$?
  (((status & 3) == 0)) || fail "abidiff can't compare $2 of the libraries $1: $(cat "$work/abidiff.log")"
  changed_members "$source/tests/interface/$2.abi" "$work/$1.$2.abi" >"$work/members.log"
  cat "$work/members.log" >>"$work/abidiff.log"
  ((status != 0)) || [[ -s $work/members.log ]]
}

# symbols_of FILE: prints each symbol with its version.
symbols_of() {
  sed -n "s/.*<elf-symbol name='\([^']*\)'.* version='\([^']*\)'.*/\1@@\2/p" "$1" | sort
}

# misplaced NAME LIBRARY: prints symbols that the record lacks but that are in a version node of
# earlier minor versions: programs that use them would start with those earlier libraries.
misplaced() {
  local version
  version=$(sed -n 's/^#define WINNOW_VERSION_\(MAJOR\|MINOR\) //p' "$source/include/winnow/version.h" | paste -sd .)
  comm -13 <(symbols_of "$source/tests/interface/$2.abi") <(symbols_of "$work/$1.$2.abi") | c++filt |
    sed "/_${version/./\\.}\$/d"
}

# check_last_members FILE: fails if a growing struct ends with a gap: abidiff would take the next
# member, placed in the gap, for one at the end, although its presence would not show in the
# struct's size.
check_last_members() {
  local checked
  checked=$(members_of "$1" | awk '
    $1 == "size" { size[$2] = $3 }
    $1 != "size" && $1 in size { last[$1] = $2 }
    END {
      for (struct in size) {
        print (struct in last && size[struct] - last[struct] == 64 ? "checked" : "gap in"), struct, \
          "last member at", last[struct], "of", size[struct], "bits"
      }
    }')
  [[ $checked == *checked* && $checked != *gap* ]] || fail "the last member of a struct that grows is not 8 bytes wide: $checked"
  echo "$checked"
}

check_abi() {
  local library
  for library in libwinnow libwinnow_rocksdb; do
    if [[ -n ${WINNOW_RECORD_ABI-} ]]; then
      abi_of today $library
      # The record must not lag behind released libraries, or breaks would go unnoticed; a new major
      # version begins without a record.
      [[ ! -e $source/tests/interface/$library.abi ]] || ! differs today $library ||
        fail "$library is not recorded, as programs that were linked with that of the record may fail with it: $(cat "$work/abidiff.log")"
      [[ ! -e $source/tests/interface/$library.abi || -z $(misplaced today $library) ]] ||
        fail "$library is not recorded, as these belong into the node of this minor version: $(misplaced today $library)"
      cp "$work/today.$library.abi" "$source/tests/interface/$library.abi"
      echo "$library: recorded"
    fi
    ! differs today $library ||
      fail "programs that were linked with $library of the record may fail with today's: $(cat "$work/abidiff.log")"
    echo "$library: as recorded"
    check_last_members "$work/today.$library.abi"
    ! differs grown $library || fail "abidiff takes a struct that has grown for a break: $(cat "$work/abidiff.log")"
    ! cmp -s "$work/today.$library.abi" "$work/grown.$library.abi" || fail "nothing has grown in $library"
    echo "$library with grown structs: as recorded"
  done

  copy_tree
  sed -i '/"winnow::FilterSet::copied_bytes() const";/d' "$work/new/src/core/exports.map"
  keep removed
  build removed winnow
  differs removed libwinnow || fail "abidiff does not miss a function that was removed"
  grep -q "removed function\|Removed function" "$work/abidiff.log" || fail "abidiff does not name it: $(cat "$work/abidiff.log")"
  sed 's/^/  /' "$work/abidiff.log"
  echo "libwinnow without a function: refused"

  copy_tree
  insert include/winnow/options.h FilterOptions '^  // Fewer hashes than this' '  bool added_later = false;'
  keep squeezed
  build squeezed winnow
  differs squeezed libwinnow || fail "abidiff does not see a member that was put into a gap"
  sed 's/^/  /' "$work/abidiff.log"
  echo "libwinnow with a member in a gap: refused"

  # Sizes stay unchanged; only the meanings of the members are swapped.
  copy_tree
  sed -i 's/^  double level_size_ratio = 10;/  double levels_to_swap = 10;/
    s/^  double absent_share = 1;/  double level_size_ratio = 10;/
    s/^  double levels_to_swap = 10;/  double absent_share = 1;/' "$work/new/include/winnow/options.h"
  # Adds an overload, which a * in exports.map would assign to the node of 1.0.
  sed -i '/^WINNOW_EXPORT std::string CheckOptions/i WINNOW_EXPORT int CheckOptions(int) noexcept;' "$work/new/include/winnow/options.h"
  echo 'namespace winnow { int CheckOptions(int) noexcept { return 7; } }' >>"$work/new/src/core/options.cc"
  keep swapped
  build swapped winnow
  differs swapped libwinnow || fail "two members that changed places are not seen"
  grep -q 'expected where it was: FilterOptions [0-9]* absent_share ' "$work/members.log" ||
    fail "the member is not named: $(cat "$work/abidiff.log")"
  sed 's/^/  /' "$work/members.log"
  echo "libwinnow with two members swapped: refused"
  [[ $(misplaced swapped libwinnow) == 'winnow::CheckOptions(int)@@WINNOW_1' ]] ||
    fail "a function in the node of another minor version is not seen: $(misplaced swapped libwinnow)"
  echo "libwinnow with an overload in WINNOW_1: not recorded"
}

"check_$part"
