#!/bin/bash
# Tries Winnow with other people's programs of Debian 12; some minutes on two processors:
#   tools/try_programs.sh preloaded|databases [OPTION…] [FILE]
# preloaded  runs them without and with the library FILE preloaded (build/release/lib/libwinnow_preload.so) and no WINNOW_
#            variable set, and compares what they said: it must then change nothing
# databases  makes databases with those that use RocksDB, and has the program FILE (build/release/bin/winnow) inspect,
#            verify and probe them
#
#   --install     first installs by apt what is missing of the programs (450 MB), and does not start their services. In a
#                 chroot only, where a policy-rc.d is customary for that, and as root; refused elsewhere
#   --only=REGEX  tries those whose name in the list matches
#   --list        prints that list, and ends
#   --rounds=N    reads a database that is being written to N times (50)
#   --keep        keeps the folder with all that was said and made, also where nothing differs
#
# Prints a line for each; the files in tools/try_programs/ say what is compared. Ends with 1 if anything differs or is
# unsteady, or nothing was tried, and with 2 if it can't be tried.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  echo "tools/try_programs.sh: $*; usage: tools/try_programs.sh preloaded|databases [--install] [--keep] [--only=REGEX]" \
    "[--list] [--rounds=N] [FILE]" >&2
  exit 2
}

# free_port: prints a free port, and adds it to the list of ports that comparisons ignore.
free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])' | tee -a "$home/ports"
}

# Installs missing packages. The body is a subshell, since it sets a trap.
install_packages() (
  # ischroot must say "yes": containers may be machines that people work on.
  if ((EUID)) || ! ischroot; then
    echo "tools/try_programs.sh: --install is for root in a chroot; elsewhere install these as you see fit: ${packages[*]}" >&2
    exit 2
  fi
  # policy-rc.d keeps scripts of packages from starting services, as usual in a chroot.
  policy=/usr/sbin/policy-rc.d
  if [[ ! -e $policy ]]; then
    # shellcheck disable=SC2064
    trap "rm -f $policy" EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
  fi
  tools/setup.sh "${packages[@]}"
)

install=
keep=
only=.
list=
what=
file=
export rounds=50
started_in=$OLDPWD
for argument in "$@"; do
  case $argument in
  --install) install=1 ;;
  --keep) keep=1 ;;
  --list) list=1 ;;
  --only=?*) only=${argument#*=} ;;
  --rounds=[1-9]*) rounds=${argument#*=} ;;
  -h | --help)
    sed -n '2,/^set /{/^set /d; s/^# \{0,1\}//; p}' tools/try_programs.sh
    exit
    ;;
  -*) usage "unknown argument '$argument'" ;;
  preloaded | databases) what=$argument ;;
  *) file=$argument ;;
  esac
done
[[ $what ]] || usage "which of the two is not said"
# shellcheck source=tools/try_programs/preloaded.sh
. "tools/try_programs/$what.sh"
if [[ $list ]]; then
  printf '%s\n' "${tries[@]%% *}"
  exit
fi
if [[ $install ]]; then
  install_packages
fi

export LC_ALL=C.UTF-8 TZ=UTC
ulimit -c 0
home=$(mktemp -d -t try_programs.XXXXXX)
chmod 755 "$home"
good=0 different=0 unsteady=0 skipped=0
finish() {
  if [[ $keep ]] || ((different + unsteady)); then
    echo "What was said is in $home/said."
  else
    rm -rf "$home"
  fi
}
trap finish EXIT

[[ ! $file || $file == /* ]] || file=$started_in/$file
begin "${file:-$default_file}"
for each in "${tries[@]}"; do
  read -ra words <<<"$each"
  if [[ ${words[0]} =~ $only ]]; then try "${words[@]}"; fi
done
sum_up_all
((good + different + unsteady > 0 && different + unsteady == 0))
