#!/bin/bash
# Builds the libraries without RocksDB by clang and runs their tests, after installing clang where it is
# missing: tools/test_clang.sh.
# tools/test_clang.sh --brief installs nothing and runs only what is about kernels and bytes, as a test
# of the suite does; it ends with 77, which is neither good nor bad, where something is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/build_jobs.sh
. tools/build_jobs.sh

case "$#:${1-}" in
0:)
  tools/setup.sh clang
  cmake --preset clang
  cmake --build --preset clang --parallel "$(build_jobs)"
  ctest --preset clang --parallel 2
  ;;
1:--brief)
  for program in clang clang++; do
    command -v "$program" >/dev/null || {
      echo "tools/test_clang.sh: skipped: there is no $program; tools/test_clang.sh installs it"
      exit 77
    }
  done
  cmake --preset clang
  cmake --build --preset clang --parallel "$(build_jobs)" \
    --target format_test golden_blocks_test kernel_objects_test kernels_test ribbon_elimination_test segments_test
  ctest --preset clang \
    --tests-regex '^(FormatTest|GoldenBlocksTest|TodaysBuilderTest|KernelObjectsTest|KernelsTest|RibbonEliminationTest|SegmentsTest)[.]'
  ;;
*)
  echo "tools/test_clang.sh: the only argument is --brief" >&2
  exit 2
  ;;
esac
