#!/bin/bash
# Installs what is missing, builds and runs every test: tools/test.sh [PRESET…], by default release.
# The other presets are debug, asan (address and undefined behaviour) and tsan (threads).
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/build_jobs.sh
. tools/build_jobs.sh

presets=("$@")
((${#presets[@]})) || presets=(release)
for preset in "${presets[@]}"; do
  case $preset in
  release | debug | asan | tsan) ;;
  *)
    echo "tools/test.sh: no preset '$preset'; the presets are release, debug, asan and tsan" >&2
    exit 2
    ;;
  esac
done

tools/setup.sh

for preset in "${presets[@]}"; do
  run=()
  # GCC 12's sanitizers end with "unexpected memory mapping" where the kernel scatters mappings over
  # more than 28 bits (vm.mmap_rnd_bits), so their programs run without that. Not everywhere may a
  # process ask for it.
  if [[ $preset == [at]san ]] && setarch -R true 2>/dev/null; then
    run=(setarch -R)
  fi
  cmake --preset "$preset"
  "${run[@]}" cmake --build --preset "$preset" --parallel "$(build_jobs)" # runs the tests to list their names
  "${run[@]}" ctest --preset "$preset" --parallel 2
done
