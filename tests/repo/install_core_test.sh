#!/bin/bash
# Builds and installs the libraries without RocksDB, first shared and then static, and uses each
# prefix as users do: by the literal commands of docs/embedding.md, and by CMake projects in C++ and
# in C only. The prefix alone says where the libraries are.
# install_core_test.sh SOURCE_FOLDER CC CXX [FLAG…]
# FLAGs apply to every compilation.
set -euo pipefail
# shellcheck source=tests/support/script.sh disable=SC1091 # the path is relative to shellcheck's working directory
. "$(dirname "$0")/../support/script.sh"

source=$(realpath "$1")
c_compiler=$2
compiler=$3
shift 3
flags=("$@")
unset LD_LIBRARY_PATH PKG_CONFIG_PATH

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# quietly NAME COMMAND…: prints the command's output only if it fails.
quietly() {
  echo "== $1"
  "${@:2}" >"$work/said.log" 2>&1 || fail "$1: ${*:2} ends with $?: $(cat "$work/said.log")"
}

configure() {
  cmake -G Ninja -DCMAKE_C_COMPILER="$c_compiler" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_C_FLAGS="${flags[*]}" \
    -DCMAKE_CXX_FLAGS="${flags[*]}" "$@"
}

# install KIND SHARED: installs, then moves the installation to $work/KIND. Built without
# optimization, for speed.
install_libraries() {
  configure -S "$source" -B "$work/build_$1" -DWINNOW_ROCKSDB=OFF -DWINNOW_TESTS=OFF -DBUILD_SHARED_LIBS="$2" \
    -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DCMAKE_UNITY_BUILD=ON &&
    cmake --build "$work/build_$1" -j 2 &&
    cmake --install "$work/build_$1" --prefix "$work/first_$1" &&
    mv "$work/first_$1" "$work/$1"
}

# Prints the commands of the page, with the compilers of this test.
page_commands() {
  local commands
  commands=$(grep -E '^    (rpath=|g\+\+ .* engine\.cc .*--libs winnow\)|gcc engine\.c .*--libs winnow\))' "$source/docs/embedding.md")
  [[ $(wc -l <<<"$commands") == 3 ]] || fail "docs/embedding.md does not have the three commands: $commands"
  sed -e "s|g++ |$compiler ${flags[*]} |; s|gcc |$c_compiler ${flags[*]} |" <<<"$commands"
}

# run_page KIND: runs the page's commands; the programs must start without LD_LIBRARY_PATH.
run_page() {
  local folder=$work/page_$1
  mkdir "$folder"
  cp "$source/tests/install/core/main.cc" "$folder/engine.cc"
  cp "$work/$1/share/doc/winnow/examples/c_example.c" "$folder/engine.c"
  page_commands | while read -r command; do
    printf '%s\n' "$command"
    [[ $command == rpath=* ]] || printf './engine\n'
  done >"$folder/commands"
  [[ $1 == shared ]] || sed -i "s|\(engine\.c .*\)pkg-config |\1pkg-config --static |" "$folder/commands"
  (cd "$folder" && PKG_CONFIG_PATH=$(dirname "$(find "$work/$1" -name winnow.pc)") bash -e commands)
}

# build_project KIND NAME: builds a project that uses find_package, and runs its program.
build_project() {
  local project=$source/tests/install/$2
  [[ -d $project ]] || project=$source/streams/tests/install/$2
  configure -S "$project" -B "$work/cmake_$1_$2" -DCMAKE_PREFIX_PATH="$work/$1" \
    -DEXAMPLE="$work/$1/share/doc/winnow/examples/c_example.c" &&
    cmake --build "$work/cmake_$1_$2" &&
    "$work/cmake_$1_$2/$2_user"
}

for kind in shared static; do
  shared=$([[ $kind == shared ]] && echo ON || echo OFF)
  quietly "install $kind libraries" install_libraries $kind "$shared"
  for file in include/winnow/winnow.h include/winnow/filter_set.h share/doc/winnow/LICENSE share/doc/winnow/FORMAT.md \
    share/doc/winnow/{README.md,CHANGELOG.md,amq/FORMAT.md,docs/which-policy.md,docs/what-it-gains.svg,docs/results/filter-bench.md,docs/monitoring/alerts.yml} \
    share/doc/winnow/examples/{lsm_store_example.cc,memtable_filter_example.cc,filter_example.cc,filter_set_example.cc,c_example.c}; do
    [[ -f $work/$kind/$file ]] || fail "$file is not installed"
  done
  libraries=$(find "$work/$kind" -name 'libwinnow*' -printf '%f\n' | sort | tr '\n' ' ')
  if [[ $kind == shared ]]; then
    [[ $libraries =~ ^"libwinnow.so libwinnow.so.1 libwinnow.so."(([0-9]+\.[0-9]+)\.[0-9]+)" libwinnow_amq.so "(.*)$ &&
      ${BASH_REMATCH[3]} == "libwinnow_amq.so.${BASH_REMATCH[2]} libwinnow_amq.so.${BASH_REMATCH[1]} " ]] ||
      fail "these are installed: $libraries"
  else
    [[ $libraries == "libwinnow.a libwinnow_amq.a " ]] || fail "these are installed: $libraries"
  fi
  ! grep -rIl "$work/first_$kind" "$work/$kind" || fail "the files above name the prefix of the installation"

  quietly "$kind: the page's commands" run_page $kind
  for project in core c amq; do
    quietly "$kind: a CMake project, $project" build_project $kind $project
  done
  if [[ $kind == static ]]; then
    for program in page_static/engine cmake_static_c/c_user cmake_static_core/core_user; do
      ! readelf -d "$work/$program" | grep -q 'NEEDED.*winnow' || fail "$program needs a shared library of ours"
    done
  fi
  # Compiles the complete examples from their installed location.
  for example in "lsm_store_example -lwinnow" "memtable_filter_example -lwinnow_amq -lwinnow"; do
    read -r name linked <<<"$example"
    # shellcheck disable=SC2086  # word splitting is intended
    quietly "$kind: $name" "$compiler" -std=c++17 -pthread "${flags[@]}" -I "$work/$kind/include" \
      "$work/$kind/share/doc/winnow/examples/$name.cc" -L "$(dirname "$(find "$work/$kind" -name 'libwinnow.*' -print -quit)")" \
      $linked -o "$work/${name}_$kind"
  done
done

# refuses WORDS SAID: expects an error message when a project requests this package.
refuses() {
  rm -rf "$work/wrong" "$work/wrong_build"
  mkdir "$work/wrong"
  printf '%s\n' "cmake_minimum_required(VERSION 3.22)" "project(wrong LANGUAGES CXX)" "find_package(winnow $1)" >"$work/wrong/CMakeLists.txt"
  if configure -S "$work/wrong" -B "$work/wrong_build" -DCMAKE_PREFIX_PATH="$work/static" >"$work/said.log" 2>&1; then
    fail "a project that asks for winnow $1 is configured"
  fi
  tr -s ' \n' ' ' <"$work/said.log" | grep -q "$2" || fail "to a project that asks for winnow $1 it is said: $(cat "$work/said.log")"
}

# An unknown component is named. Each version provides what older ones did, of 1.x too, and no later one.
refuses "REQUIRED COMPONENTS core ribbon" 'Winnow has no component ribbon: there are core, amq and rocksdb'
version=$(PKG_CONFIG_PATH=$(dirname "$(find "$work/static" -name winnow.pc)") pkg-config --modversion winnow)
major=${version%%.*}
for other in $((major + 1)) "$major.99"; do
  refuses "$other REQUIRED COMPONENTS core" 'compatible with requested version'
done
echo "install_core_test: all is well"
