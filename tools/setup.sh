#!/bin/bash
# Installs the packages that building, testing and the demo need, on Debian and Ubuntu: only those
# that are missing, and without touching the network when none is. Safe to run again.
# tools/setup.sh PACKAGE… installs these as well; tools/setup.sh --sources PACKAGE… also fetches the
# source of RocksDB (11 MB) to build/rocksdb-source/, without which tests/house/in_tree_test.sh is skipped;
# tools/setup.sh --browser PACKAGE… also installs Chromium (400 MB with what it needs), without which
# readamp_page_test is skipped, and a font for it. Both options may be given.
set -euo pipefail

sources=
more=()
while [[ ${1-} == --* ]]; do
  case $1 in
  --sources)
    sources=1
    more+=(dpkg-dev make)
    ;;
  --browser) more+=(chromium fonts-dejavu-core) ;;
  *)
    printf 'tools/setup.sh: there is no option %s; those are --sources and --browser\n' "$1" >&2
    exit 2
    ;;
  esac
  shift
done
set -- ${more[@]+"${more[@]}"} "$@"

packages=(
  # Build.
  g++ cmake ninja-build pkg-config
  # Libraries, with what the tests and the micro-benchmarks are written in.
  librocksdb-dev libabsl-dev liblz4-dev zlib1g-dev libzstd-dev libhiredis-dev libxxhash-dev nlohmann-json3-dev
  libgtest-dev libgmock-dev libbenchmark-dev
  # Programs that the tests and the demo run: db_bench, ldb and sst_dump, the index of Debian's files,
  # its decompressor, nm, a server for streams of lines, and a program that uses RocksDB without a filter policy.
  rocksdb-tools apt-file lz4 binutils redis-server sortmerna
  "$@"
)

fail() {
  printf 'tools/setup.sh: %s\n' "$*" >&2
  exit 1
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  fail "this system has no apt-get. Install what these Debian packages hold by its own means, then" \
    "configure with CMake as README.md shows: ${packages[*]}"
fi

missing=()
for package in "${packages[@]}"; do
  # An unknown package is an error of dpkg-query: as missing as one that was removed.
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || status=unknown
  [[ $status == installed ]] || missing+=("$package")
done

install_missing() {
  local as_root=() apt
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      fail "packages are missing and installing them needs root, but there is no sudo." \
        "As root, run: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi

  echo "Installing: ${missing[*]}"
  apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300
    -o Acquire::Retries=3)
  # One source of packages that can't be reached need not be the one that holds ours.
  "${apt[@]}" update || echo "tools/setup.sh: the package lists could not be refreshed" >&2
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" ||
    fail "apt-get could not install: ${missing[*]}. Its own message is above; without network, install" \
      "these by hand and run this again."
}

if ((${#missing[@]})); then
  install_missing
fi
if [[ -n $sources ]]; then
  "$(dirname "$0")/fetch_rocksdb_source.sh"
fi
