# Sourced by the tests that are scripts.
# shellcheck shell=bash

test_name=$(basename "$0" .sh)

fail() {
  printf '%s: %s\n' "$test_name" "$*" >&2
  exit 1
}

# CTest counts exit code 77 as skipped, where a test says so.
skip() {
  printf '%s: skipped: %s\n' "$test_name" "$*"
  exit 77
}
