#!/bin/bash
# Tries the committed state as a new user does, in a bare Debian: tools/test_chroot.sh bookworm|trixie [COMMAND…]
# Makes build/chroot/SUITE by debootstrap, as root, or takes the one that is there; clones HEAD to /winnow in it and runs
# each COMMAND there, by default the README's two, tools/demo.sh and tools/test.sh, and says how long each took without
# the download of packages, which comes first. There is neither /dev/pts nor /etc/hosts. Packages that are installed stay
# for the next time; rm -r build/chroot/SUITE starts afresh. WERROR and CI are handed on.
# Ends with 77, which is neither good nor bad, where no chroot can be made or its packages can't be had; with 1 where a
# COMMAND fails.
set -euo pipefail
cd "$(dirname "$0")/.."

left_out() {
  printf 'tools/test_chroot.sh: left out: %s\n' "$*" >&2
  exit 77
}

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
((EUID == 0)) || left_out "only root can make a chroot"
root=$PWD/build/chroot/$suite

# What a shell in the chroot runs has its own mounts and processes, which go with it, also if this script is killed.
in_chroot() {
  # shellcheck disable=SC2016 # the inner shell's
  unshare --mount --pid --fork --kill-child sh -ec \
    'mount -t proc proc "$0/proc" && exec chroot "$0" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
     PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin CI="$1" WERROR="$2" sh -ec "$3"' \
    "$root" "${CI-}" "${WERROR-}" "$1"
}

make_chroot() {
  tools/setup.sh debootstrap || left_out "debootstrap can't be had"
  rm -rf "$root.part"
  mkdir -p "$root.part"
  echo "Making a bare Debian $suite in ${root#"$PWD"/}"
  debootstrap --variant=minbase "$suite" "$root.part" http://deb.debian.org/debian >"$root.log" 2>&1 ||
    left_out "debootstrap can't make a $suite: $(tail -n 3 "$root.log")"
  # Scripts of packages start services unless this denies it, as is customary in a chroot.
  printf '#!/bin/sh\nexit 101\n' >"$root.part/usr/sbin/policy-rc.d"
  chmod 755 "$root.part/usr/sbin/policy-rc.d"
  rm -f "$root.part/etc/hosts"
  rmdir "$root.part/dev/pts" 2>/dev/null || true
  mv "$root.part" "$root"
}

[[ -x $root/usr/bin/dpkg ]] || make_chroot
in_chroot 'test -r /proc/self/status' || left_out "a chroot can't be entered here"

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
