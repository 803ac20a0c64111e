#!/bin/bash
# Fetches RocksDB's source, in the version of the installed librocksdb-dev, from Debian's source package, and
# prints its folder: build/rocksdb-source/VERSION. Only prints the folder if it exists. Leaves the system's
# package sources and package lists unchanged.
#
#   tools/fetch_rocksdb_source.sh
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  printf 'tools/fetch_rocksdb_source.sh: %s\n' "$*" >&2
  exit 1
}

(($# == 0)) || fail "it takes no arguments"
for program in apt-get dpkg-query dpkg-source; do
  command -v "$program" >/dev/null ||
    fail "$program is missing; on Debian and Ubuntu: apt-get install dpkg-dev"
done
# shellcheck disable=SC2016 # dpkg-query's variable
version=$(dpkg-query -W -f '${source:Version}' librocksdb-dev 2>/dev/null) || version=
[[ -n $version ]] || fail "librocksdb-dev is not installed, whose version is to be fetched; run tools/setup.sh"

target=build/rocksdb-source/${version%-*} # without Debian's revision
# A source that was put there by hand has no Debian changelog.
if [[ -f $target/CMakeLists.txt ]] &&
  { [[ ! -f $target/debian/changelog ]] || head -n 1 "$target/debian/changelog" | grep -qF "($version)"; }; then
  printf '%s\n' "$target"
  exit 0
fi

echo "Fetching the source of RocksDB $version" >&2
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[[ -f $keys ]] || fail "$keys is missing, without which the source can't be verified; on other systems than" \
  "Debian, put the source of the installed version into $target by hand"
mkdir -p build/rocksdb-source
work=$(mktemp -d "$PWD/build/rocksdb-source/fetching.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial" "$work/apt/sources.list.d"
# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
echo "deb-src [signed-by=$keys] http://deb.debian.org/debian $suite main" >"$work/apt/sources.list"
apt=(apt-get -q -o "Dir::Etc::sourcelist=$work/apt/sources.list" -o "Dir::Etc::sourceparts=$work/apt/sources.list.d"
  -o "Dir::State::Lists=$work/apt/lists" -o "Dir::Cache=$work/apt/cache" -o APT::Sandbox::User=root
  -o Debug::NoLocking=true -o Acquire::Retries=3)
"${apt[@]}" update >&2 || fail "apt-get could not fetch the list of Debian's source packages; its message is above"
(cd "$work" && "${apt[@]}" source --only-source "rocksdb=$version" >&2) ||
  fail "apt-get could not fetch the source package rocksdb $version; its message is above"
unpacked=("$work"/rocksdb-*/)
[[ ${#unpacked[@]} == 1 && -f ${unpacked[0]}/CMakeLists.txt ]] ||
  fail "the source package of rocksdb $version did not unpack into one folder with a CMakeLists.txt"
rm -rf "$target"
mv "${unpacked[0]%/}" "$target"
printf '%s\n' "$target"
