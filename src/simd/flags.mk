# The compiler's flags for each kernel file, which no other file is compiled with: read by
# CMakeLists.txt beside this file and, in RocksDB's own tree, by winnow.mk and in_tree.cmake.

winnow_flags_avx2 = -mavx2 -mbmi -mbmi2 -mpopcnt
winnow_flags_gfni = -mavx2 -mgfni -mbmi -mbmi2 -mpopcnt
# g++ 12 takes its own _mm512_undefined_epi32() for a variable of ours; clang does not know the warning.
winnow_flags_avx512 = -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512vpopcntdq -mavx512vbmi -mavx512vbmi2 -mavx512bitalg -mgfni -mbmi -mbmi2 -mpopcnt -Wno-unknown-warning-option -Wno-uninitialized -Wno-maybe-uninitialized
