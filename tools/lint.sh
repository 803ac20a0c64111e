#!/bin/bash
# Checks sources with clang-format (.clang-format) and clang-tidy (.clang-tidy), and scripts with shellcheck.
# Needs these programs and a built preset with compile commands: tools/lint.sh [PRESET], by default debug, the
# only one with a compile command per source. tools/lint.sh --format only checks the format, as a test does;
# it exits with 77 (skipped) if it can't.
set -euo pipefail
cd "$(dirname "$0")/.."

# ours TEST…: lists Winnow's files that pass these tests of find: all but those that .gitignore names. A source archive
# has no Git work tree to ask.
ours() {
  find . \( -name .git -o -path ./build -o -path ./.cache -o -name target \) -prune -o -type f \( "$@" \) -print | sort
}

# Fails if clang-format would change a source.
check_format() {
  local sources
  mapfile -t sources < <(ours -name '*.cc' -o -name '*.h')
  clang-format --dry-run -Werror "${sources[@]}"
}

if [[ ${1-} == --format ]]; then
  # tools/setup.sh does not install clang-format, whose packages take 160 MB. Other versions format
  # differently.
  if ! clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
    echo "tools/lint.sh: skipped: no clang-format 14 here; on Debian 12: apt-get install clang-format"
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

mapfile -t scripts < <(ours -name '*.sh' -o -path ./.ci/run -o -path './debian/tests/*' ! -name control)
shellcheck "${scripts[@]}" || failed=1

# Compiled files are checked, and headers with the files that include them.
mapfile -t compiled < <(sed -n 's|^ *"file": "\(.*\)",\{0,1\}$|\1|p' "$build/compile_commands.json" | sort -u)
printf '%s\0' "${compiled[@]}" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p "$build" \
    --extra-arg=-Wno-unknown-warning-option \
    2> >(grep -v 'warnings generated\.$' >&2) || failed=1
((failed)) || echo "tools/lint.sh: the sources and ${#scripts[@]} scripts are in order"
exit $failed
