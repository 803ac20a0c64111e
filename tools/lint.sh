#!/bin/bash
# Checks sources with clang-format (.clang-format) and clang-tidy (.clang-tidy), and scripts with shellcheck.
# Needs these programs and a built preset with compile commands: tools/lint.sh [PRESET], by default debug, the
# only one with a compile command per source. tools/lint.sh --format only checks the format, as a test does;
# it exits with 77 (skipped) if it can't.
set -euo pipefail
cd "$(dirname "$0")/.."

# Lists Winnow's files that match the patterns, including untracked ones.
ours() {
  git ls-files --cached --others --exclude-standard -- "$@"
}

# Fails if clang-format would change a source.
check_format() {
  local sources
  mapfile -t sources < <(ours '*.cc' '*.h')
  clang-format --dry-run -Werror "${sources[@]}"
}

if [[ ${1-} == --format ]]; then
  # tools/setup.sh does not install clang-format, whose packages take 160 MB. Other versions format
  # differently.
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

# Compiled files are checked, and headers with the files that include them.
mapfile -t compiled < <(sed -n 's|^ *"file": "\(.*\)",\{0,1\}$|\1|p' "$build/compile_commands.json" | sort -u)
printf '%s\0' "${compiled[@]}" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p "$build" \
    --extra-arg=-Wno-unknown-warning-option \
    2> >(grep -v 'warnings generated\.$' >&2) || failed=1
((failed)) || echo "tools/lint.sh: the sources and ${#scripts[@]} scripts are in order"
exit $failed
