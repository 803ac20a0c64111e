#!/bin/bash
# Builds filters of all sizes and accuracies with every kernel of this machine and looks up all their keys: a
# billion lookups per kernel, and 100,000 filters of random small sizes; on one processor, at low priority,
# for some minutes. Prints a table, writes build/soak/soak.json, and exits with 1 if a key was denied.
#
#   tools/soak.sh [--seed=N] [--lookups=N] [--random_filters=N] [--json=FILE] …
#
# Other arguments are passed to filter_soak; see its --help.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/build_jobs.sh
. tools/build_jobs.sh

mkdir -p build/soak
tools/setup.sh
cmake --preset release >build/soak/configure.log || {
  cat build/soak/configure.log >&2
  echo "tools/soak.sh: CMake could not configure; its output is above" >&2
  exit 2
}
cmake --build --preset release --parallel "$(build_jobs)" --target filter_soak
exec nice build/release/tests/filter_soak --json=build/soak/soak.json "$@"
