#!/bin/bash
# Builds the core for 64-bit ARM and runs its tests in an emulator, after installing the cross compiler
# and the emulator where they are missing (450 MB): tools/test_arm64.sh. An ARM machine needs only
# tools/test.sh.
# tools/test_arm64.sh --brief installs nothing and runs only what is about kernels and bytes, as a test
# of the suite does; it ends with 77, which is neither good nor bad, where something is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/build_jobs.sh
. tools/build_jobs.sh

case "$#:${1-}" in
0:)
  tools/setup.sh g++-aarch64-linux-gnu qemu-user
  cmake --preset arm64
  cmake --build --preset arm64 --parallel "$(build_jobs)" # runs the tests to list their names
  ctest --preset arm64 --parallel 2
  ;;
1:--brief)
  for program in aarch64-linux-gnu-g++ qemu-aarch64; do
    command -v "$program" >/dev/null || {
      echo "tools/test_arm64.sh: skipped: there is no $program; tools/test_arm64.sh installs it"
      exit 77
    }
  done
  [[ -d /usr/src/googletest ]] || {
    echo "tools/test_arm64.sh: skipped: no sources of GoogleTest in /usr/src/googletest (libgtest-dev)"
    exit 77
  }
  cmake --preset arm64
  cmake --build --preset arm64 --parallel "$(build_jobs)" --target format_test golden_blocks_test \
    golden_filters_test kernels_test segments_test c_api_test
  ctest --preset arm64 --tests-regex \
    '^(FormatTest|Golden[A-Za-z]*Test|TodaysBuilderTest|KernelsTest|SegmentsTest)[.]|^c_api_test$'
  ;;
*)
  echo "tools/test_arm64.sh: the only argument is --brief" >&2
  exit 2
  ;;
esac
