#!/bin/bash
# Builds the libraries without RocksDB, with clang or for another machine, and runs their tests; installs
# missing packages first (450 MB of cross compiler and emulator): tools/test_preset.sh clang|arm64|s390x
# [--brief]. s390x is big-endian. On an ARM machine, tools/test.sh is sufficient. arm64_rocksdb builds and
# tests everything with the RocksDB of Debian's arm64, which takes hours. --brief installs nothing and runs
# only tests of byte order, and of kernels if the preset has its own, as a test of the suite does; it exits
# with 77 (skipped) if something is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/build_jobs.sh
. tools/build_jobs.sh

started_by=()
left_out=() # patterns of cases, as in --gtest_filter, each followed by the reason
case ${1-} in
clang)
  packages=(clang)
  programs=(clang clang++)
  targets=(core_tests kernel_objects_test kernels_test ribbon_elimination_test)
  tests='^(format_test|golden_blocks_test|kernel_objects_test|kernels_test|ribbon_elimination_test|segments_test)$'
  ;;
arm64 | s390x)
  processor=${1/arm64/aarch64}
  packages=("g++-$processor-linux-gnu" qemu-user)
  programs=("$processor-linux-gnu-g++" "qemu-$processor")
  targets=(core_tests amq_tests)
  tests='(range_)?format_test|golden_(blocks|filters)_test'
  if [[ $1 == arm64 ]]; then
    targets+=(kernels_test c_api_test)
    tests="^($tests|kernels_test|segments_test|c_api_test)\$"
  else
    targets+=(state_bytes_test)
    tests="^($tests|serialized_test|state_bytes_test)\$"
  fi
  ;;
arm64_rocksdb | s390x_rocksdb)
  machine=${1%_rocksdb}
  processor=${machine/arm64/aarch64}
  packages=("--sysroot=$machine" "g++-$processor-linux-gnu" qemu-user-static)
  programs=("$processor-linux-gnu-g++" "qemu-$processor-static" "build/sysroot_$machine/usr/bin/sst_dump")
  started_by=(tools/emulated.sh "$machine")
  left_out=(
    'PreloadStateLineTest.OfAProgramWithout*:PreloadStateLineTest.SaysWhatIsWrong*:PreloadStateLineTest.IsSaidForAny*:PreloadStateLineTest.IsSaidOnceByEach*:StandinsTest.AProgramOfAnother*'
    "bash, perl and cat are this machine's"
    'VerbRunTest.ATextIs*:VerbRunTest.FileCapabilities*:VerbRunTest.ProgramsWithOther*:VerbRunTest.TheProgramTakes*:VerbRunTest.TheSameLoader*'
    "the shell is this machine's, and the kernel gives rights, loader and descriptors to the emulator"
  )
  targets=(rocksdb_tests register_at_load_test registration_test)
  tests='^(filter_bytes_test|policy_test|policy_database_test|policy_shapes_test|register_at_load_test|registration_test)$'
  ;;
*)
  echo "tools/test_preset.sh: expected clang, arm64, s390x, arm64_rocksdb or s390x_rocksdb, found '${1-}'" >&2
  exit 2
  ;;
esac

skip() {
  echo "tools/test_preset.sh: skipped: $*"
  exit 77
}

case "$#:${2-}" in
1:)
  tools/setup.sh "${packages[@]}"
  without=
  for ((i = 0; i < ${#left_out[@]}; i += 2)); do
    echo "left out: ${left_out[i]}: ${left_out[i + 1]}"
    without+=${without:+:}${left_out[i]}
  done
  cmake --preset "$1" -DWINNOW_WITHOUT_CASES="$without"
  cmake --build --preset "$1" --parallel "$(build_jobs)"
  "${started_by[@]}" ctest --preset "$1" --parallel 2
  ;;
2:--brief)
  for program in "${programs[@]}"; do
    command -v "$program" >/dev/null || skip "there is no $program; tools/test_preset.sh $1 installs it"
  done
  [[ $1 == clang || -d /usr/src/googletest ]] || skip "no sources of GoogleTest in /usr/src/googletest (libgtest-dev)"
  cmake --preset "$1"
  cmake --build --preset "$1" --parallel "$(build_jobs)" --target "${targets[@]}"
  "${started_by[@]}" ctest --preset "$1" --tests-regex "$tests"
  ;;
*)
  echo "tools/test_preset.sh: the only argument behind $1 is --brief" >&2
  exit 2
  ;;
esac
