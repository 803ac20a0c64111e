#!/bin/bash
# Builds the libraries without RocksDB for another machine and runs their tests in an emulator, after installing the cross
# compiler and the emulator where they are missing (450 MB): tools/test_emulated.sh arm64|s390x [--brief]. The s390x is
# big-endian; an ARM machine needs only tools/test.sh.
# --brief installs nothing and runs only what is about bytes, and kernels if the machine has its own, as a test of the
# suite does; it ends with 77, which is neither good nor bad, where something is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/build_jobs.sh
. tools/build_jobs.sh

targets=(format_test golden_blocks_test golden_filters_test)
tests='FormatTest|Golden[A-Za-z]*Test|TodaysBuilderTest'
case ${1-} in
arm64)
  processor=aarch64
  targets+=(kernels_test segments_test c_api_test)
  tests="^($tests|KernelsTest|SegmentsTest)[.]|^c_api_test\$"
  ;;
s390x)
  processor=s390x
  targets+=(serialized_test state_bytes_test)
  tests="^($tests|Serialized[A-Za-z]*|StateBytesTest)[./]"
  ;;
*)
  echo "tools/test_emulated.sh: expected arm64 or s390x, found '${1-}'" >&2
  exit 2
  ;;
esac

skip() {
  echo "tools/test_emulated.sh: skipped: $*"
  exit 77
}

case "$#:${2-}" in
1:)
  tools/setup.sh "g++-$processor-linux-gnu" qemu-user
  cmake --preset "$1"
  cmake --build --preset "$1" --parallel "$(build_jobs)" # runs the tests to list their names
  ctest --preset "$1" --parallel 2
  ;;
2:--brief)
  for program in "$processor-linux-gnu-g++" "qemu-$processor"; do
    command -v "$program" >/dev/null || skip "there is no $program; tools/test_emulated.sh $1 installs it"
  done
  [[ -d /usr/src/googletest ]] || skip "no sources of GoogleTest in /usr/src/googletest (libgtest-dev)"
  cmake --preset "$1"
  cmake --build --preset "$1" --parallel "$(build_jobs)" --target "${targets[@]}"
  ctest --preset "$1" --tests-regex "$tests"
  ;;
*)
  echo "tools/test_emulated.sh: the only argument behind $1 is --brief" >&2
  exit 2
  ;;
esac
