# Sourced by the scripts that try other people's programs.
# shellcheck shell=bash

# install_in_chroot SCRIPT PACKAGE…: installs what is missing of the packages, as root in a chroot only; elsewhere ends
# with 2 and a sentence that names the script. In a subshell: it sets a trap.
install_in_chroot() (
  script=$1
  shift
  # Nothing but ischroot's yes will do: a machine that people work on may well be a container.
  if ((EUID)) || ! ischroot; then
    echo "$script: --install is for root in a chroot; elsewhere install these as you see fit: $*" >&2
    exit 2
  fi
  # Package scripts start services unless a policy-rc.d denies it, as is customary in a chroot.
  policy=/usr/sbin/policy-rc.d
  if [[ ! -e $policy ]]; then
    # shellcheck disable=SC2064
    trap "rm -f $policy" EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
  fi
  "$(dirname "${BASH_SOURCE[0]}")/setup.sh" "$@"
)
