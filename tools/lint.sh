#!/bin/bash
# Checks the form of the sources (.clang-format), what clang-tidy says of them (.clang-tidy), and the
# scripts with shellcheck. Needs these three programs and a built preset, whose compile commands it
# takes: tools/lint.sh [PRESET], by default debug, which alone has one for each source.
# tools/lint.sh --format checks the form only, as a test does; it ends with 77, which is neither good
# nor bad, where that can't be done.
set -euo pipefail
cd "$(dirname "$0")/.."

# Our files of these patterns, with those that are not added to Git yet.
ours() {
  git ls-files --cached --others --exclude-standard -- "$@"
}

# Fails if a source is not as clang-format has it.
check_format() {
  local sources
  mapfile -t sources < <(ours '*.cc' '*.h')
  clang-format --dry-run -Werror "${sources[@]}"
}

if [[ ${1-} == --format ]]; then
  # It needs 160 MB of packages, too much for a test: setup.sh does not install it. Other versions
  # format otherwise.
  if ! clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
    echo "tools/lint.sh: skipped: no clang-format 14 here; on Debian 12: apt-get install clang-format"
    exit 77
  fi
  if ! git ls-files --error-unmatch tools/lint.sh >/dev/null 2>&1; then
    echo "tools/lint.sh: skipped: this is not a Git work tree, which says what our sources are"
    exit 77
  fi
  check_format
  exit
fi

build=build/${1:-debug}
for program in clang-format clang-tidy shellcheck; do
  command -v "$program" >/dev/null || {
    echo "tools/lint.sh: $program is missing; on Debian and Ubuntu: apt-get install $program" >&2
    exit 2
  }
done
[[ -f $build/compile_commands.json ]] || {
  echo "tools/lint.sh: $build/compile_commands.json is missing; run: cmake --preset ${build##*/}" >&2
  exit 2
}

failed=0
check_format || failed=1

mapfile -t scripts < <(ours '*.sh' .ci/run 'debian/tests/*' ':!debian/tests/control')
shellcheck "${scripts[@]}" || failed=1

# Only what is compiled in this build: headers come with the files that include them.
mapfile -t compiled < <(sed -n 's|^ *"file": "\(.*\)",\{0,1\}$|\1|p' "$build/compile_commands.json" | sort -u)
printf '%s\0' "${compiled[@]}" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p "$build" \
    --extra-arg=-Wno-unknown-warning-option \
    2> >(grep -v 'warnings generated\.$' >&2) || failed=1
((failed)) || echo "tools/lint.sh: the sources and ${#scripts[@]} scripts are in order"
exit $failed
