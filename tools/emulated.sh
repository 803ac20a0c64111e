#!/bin/bash
# Runs a command in an environment in which programs for another machine run in an emulator and find the
# libraries that tools/setup.sh --sysroot has unpacked:
#   tools/emulated.sh arm64|s390x COMMAND…
# If the kernel has no entry for the emulator in binfmt_misc, one is registered in the command's own user
# namespace. That needs no root, but Linux 6.7, and does not affect other processes.
set -euo pipefail
tree=$(realpath "$(dirname "$0")/..")

fail() {
  printf 'tools/emulated.sh: %s\n' "$*" >&2
  exit 1
}

(($# >= 2)) || fail "expected a machine and a command"
sysroot=$tree/build/sysroot_$1
processor=${1/arm64/aarch64}
shift
[[ -x $sysroot/usr/bin/sst_dump ]] || fail "there is no $sysroot with programs of RocksDB; tools/setup.sh --sysroot unpacks it"
export QEMU_LD_PREFIX=$sysroot PATH=$sysroot/usr/bin:$PATH
if "$sysroot/usr/bin/sst_dump" --version >/dev/null 2>&1; then
  exec "$@"
fi
known=/usr/lib/binfmt.d/qemu-$processor.conf
[[ -f $known ]] || fail "there is no $known; Debian has it in qemu-user-static"
# shellcheck disable=SC2016 # for the inner shell
exec unshare --user --map-root-user --mount sh -c '
  where=/proc/sys/fs/binfmt_misc
  if ! mount -t binfmt_misc binfmt_misc "$where" || ! cat "$1" >"$where/register"; then
    echo "$0: the kernel can not be told of the emulator here; as root: systemctl restart systemd-binfmt" >&2
    exit 1
  fi
  shift
  exec "$@"' tools/emulated.sh "$known" "$@"
