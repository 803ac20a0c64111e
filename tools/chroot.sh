# shellcheck shell=bash
# For scripts that try things in a bare Debian; they run it from the top of the tree.
#   bare_chroot SUITE NAME  makes build/chroot/NAME anew, a bare bookworm or trixie, and sets $root to it. As root; the first
#                           one of a suite comes by debootstrap and is kept as build/chroot/SUITE.bare
#   used_chroot SUITE NAME  takes build/chroot/NAME as it was left, or makes it
#   in_chroot COMMAND       runs it in $root, where there is neither /dev/pts nor /etc/hosts; WERROR and CI are handed on, and
#                           the folder $mounted, if there is one, is /mounted there
#   left_out REASON         ends the script with exit code 77, skipped, as the two above do where no chroot can be
#                           made
root=
mounted=

left_out() {
  printf '%s: left out: %s\n' "${0#"$PWD"/}" "$*" >&2
  exit 77
}

# Runs a shell in the chroot, with mounts and processes of its own, which go with it, also if this script is killed.
in_chroot() {
  # shellcheck disable=SC2016 # the inner shell's
  unshare --mount --pid --fork --kill-child sh -ec \
    'mount -t proc proc "$0/proc"
     [ -z "$4" ] || { mkdir -p "$0/mounted" && mount --bind "$4" "$0/mounted"; }
     exec chroot "$0" /usr/bin/env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
       PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin CI="$1" WERROR="$2" sh -ec "$3"' \
    "$root" "${CI-}" "${WERROR-}" "$1" "$mounted"
}

# debootstrap_suite SUITE FOLDER
debootstrap_suite() {
  tools/setup.sh --alone debootstrap || left_out "debootstrap can't be had; on Debian: apt-get install debootstrap"
  rm -rf "$2.part"
  mkdir -p "$2.part"
  echo "Making a bare Debian $1 in ${2#"$PWD"/}"
  debootstrap --variant=minbase "$1" "$2.part" http://deb.debian.org/debian >"$2.log" 2>&1 ||
    left_out "debootstrap can't make a $1: $(tail -n 3 "$2.log")"
  # Scripts of packages start services unless this denies it, as is customary in a chroot.
  printf '#!/bin/sh\nexit 101\n' >"$2.part/usr/sbin/policy-rc.d"
  chmod 755 "$2.part/usr/sbin/policy-rc.d"
  rm -f "$2.part/etc/hosts"
  rmdir "$2.part/dev/pts" 2>/dev/null || true
  mv "$2.part" "$2"
}

try_to_enter() {
  in_chroot 'test -r /proc/self/status' || left_out "a chroot can't be entered here"
}

bare_chroot() {
  local bare=$PWD/build/chroot/$1.bare
  root=$PWD/build/chroot/$2
  ((EUID == 0)) || left_out "only root can make a chroot"
  [[ -x $bare/usr/bin/dpkg ]] || debootstrap_suite "$1" "$bare"
  rm -rf "$root" "$root.part"
  cp -a "$bare" "$root.part"
  mv "$root.part" "$root"
  try_to_enter
}

used_chroot() {
  root=$PWD/build/chroot/$2
  if ((EUID == 0)) && [[ -x $root/usr/bin/dpkg ]]; then
    try_to_enter
  else
    bare_chroot "$1" "$2"
  fi
}
