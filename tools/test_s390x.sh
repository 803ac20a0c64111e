#!/bin/bash
# Builds the libraries without RocksDB for a big-endian machine and runs their tests in an emulator,
# after installing the cross compiler and the emulator where they are missing: tools/test_s390x.sh.
# tools/test_s390x.sh --brief installs nothing and runs only what is about bytes, as a test of the suite
# does; it ends with 77, which is neither good nor bad, where something is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/build_jobs.sh
. tools/build_jobs.sh

case "$#:${1-}" in
0:)
  tools/setup.sh g++-s390x-linux-gnu qemu-user
  cmake --preset s390x
  cmake --build --preset s390x --parallel "$(build_jobs)" # runs the tests to list their names
  ctest --preset s390x --parallel 2
  ;;
1:--brief)
  for program in s390x-linux-gnu-g++ qemu-s390x; do
    command -v "$program" >/dev/null || {
      echo "tools/test_s390x.sh: skipped: there is no $program; tools/test_s390x.sh installs it"
      exit 77
    }
  done
  [[ -d /usr/src/googletest ]] || {
    echo "tools/test_s390x.sh: skipped: no sources of GoogleTest in /usr/src/googletest (libgtest-dev)"
    exit 77
  }
  cmake --preset s390x
  cmake --build --preset s390x --parallel "$(build_jobs)" --target format_test golden_blocks_test \
    golden_filters_test serialized_test state_bytes_test
  ctest --preset s390x --tests-regex \
    '^(FormatTest|Golden[A-Za-z]*Test|TodaysBuilderTest|Serialized[A-Za-z]*|StateBytesTest)[./]'
  ;;
*)
  echo "tools/test_s390x.sh: the only argument is --brief" >&2
  exit 2
  ;;
esac
