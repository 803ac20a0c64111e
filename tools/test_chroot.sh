#!/bin/bash
# Tests the committed state as a new user would, in a bare Debian: tools/test_chroot.sh bookworm|trixie
# [COMMAND…]
# Creates build/chroot/SUITE with debootstrap (needs root), or reuses it; unpacks HEAD to /winnow in it, as a source
# archive without git; runs each COMMAND there, by default tools/demo.sh and tools/test.sh as in the README; and prints
# the duration of each without the download of packages, which comes first. The chroot has neither /dev/pts nor
# /etc/hosts. Installed packages are kept for the next run; rm -r build/chroot/SUITE removes all. WERROR and CI are
# passed on. Exits with 77 (skipped) if the chroot can't be created or its packages can't be installed; with 1 if a
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
mkdir "$root/winnow"
git archive HEAD | tar -x -C "$root/winnow"
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
