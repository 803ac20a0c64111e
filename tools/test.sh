#!/bin/bash
# Installs missing packages, builds, and runs the tests: tools/test.sh [--all|--rest] [PRESET…], by default
# release. Other presets are debug, asan (address and undefined behavior) and tsan (threads).
#
# Tests with the label `again`, which compile the product again, and `long`, which take a browser or run what pages show,
# are left out. Tests that need uncommon things (other compilers, RocksDB's source, a user other than root) are skipped.
#   --all   also runs these tests, for the preset release: installs their dependencies (2.2 GB), compiles each source
#           alone, runs the skipped tests, and then the suite again as a user other than root, with WINNOW_KERNEL set.
#           Lists the tests that are still skipped, with reasons, and fails if this script does not know a reason.
#   --rest  runs only what --all adds to a previous run of tools/test.sh, except for tests with the label `again` that
#           .ci/run has run. Exits with 77 (skipped) if its packages can't be installed.
# Warnings are errors if WERROR=ON is in the environment, as .ci/run sets it.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/build_jobs.sh
. tools/build_jobs.sh

# Packages that --rest installs.
more_packages=(clang clang-format default-jdk-headless g++-aarch64-linux-gnu g++-s390x-linux-gnu git golang-go groff qemu-user reuse rustc shellcheck)
# Packages that --rest installs if the distribution has them.
crates=(cargo librust-cc-dev librust-rocksdb-dev)

# Tests and cases that may be skipped even with --all: a pattern of names, and where they run instead.
known_skips=(
  'NewerRocksDBTest[.]|^CutPartitions/PolicyShapesTest[.]|^PreloadAddTest[.]FollowersUse' 'needs a newer RocksDB: Debian 13 and tools/test_rocksdb.sh run it'
  'InterposedPolicyTest[.]' "the options of RocksDB's policies can change from 8.7 on: Debian 13 runs it"
  '^languages[.]rust_rocksdb$' 'needs the crate rocksdb, which Debian has from 13 on: Debian 13 runs it'
  '^monitoring_test$' 'needs Python, and Prometheus and its node exporter, which tools/setup.sh installs: run it where they are'
  '^node_test$' 'fetches a package of npm, with FETCH_FROM_NPM=1: run it by hand'
  '^source_format$' 'needs clang-format 14: Debian 12 runs it'
  '^DedupStatePlaceTest[.]AFullDisk' 'mounts a file system, which few containers let anybody do'
  '^VerbInspectTest[.]ATerminalGets|^VerbProbeTest[.]ProgressIsShown' 'needs a terminal, and so /dev/pts'
  '^VerbRunTest[.](ProgramsWithOther|FileCapabilities|UsersOutside|NeedsNoProc)' 'nobody but root gives files to others, or capabilities: the run as root has it'
  '[.](avx2|gfni)$|^RibbonEliminationTest[.]' 'needs instructions that this processor lacks'
)
# Tests that may also be skipped if there is no user other than root.
known_skips_of_root=(
  '^FindOptionsFileTest[.]AFileThatMayNotBeRead' 'root may read everything: run it as another user'
  '^ToolBadInputsTest[.]AFileWithoutPermission' 'no other user can reach this folder'
  '^KernelsTest[.]' 'WINNOW_KERNEL is not set: kernels_test.portable runs it'
)

usage() {
  echo "tools/test.sh: $*; the options are --all and --rest, the presets release, debug, asan and tsan" >&2
  exit 2
}

# Prints a prefix for commands with sanitizers. Programs of GCC 12's sanitizers end with "unexpected memory
# mapping" if the kernel randomizes more than 28 bits of mappings (vm.mmap_rnd_bits), so they run without
# randomization. Some environments don't permit setarch -R.
started_by() {
  if [[ $1 == [at]san ]] && setarch -R true 2>/dev/null; then
    echo setarch -R
  fi
}

# tests_that STATUS FILE: prints the tests with this status (run, fail or notrun) in a report of ctest.
tests_that() {
  sed -n 's/^.*<testcase name="\([^"]*\)".* status="'"$1"'".*$/\1/p' "$2" |
    sed 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g' | sort
}

# cases_that RESULT FOLDER: prints the cases, as SUITE.NAME, with this result (completed or skipped) in GoogleTest's
# reports.
cases_that() {
  find "$2" -name '*.xml' -exec sed -n 's/^ *<testcase name="\([^"]*\)".* result="'"$1"'".* classname="\([^"]*\)".*$/\2.\1/p' {} +
}

# tests_with_skips FOLDER: prints the tests that have such cases.
tests_with_skips() {
  { find "$1" -name '*.xml' -exec grep -l 'result="skipped"' {} + || true; } | sed -E 's|.*/||; s|([.][0-9]+)?[.]xml$||'
}

test_preset() {
  local run
  read -ra run <<<"$(started_by "$1")" || true
  cmake --preset "$1"
  "${run[@]}" cmake --build --preset "$1" --parallel "$(build_jobs)"
  rm -rf "build/$1/tests_again.xml" "build/$1/tests/reports"
  "${run[@]}" ctest --preset "$1" --parallel 4 --label-exclude '^(again|long)$' --output-junit "$PWD/build/$1/tests.xml"
  echo "tools/test.sh: left out: tests that compile the product again, or take long; they are: ctest --preset $1 --label-regex '^(again|long)$'"
}

# test_listed LIST REPORT: runs the tests in the file LIST.
test_listed() {
  local pattern
  pattern=$(sed 's/[][().*+?^$|\\]/\\&/g' "$1" | paste -sd '|')
  [[ -n $pattern ]] || return 0
  ctest --preset release --parallel 4 --tests-regex "^($pattern)\$" --output-junit "$PWD/$2"
}

# Runs the suite as a user other than root, except for tests that install or build. The body is a subshell,
# since it sets a trap. In the user namespace, files keep their owner and are writable only for that user.
test_as_user() (
  run=()
  if ((EUID == 0)); then
    run=(unshare --user --map-user=1000 --map-group=1000)
    "${run[@]}" true 2>/dev/null || exit 77
  fi
  home=$(mktemp -d)
  trap 'rm -rf "$home"' EXIT
  HOME=$home WINNOW_KERNEL=portable "${run[@]}" ctest --preset release --parallel 4 --output-junit "$PWD/$1" \
    --label-exclude '^(again|long)$' --exclude-regex '^(installed|languages[.].*|install_test|find_rocksdb_test)$'
)

# reason_of TEST: prints the reason for skipping a test; fails if it is unknown.
reason_of() {
  local i
  for ((i = 0; i < ${#known_skips[@]}; i += 2)); do
    if [[ $1 =~ ${known_skips[i]} ]]; then
      printf '%s\n' "${known_skips[i + 1]}"
      return
    fi
  done
  return 1
}

# Lists the tests that no run has executed; fails if one has no known reason.
report_skips() {
  local name reason unknown=0 number=0
  while read -r name; do
    number=$((number + 1))
    if reason=$(reason_of "$name"); then
      echo "skipped: $name: $reason"
    else
      echo "skipped: $name: tools/test.sh knows no reason for this" >&2
      unknown=$((unknown + 1))
    fi
  done
  echo "tools/test.sh: every test was run but $number, which are listed above"
  ((unknown == 0)) || {
    echo "tools/test.sh: $unknown tests were skipped for a reason that this script does not know: mend that, or name it" >&2
    return 1
  }
}

test_rest() {
  local build=build/release status=0 report
  [[ -s $build/tests.xml ]] || {
    echo "tools/test.sh: --rest goes on from a run of tools/test.sh, and there is none: $build/tests.xml is missing" >&2
    exit 2
  }
  ! apt-cache show librust-rocksdb-dev >/dev/null 2>&1 || more_packages+=("${crates[@]}")
  tools/setup.sh --sources --browser "${more_packages[@]}" || exit 77

  # Each source is compiled alone, as in the README's build: in a unity build, a missing include may go
  # unnoticed.
  cmake --preset debug -B build/alone -DWINNOW_TESTS=OFF
  cmake --build build/alone --parallel "$(build_jobs)"

  # Tests with the label `again` are run unless .ci/run has done so.
  [[ -s $build/tests_again.xml ]] ||
    ctest --preset release --parallel 3 --label-regex '^again$' --output-junit "$PWD/$build/tests_again.xml"
  ctest --preset release --parallel 3 --label-regex '^long$' --output-junit "$PWD/$build/tests_long.xml"
  for report in tests tests_again tests_long; do
    tests_that notrun "$build/$report.xml"
  done | sort >"$build/tests_skipped"
  cases_that skipped "$build/tests/reports" | sort - "$build/tests_skipped" >"$build/skipped"
  tests_with_skips "$build/tests/reports" | sort -u - "$build/tests_skipped" >"$build/to_run"
  rm -rf "$build/tests/reports"
  test_listed "$build/to_run" "$build/tests_rest.xml"
  cases_that completed "$build/tests/reports" >"$build/have_run"
  rm -rf "$build/tests/reports"
  test_as_user "$build/tests_user.xml" || status=$?
  if ((status == 77)); then
    echo "tools/test.sh: left out: the suite as a user who is not root, which this system gives to no process of root's"
    known_skips+=("${known_skips_of_root[@]}")
    rm -f "$build/tests_user.xml"
  elif ((status)); then
    return "$status"
  fi

  local reports=("$build"/tests_rest.xml "$build"/tests_user.xml)
  {
    cases_that completed "$build/tests/reports"
    for report in "${reports[@]}"; do
      [[ ! -s $report ]] || tests_that run "$report"
    done
  } | sort -u - "$build/have_run" | comm -23 "$build/skipped" - >"$build/still_skipped"
  report_skips <"$build/still_skipped"
}

all=
rest=
presets=()
for argument in "$@"; do
  case $argument in
  --all) all=1 ;;
  --rest) rest=1 ;;
  release | debug | asan | tsan) presets+=("$argument") ;;
  -*) usage "there is no option $argument" ;;
  *) usage "there is no preset '$argument'" ;;
  esac
done
[[ -z $all$rest ]] || ((${#presets[@]} == 0)) || usage "--all and --rest take no preset"
((${#presets[@]})) || presets=(release)

if [[ -z $rest ]]; then
  tools/setup.sh
  for preset in "${presets[@]}"; do
    test_preset "$preset"
  done
fi
if [[ -n $all$rest ]]; then
  test_rest
fi
