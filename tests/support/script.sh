# Helpers for tests that are shell scripts.
# shellcheck shell=bash

test_name=$(basename "$0" .sh)

fail() {
  printf '%s: %s\n' "$test_name" "$*" >&2
  exit 1
}

# Exit code 77 means skipped in CTest, for tests with SKIP_RETURN_CODE.
skip() {
  printf '%s: skipped: %s\n' "$test_name" "$*"
  exit 77
}
