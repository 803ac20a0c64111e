#!/bin/bash
# Installs what is missing, builds and runs the tests: tools/test.sh [--all|--rest] [PRESET…], by default release.
# The other presets are debug, asan (address and undefined behaviour) and tsan (threads).
#
# Tests that compile the product again, which have the label `again`, are left out. Some need what few have: other
# compilers, a browser, RocksDB's source, a user who is not root. They are skipped.
#   --all   runs all these too, for the preset release: it installs what they need (2.2 GB), compiles each source
#           alone, runs what was skipped, and then the suite once more as a user who is not root, with WINNOW_KERNEL set.
#           It lists what is still skipped, and why, and fails where this script does not know the reason.
#   --rest  runs only what --all adds to a run of tools/test.sh before it, and not again what compiles the product
#           again, where .ci/run has run that. It ends with exit code 77, skipped, where its packages can't
#           be had.
# With WERROR=ON in the environment, as .ci/run has it, warnings are errors.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/build_jobs.sh
. tools/build_jobs.sh

# Packages that --rest installs.
more_packages=(clang clang-format default-jdk-headless g++-aarch64-linux-gnu g++-s390x-linux-gnu golang-go groff qemu-user reuse rustc shellcheck)
# And where the distribution has them.
crates=(cargo librust-cc-dev librust-rocksdb-dev)

# Tests that may be skipped even then: a pattern of names, and where they are run instead.
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
# Without a user who is not root, these as well.
known_skips_of_root=(
  '^FindOptionsFileTest[.]AFileThatMayNotBeRead' 'root may read everything: run it as another user'
  '^ToolBadInputsTest[.]AFileWithoutPermission' 'no other user can reach this folder'
  '^KernelsTest[.]' 'WINNOW_KERNEL is not set: kernels_test.portable runs it'
)

usage() {
  echo "tools/test.sh: $*; the options are --all and --rest, the presets release, debug, asan and tsan" >&2
  exit 2
}

# With the sanitizers, what their programs are started by. GCC 12's end with "unexpected memory mapping" where the
# kernel scatters mappings over more than 28 bits (vm.mmap_rnd_bits), so they run without that. Not everywhere may a
# process ask for it.
started_by() {
  if [[ $1 == [at]san ]] && setarch -R true 2>/dev/null; then
    echo setarch -R
  fi
}

# The tests of ctest's report FILE that ended as STATUS: run, fail or notrun.
tests_that() {
  sed -n 's/^.*<testcase name="\([^"]*\)".* status="'"$1"'".*$/\1/p' "$2" |
    sed 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g' | sort
}

test_preset() {
  local run
  read -ra run <<<"$(started_by "$1")" || true
  cmake --preset "$1"
  "${run[@]}" cmake --build --preset "$1" --parallel "$(build_jobs)" # runs the tests to list their names
  rm -f "build/$1/tests_again.xml"
  "${run[@]}" ctest --preset "$1" --parallel 3 --label-exclude '^again$' --output-junit "$PWD/build/$1/tests.xml"
  echo "tools/test.sh: left out: tests that compile the product again; they are: ctest --preset $1 --label-regex '^again$'"
}

# Runs the tests of the list FILE, whose name is not seen in the suite's report.
test_listed() {
  local pattern
  pattern=$(sed 's/[][().*+?^$|\\]/\\&/g' "$1" | paste -sd '|')
  [[ -n $pattern ]] || return 0
  ctest --preset release --parallel 3 --tests-regex "^($pattern)\$" --output-junit "$PWD/$2"
}

# Runs the suite, but for tests that install or build, as a user who is not root, in a shell of its own: it sets a trap. In the name
# space of a user the files keep their owner, and nobody but that owner may write them.
test_as_user() (
  run=()
  if ((EUID == 0)); then
    run=(unshare --user --map-user=1000 --map-group=1000)
    "${run[@]}" true 2>/dev/null || exit 77
  fi
  home=$(mktemp -d)
  trap 'rm -rf "$home"' EXIT
  HOME=$home WINNOW_KERNEL=portable "${run[@]}" ctest --preset release --parallel 3 --output-junit "$PWD/$1" \
    --label-exclude '^again$' --exclude-regex '^(installed|InstalledPagesTest[.].*|languages[.].*|install_test|find_rocksdb_test)$'
)

# Prints why a test may be skipped; fails if that is not known.
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

# Lists the tests that no pass has run; fails if one has no known reason.
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

  # Each source alone, as in the README's build: where many are compiled as one, a source may lack an include.
  cmake --preset debug -B build/alone -DWINNOW_TESTS=OFF
  cmake --build build/alone --parallel "$(build_jobs)"

  # Tests of the label again, which .ci/run has run before and --all has not.
  [[ -s $build/tests_again.xml ]] ||
    ctest --preset release --parallel 3 --label-regex '^again$' --output-junit "$PWD/$build/tests_again.xml"
  for report in "$build"/tests.xml "$build"/tests_again.xml; do
    tests_that notrun "$report"
  done | sort >"$build/skipped"
  test_listed "$build/skipped" "$build/tests_rest.xml"
  test_as_user "$build/tests_user.xml" || status=$?
  if ((status == 77)); then
    echo "tools/test.sh: left out: the suite as a user who is not root, which this system gives to no process of root's"
    known_skips+=("${known_skips_of_root[@]}")
    rm -f "$build/tests_user.xml"
  elif ((status)); then
    return "$status"
  fi

  local reports=("$build"/tests_rest.xml "$build"/tests_user.xml)
  for report in "${reports[@]}"; do
    [[ ! -s $report ]] || tests_that run "$report"
  done | sort -u | comm -23 "$build/skipped" - >"$build/still_skipped"
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
