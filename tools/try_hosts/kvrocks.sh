# Sourced by tools/try_hosts.sh: runs clusters of Kvrocks without Winnow and with it, and counts answers.
#   tools/try_hosts.sh kvrocks WITHOUT WITH [UNITTEST_WITHOUT UNITTEST_WITH] [OPTION…]
# WITHOUT is a program kvrocks of its usual build, WITH the same with Winnow in its RocksDB and the stand-in
# (docs/your-stack.md). The programs unittest of both builds, if given, run first: all settings must have the same results.
#
#   --keys=N       strings in the cluster (1,000,000); a twentieth as many fields of hashes, and members of sorted sets
#   --absent=N     absent keys that are looked up (200,000)
#   --policy=TEXT  WINNOW_POLICY of the nodes with Winnow (winnow:10)
#   --tool=FILE    the program winnow, which inspects the databases (build/release/bin/winnow)
#   --json=FILE    writes all that was counted to FILE
#   --keep         keeps the folders of the nodes, also where all was as expected
#
# Three nodes on this machine, on free ports of 127.0.0.1, are one cluster; tools/try_hosts/kvrocks.py says what happens
# to it. That is done for a cluster without Winnow and for one with it. Prints three tables: filters and data blocks read
# by setting, data blocks read of copies, and answers, missing and wrong by step. Some ten minutes on two processors, and
# 1 GB of disk.
# shellcheck shell=bash disable=SC2154 # variables are set in the sourcing script

try_host() {
  local programs=() options=() tool=build/release/bin/winnow argument
  for argument in "$@"; do
    case $argument in
    --keys=[1-9]* | --absent=[1-9]* | --policy=?* | --keep) options+=("$argument") ;;
    --json=?*) options+=("--json=$(path_of "${argument#*=}")") ;;
    --tool=?*) tool=$(path_of "${argument#*=}") ;;
    -*) usage "kvrocks: unknown argument '$argument'" ;;
    *) programs+=("$(path_of "$argument")") ;;
    esac
  done
  ((${#programs[@]} == 2 || ${#programs[@]} == 4)) ||
    usage "kvrocks: expected two programs, without Winnow and with it, or also their two programs unittest"
  needs python3 python3
  for argument in "${programs[@]}" "$tool"; do
    [[ -f $argument && -x $argument ]] || usage "kvrocks: there is no program $argument"
  done
  python3 tools/try_hosts/kvrocks.py "${programs[@]}" "--tool=$tool" ${options[@]+"${options[@]}"}
}
