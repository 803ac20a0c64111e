# shellcheck shell=bash
# Functions for scripts that test in a bare Debian; they run from the top of the tree.
#   bare_chroot SUITE NAME  creates build/chroot/NAME, a bare bookworm or trixie, and sets $root to it. Needs root; the
#                           first one of a suite is made by debootstrap and kept as build/chroot/SUITE.bare
#   used_chroot SUITE NAME  reuses build/chroot/NAME, or creates it
#   in_chroot COMMAND       runs COMMAND in $root, where there is neither /dev/pts nor /etc/hosts; passes WERROR and CI
#                           on, and mounts the folder $mounted, if set, on /mounted
#   left_out REASON         exits with 77 (skipped), as bare_chroot and used_chroot do if no chroot can be created
root=
mounted=

left_out() {
  printf '%s: left out: %s\n' "${0#"$PWD"/}" "$*" >&2
  exit 77
}

# Runs a shell in the chroot, in mount and PID namespaces of its own, which end with the shell or with this
# script.
in_chroot() {
  # shellcheck disable=SC2016 # the inner shell's
  unshare --mount --pid --fork --kill-child sh -ec \
    'mount -t proc proc "$0/proc"
     [ -z "$4" ] || { mkdir -p "$0/mounted" && mount --bind "$4" "$0/mounted"; }
     exec chroot "$0" /usr/bin/env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
       PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin CI="$1" WERROR="$2" sh -ec "$3"' \
    "$root" "${CI-}" "${WERROR-}" "$1" "$mounted"
}

# debootstrap_suite SUITE FOLDER: creates a bare Debian in FOLDER.
debootstrap_suite() {
  tools/setup.sh --alone debootstrap || left_out "debootstrap can't be had; on Debian: apt-get install debootstrap"
  rm -rf "$2.part"
  mkdir -p "$2.part"
  echo "Making a bare Debian $1 in ${2#"$PWD"/}"
  debootstrap --variant=minbase "$1" "$2.part" http://deb.debian.org/debian >"$2.log" 2>&1 ||
    left_out "debootstrap can't make a $1: $(tail -n 3 "$2.log")"
  # policy-rc.d keeps scripts of packages from starting services, as usual in a chroot.
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
