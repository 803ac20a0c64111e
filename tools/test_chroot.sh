#!/bin/bash
# Tries the committed state as a new user does, in a bare Debian: tools/test_chroot.sh bookworm|trixie [COMMAND…]
# Makes build/chroot/SUITE by debootstrap, as root, or takes the one that is there; clones HEAD to /winnow in it and runs
# each COMMAND there, by default the README's two, tools/demo.sh and tools/test.sh, and says how long each took without
# the download of packages, which comes first. There is neither /dev/pts nor /etc/hosts. Packages that are installed stay
# for the next time; rm -r build/chroot/SUITE starts afresh. WERROR and CI are handed on.
# Ends with exit code 77, skipped, where no chroot can be made or its packages can't be had; with 1 where a
# COMMAND fails.
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=tools/chroot.sh
. tools/chroot.sh

case ${1-} in
bookworm | trixie) suite=$1 ;;
*)
  echo "tools/test_chroot.sh: expected bookworm or trixie, found '${1-}'; usage: tools/test_chroot.sh SUITE [COMMAND…]" >&2
  exit 2
  ;;
esac
shift
commands=("$@")
((${#commands[@]})) || commands=(tools/demo.sh tools/test.sh)
used_chroot "$suite" "$suite"

rm -rf "$root/winnow"
git clone --quiet --no-hardlinks "$PWD" "$root/winnow"
in_chroot 'cd /winnow && tools/setup.sh --download' || left_out "packages can't be had"

for command in "${commands[@]}"; do
  started=$SECONDS
  echo "== $command in a bare Debian $suite"
  in_chroot "cd /winnow && $command" || {
    echo "tools/test_chroot.sh: $command fails in Debian $suite" >&2
    exit 1
  }
  echo "== $command in a bare Debian $suite took $((SECONDS - started)) s"
done
