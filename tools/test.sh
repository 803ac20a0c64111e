#!/bin/bash
# Installs what is missing, builds and runs every test: tools/test.sh [PRESET…], by default release.
# The other presets are debug, asan (address and undefined behaviour) and tsan (threads).
set -euo pipefail
cd "$(dirname "$0")/.."

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

# A compiler process takes up to a gigabyte: as many as there are processors, but no more than fit.
memory_kib=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)
jobs=$(nproc)
((jobs * 1048576 <= memory_kib)) || jobs=$((memory_kib / 1048576))
((jobs >= 1)) || jobs=1

for preset in "${presets[@]}"; do
  run=()
  # GCC 12's sanitizers end with "unexpected memory mapping" where the kernel scatters mappings over
  # more than 28 bits (vm.mmap_rnd_bits), so their programs run without that. Not everywhere may a
  # process ask for it.
  if [[ $preset == [at]san ]] && setarch -R true 2>/dev/null; then
    run=(setarch -R)
  fi
  cmake --preset "$preset"
  "${run[@]}" cmake --build --preset "$preset" --parallel "$jobs" # runs the tests to list their names
  "${run[@]}" ctest --preset "$preset" --parallel 2
done
