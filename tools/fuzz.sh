#!/bin/bash
# Runs a fuzz target with each kernel of this machine in turn, under the address and undefined-behavior
# sanitizers: tools/fuzz.sh TARGET SECONDS, where TARGET is view, set, reader, ranges, records or build. Uses
# clang's libFuzzer if it is installed (clang, libclang-rt-dev), else a simple loop.
#
# Starts from the inputs of fuzz/corpus/TARGET in tests or streams/tests and, for blocks, the golden ones.
# Results are in build/fuzzing/TARGET: inputs/ has inputs with new coverage, crash-… inputs that got a wrong
# answer or ended the process, and KERNEL.log the messages. Exits with 1 if there is such an input. To run one
# again: build/PRESET/tests/fuzz_TARGET build/fuzzing/TARGET/crash-…
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/build_jobs.sh
. tools/build_jobs.sh

fail() {
  printf 'tools/fuzz.sh: %s\n' "$*" >&2
  exit 2
}

[[ $# == 2 && $1 =~ ^(view|set|reader|ranges|records|build)$ && $2 =~ ^[1-9][0-9]*$ ]] ||
  fail "usage: tools/fuzz.sh view|set|reader|ranges|records|build SECONDS"
target=$1
seconds=$2
found=build/fuzzing/$target
mkdir -p "$found/inputs"

preset=asan
if echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
  clang++ -fsanitize=fuzzer,address -x c++ - -o "$found/probe" 2>/dev/null; then
  preset=fuzz
fi
rm -f "$found/probe"
{ cmake --preset "$preset" &&
  cmake --build --preset "$preset" --parallel "$(build_jobs)" --target "fuzz_$target"; } >"$found/build.log" ||
  fail "the target could not be built: see $found/build.log"
program=build/$preset/tests/fuzz_$target

kernels=()
for kernel in portable avx2 gfni avx512 neon; do
  refusal=$(WINNOW_KERNEL=$kernel "$program" -runs=0 tests/golden_blocks/bloom.block 2>&1) || true
  [[ $refusal == *"can't be used"* ]] || kernels+=("$kernel")
done
each=$((seconds / ${#kernels[@]}))
((each > 0)) || each=1

corpus=(tests/fuzz/corpus/"$target")
[[ $target != records ]] || corpus=(streams/tests/fuzz/corpus/records)
[[ $target =~ ^(set|ranges|records|build)$ ]] || corpus+=(tests/golden_blocks)
status=0
for kernel in "${kernels[@]}"; do
  log=$found/$kernel.log
  if WINNOW_KERNEL=$kernel nice "$program" -max_total_time="$each" -max_len=16384 -print_final_stats=1 \
    -seed="$(date +%s)" -artifact_prefix="$found/" "$found/inputs" "${corpus[@]}" >"$log" 2>&1; then
    printf '%s, %s, %s s, preset %s: nothing found; %s\n' "$target" "$kernel" "$each" "$preset" \
      "$(grep -E 'inputs, |number_of_executed_units' "$log" | tail -n 1)"
  else
    status=1
    printf '%s, %s, preset %s: FOUND something; the end of %s:\n' "$target" "$kernel" "$preset" "$log"
    tail -n 20 "$log"
  fi
done
printf '%s inputs in %s\n' "$(find "$found/inputs" -type f | wc -l)" "$found/inputs"
exit "$status"
