#!/bin/bash
# Checks the form of the sources (.clang-format), what clang-tidy says of them (.clang-tidy), and the
# scripts with shellcheck. Needs these three programs and a built preset, whose compile commands it
# takes: tools/lint.sh [PRESET], by default release.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/${1:-release}
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
mapfile -t sources < <(git ls-files '*.cc' '*.h')
clang-format --dry-run -Werror "${sources[@]}" || failed=1

mapfile -t scripts < <(git ls-files '*.sh' .ci/run)
shellcheck "${scripts[@]}" || failed=1

# Only what is compiled in this build: headers come with the files that include them.
mapfile -t compiled < <(sed -n 's|^ *"file": "\(.*\)",\{0,1\}$|\1|p' "$build/compile_commands.json" | sort -u)
printf '%s\0' "${compiled[@]}" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p "$build" \
    --extra-arg=-Wno-unknown-warning-option \
    2> >(grep -v 'warnings generated\.$' >&2) || failed=1
((failed)) || echo "tools/lint.sh: ${#sources[@]} sources and ${#scripts[@]} scripts are in order"
exit $failed
