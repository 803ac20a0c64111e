#!/bin/bash
# Tests the steps of docs/roll-out.md with `winnow refilter`: three replicas that write and look up keys all the while get
# Winnow's filters, one after the other, and then RocksDB's again.
# replicas_test.sh BUILD_FOLDER SOURCE_FOLDER
set -euo pipefail
# shellcheck source=tests/support/script.sh disable=SC1091 # the path is relative to shellcheck's working directory
. "$(dirname "$0")/../support/script.sh"

build=$1 source=$2
export PATH=$build/bin:$PATH
work=$(mktemp -d)
declare -A running=()
finish() {
  for process in "${running[@]}"; do kill "$process" 2>/dev/null || true; done
  rm -rf "$work"
}
trap finish EXIT

# start REPLICA POLICY: starts it, and waits until it serves; POLICY is read or winnow; empty: without Winnow.
start() {
  local preload=()
  : >"$work/$1.said"
  [[ -z $2 ]] || preload=(winnow run --require "--policy=$2" --)
  "${preload[@]}" "$build/tests/replica" "$work/$1" >"$work/$1.said" 2>&1 &
  running[$1]=$!
  until grep -q '^serving' "$work/$1.said"; do
    kill -0 "${running[$1]}" 2>/dev/null || fail "replica $1 has ended: $(cat "$work/$1.said")"
    sleep 0.1
  done
}

# stop REPLICA: a replica that lost a key ended before, with a status that fails here.
stop() {
  kill "${running[$1]}" || fail "replica $1 has ended: $(cat "$work/$1.said")"
  wait "${running[$1]}" || fail "replica $1 failed: $(cat "$work/$1.said")"
  tail -n 1 "$work/$1.said"
  unset "running[$1]"
}

restart_all() {
  for replica in 1 2 3; do
    stop $replica
    start $replica "$1"
  done
}

# refilter REPLICA POLICY RUN_POLICY: the page's two commands for one replica, while the others go on.
refilter() {
  local folder=$work/$1
  sed -n "s|^    \(winnow refilter FOLDER --policy=winnow:10.*\)|\1|p" "$source/docs/roll-out.md" |
    sed "s|FOLDER|$folder|; s|winnow:10|$2|" >"$work/commands"
  (($(wc -l <"$work/commands") == 2)) || fail "the page does not have two commands: $(cat "$work/commands")"
  bash -euc "$(head -n 1 "$work/commands")" >"$work/output" 2>&1 || fail "$(cat "$work/commands" "$work/output")"
  grep -q 'close the database now' "$work/output" || fail "not prepared: $(cat "$work/output")"
  stop "$1"
  bash -euc "$(tail -n 1 "$work/commands")" >"$work/output" 2>&1 || fail "$(cat "$work/commands" "$work/output")"
  winnow inspect --summary "$folder" | tail -n 1 >"$work/converted"
  winnow verify "$folder" >"$work/output" 2>&1 || fail "$(cat "$work/output")"
  start "$1" "$3"
}

for replica in 1 2 3; do
  "$build/tests/replica" "$work/$replica" 60000 >/dev/null
  start $replica ''
done
restart_all read
restart_all winnow
for replica in 1 2 3; do
  refilter $replica winnow:10 winnow
  grep -q 'converted: 100.0 %' "$work/converted" || fail "step 4 of replica $replica: $(cat "$work/converted")"
done
restart_all read
for replica in 1 2 3; do
  refilter $replica bloomfilter:10 read
  grep -q '(0 of ' "$work/converted" || fail "step 6 of replica $replica: $(cat "$work/converted")"
done
restart_all ''
for replica in 1 2 3; do
  stop $replica
  "$build/tests/replica" "$work/$replica" 0
done
