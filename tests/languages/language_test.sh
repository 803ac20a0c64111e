#!/bin/bash
# Compiles and runs a program in another language against the libraries and headers of a prefix, as
# in docs/embedding.md.
# language_test.sh rust|go PREFIX
# PREFIX is an installation, or /usr for installed packages. Exits with 77 without the language's
# compiler or pkg-config. Downloads nothing.
set -euo pipefail
# shellcheck source=tests/support/script.sh disable=SC1091 # the path is relative to shellcheck's working directory
. "$(dirname "$0")/../support/script.sh"
source=$(dirname "$(realpath "$0")")
language=$1
prefix=$2
unset LD_LIBRARY_PATH

needs() {
  command -v "$1" >/dev/null || skip "there is no $1 here; on Debian: apt-get install $2"
}

needs pkg-config pkg-config
case $language in
rust) needs rustc rustc ;;
go) needs go golang-go ;;
*) fail "expected rust or go, found '$language'" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [[ $prefix != /usr ]]; then
  package=$(find "$prefix" -name winnow.pc -print -quit)
  [[ -n $package ]] || fail "$prefix has no winnow.pc: install Winnow there first"
  PKG_CONFIG_PATH=$(dirname "$package")
  export PKG_CONFIG_PATH
fi
pkg-config --exists --print-errors winnow || fail "pkg-config finds no winnow, see above"

# The page's commands for the language, verbatim except for the name of the source.
commands=$(grep -E "^    (rpath=|rustc .*--libs winnow|CGO_LDFLAGS=.*go build )" "$source/../../docs/embedding.md")
[[ $(wc -l <<<"$commands") == 3 ]] || fail "docs/embedding.md does not have three commands of rpath, rustc and go: $commands"
if [[ $language == rust ]]; then
  commands=$(grep -Ev '^ *CGO_' <<<"$commands")
else
  commands=$(grep -Ev '^ *rustc' <<<"$commands")
  # Uses a separate compiler cache, and never the network for modules or toolchains.
  export GOCACHE=$work/cache GOPATH=$work/path GOPROXY=off GOTOOLCHAIN=local GOFLAGS=
fi
cp "$source/c_interface.rs" "$work/engine.rs"
cp "$source/c_interface.go" "$work/engine.go"
cd "$work"
sh -e -c "$commands" >"$work/said.log" 2>&1 || fail "the commands of docs/embedding.md fail: $commands: $(cat "$work/said.log")"
[[ ! -s $work/said.log ]] || fail "the compiler warns: $(cat "$work/said.log")"

library=$(ldd "$work/engine" | sed -n 's/.*libwinnow\.so[^ ]* => \([^ ]*\).*/\1/p')
[[ -z $library || $(realpath "$library") == "$(realpath "$prefix")"/* ]] ||
  fail "the program runs with $library, which is not of $prefix"
"$work/engine" || fail "the $language program ends with $?"
echo "language_test: $language: $(if [[ $language == rust ]]; then rustc --version; else go version; fi), with ${library:-an archive}"
