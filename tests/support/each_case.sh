#!/bin/sh
# Runs each case of a test program in a process of its own, for cases that depend on the state of a new process.
# each_case.sh REPORTS PROGRAM FLAG…: REPORTS.N.xml are GoogleTest's reports.
set -eu
reports=$1
shift
cases=$("$@" --gtest_list_tests | awk '/^[^ ]/ { suite = $1 } /^ / { print suite $1 }')
[ -n "$cases" ] || { echo "each_case.sh: $1 has no case" >&2; exit 1; }
number=0
status=0
for case in $cases; do
  number=$((number + 1))
  "$1" "--gtest_output=xml:$reports.$number.xml" "--gtest_filter=$case" || status=1
done
exit "$status"
