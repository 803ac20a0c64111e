#!/bin/bash
# Tries Winnow inside a program that contains RocksDB, a host:
#   tools/try_hosts.sh HOST [ARGUMENT…]
# Each file tools/try_hosts/HOST.sh is a host; its header says what is tried, and which arguments it takes:
#   tools/try_hosts.sh HOST --help
# Nothing of a host is in this tree: the person who tries names its programs or its sources.
#
# Exit status: 0 if all was as expected, 1 if something was not, 2 if it can't be tried.
set -euo pipefail
started_in=$PWD
cd "$(dirname "$0")/.."

usage() {
  echo "tools/try_hosts.sh: $*; usage: tools/try_hosts.sh HOST [ARGUMENT…], where HOST is one of:" \
    "$(basename --suffix=.sh --multiple tools/try_hosts/*.sh | xargs)" >&2
  exit 2
}

# path_of FILE: prints the path of a file that was named in the folder in which the script was started.
path_of() { (cd "$started_in" && realpath --canonicalize-missing -- "$1"); }

# needs PROGRAM PACKAGE: ends with 2 if the program is not here.
needs() {
  command -v "$1" >/dev/null || usage "$host: there is no $1 here; on Debian: apt-get install $2"
}

host=${1-}
case $host in
-h | --help)
  sed -n '2,/^set /{/^set /d; s/^# \{0,1\}//; p}' tools/try_hosts.sh
  exit
  ;;
*/* | '') usage "no host is named" ;;
esac
[[ -f tools/try_hosts/$host.sh ]] || usage "there is no host '$host'"
if [[ ${2-} == -h || ${2-} == --help ]]; then
  sed -n '/^# shellcheck/q; s/^# \{0,1\}//p' "tools/try_hosts/$host.sh"
  exit
fi
# shellcheck source=tools/try_hosts/kvrocks.sh
. "tools/try_hosts/$host.sh"
try_host "${@:2}"
