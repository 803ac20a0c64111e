#!/bin/bash
# Unpacks Debian's packages for another machine, with all dependencies, into build/sysroot_MACHINE, for
# tools/emulated.cmake and tools/emulated.sh. Does nothing if they are there. Leaves the system's packages,
# package sources and architectures unchanged; hooks of apt after an update are run.
#
#   tools/fetch_sysroot.sh arm64|s390x PACKAGE…
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  printf 'tools/fetch_sysroot.sh: %s\n' "$*" >&2
  exit 1
}

(($# >= 2)) || fail "expected a machine, as Debian names it, and packages"
machine=$1
shift
# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
target=build/sysroot_$machine
if [[ -f $target/unpacked && $(<"$target/unpacked") == "$suite $*" ]]; then
  exit 0
fi
for program in apt-get dpkg-deb; do
  command -v "$program" >/dev/null || fail "there is no $program: this takes a Debian"
done
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[[ -f $keys ]] || fail "$keys is missing, without which packages can't be verified"

mkdir -p build
work=$(mktemp -d "$PWD/build/fetching_sysroot.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial" "$work/apt/parts" "$work/sysroot"
touch "$work/apt/status" # an empty list of installed packages
{
  echo "deb [signed-by=$keys] http://deb.debian.org/debian $suite main"
  echo "deb [signed-by=$keys] http://deb.debian.org/debian-security $suite-security main"
} >"$work/apt/sources.list"
apt=(apt-get -q -o "APT::Architecture=$machine" -o "APT::Architectures::=$machine" -o Acquire::Languages=none
  -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false
  -o "Dir::Etc::sourcelist=$work/apt/sources.list" -o "Dir::Etc::sourceparts=$work/apt/parts"
  -o "Dir::State=$work/apt" -o "Dir::State::Lists=$work/apt/lists" -o "Dir::State::status=$work/apt/status"
  -o "Dir::Cache=$work/apt/cache" -o APT::Sandbox::User=root -o Debug::NoLocking=true -o Acquire::Retries=3)
"${apt[@]}" update >&2 || fail "apt-get could not fetch the list of Debian's packages for $machine; its message is above"
"${apt[@]}" install -y --no-install-recommends --download-only "$@" >&2 ||
  fail "apt-get could not fetch the packages for $machine; its message is above"
for package in "$work"/apt/cache/archives/*.deb; do
  dpkg-deb -x "$package" "$work/sysroot"
done

# If the packages do not link /lib to /usr/lib, the link is added, since programs look for their loader in
# /lib.
cd "$work/sysroot"
[[ -e lib ]] || ln -s usr/lib lib
# Absolute links are made relative to the sysroot, as they would lead to this machine's files.
find . -type l -lname '/*' -printf '%p\t%l\n' | while IFS=$'\t' read -r link destination; do
  ln -sfn "$(realpath -ms --relative-to="${link%/*}" ".$destination")" "$link"
done
cd "$OLDPWD"
printf '%s\n' "$suite $*" >"$work/sysroot/unpacked"
rm -rf "$target"
mv "$work/sysroot" "$target"
