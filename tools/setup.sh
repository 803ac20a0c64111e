#!/bin/bash
# Installs missing packages for building and testing on Debian and Ubuntu; does not use the network if none is
# missing. Idempotent. tools/setup.sh [OPTION…] [PACKAGE…] installs the given packages, too.
#   --demo      only what tools/demo.sh needs, without the tests
#   --alone     only the packages that are named
#   --sources   also fetches the source of RocksDB (11 MB) to build/rocksdb-source/, without which in_tree_test.sh is
#               skipped
#   --browser   also installs Chromium (400 MB with what it needs), without which readamp_page_test is skipped, and a
#               font for it
#   --sysroot=MACHINE  also fetches the libraries and programs of these packages for arm64 or s390x (23 MB) to
#               build/sysroot_MACHINE/, which tools/test_preset.sh takes for MACHINE_rocksdb
#   --download  downloads the packages without installing them
#   --missing   only names what is missing, and ends with 1 if something is
set -euo pipefail

fail() {
  printf 'tools/setup.sh: %s\n' "$*" >&2
  exit 1
}

# Packages for building, and db_bench, which the demo and tests run.
libraries=(librocksdb-dev libabsl-dev liblz4-dev zlib1g-dev libzstd-dev libxxhash-dev nlohmann-json3-dev rocksdb-tools)
packages=(g++ cmake make ninja-build "${libraries[@]}")
# Libraries for tests, for micro-benchmarks and for streams in Redis, with TLS if hiredis has it; programs
# that tests run: abidiff, nm, a Redis server and openssl for its certificates, a program that uses RocksDB
# without a filter policy, Prometheus and its node exporter, which reads metrics from files, and a JSON
# validator; the index of Debian's files, and lz4 to decompress it.
more_libraries=(libhiredis-dev libgtest-dev libgmock-dev libbenchmark-dev)
more=(pkg-config "${more_libraries[@]}" libssl-dev abigail-tools binutils redis-server openssl sortmerna python3
  python3-jsonschema prometheus prometheus-node-exporter apt-file lz4)
sources=
sysroot=
download=
only_name=
while [[ ${1-} == --* ]]; do
  case $1 in
  --demo) more=() ;;
  --alone)
    packages=()
    more=()
    ;;
  --sources)
    sources=1
    packages+=(dpkg-dev)
    ;;
  --sysroot=?*) sysroot=${1#*=} ;;
  --browser) packages+=(chromium fonts-dejavu-core) ;;
  --download) download=1 ;;
  --missing) only_name=1 ;;
  *)
    printf 'tools/setup.sh: there is no option %s; those are %s\n' "$1" \
      '--demo, --alone, --sources, --browser, --sysroot=MACHINE, --download and --missing' >&2
    exit 2
    ;;
  esac
  shift
done
packages+=(${more[@]+"${more[@]}"} "$@")

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  fail "this system has no apt-get. Install what these Debian packages hold by its own means, then" \
    "configure with CMake as README.md shows: ${packages[*]}"
fi

missing=()
for package in "${packages[@]}"; do
  # dpkg-query fails for unknown packages, which count as missing.
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

  echo "$([[ -n $download ]] && echo Downloading || echo Installing): ${missing[*]}"
  apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300
    -o Acquire::Retries=3)
  # A failed update is not fatal, as the missing source may have none of these packages.
  "${apt[@]}" update || echo "tools/setup.sh: the package lists could not be refreshed" >&2
  "${apt[@]}" install -y --no-install-recommends ${download:+--download-only} "${missing[@]}" ||
    fail "apt-get could not install: ${missing[*]}. Its own message is above; without network, install" \
      "these by hand and run this again."
}

if [[ -n $only_name ]]; then
  ((${#missing[@]} == 0)) || {
    echo "${missing[*]}"
    exit 1
  }
  exit 0
fi
if ((${#missing[@]})); then
  install_missing
fi
if [[ -n $sources ]]; then
  "$(dirname "$0")/fetch_rocksdb_source.sh"
fi
if [[ -n $sysroot ]]; then
  "$(dirname "$0")/fetch_sysroot.sh" "$sysroot" "${libraries[@]}" "${more_libraries[@]}" binutils
fi
