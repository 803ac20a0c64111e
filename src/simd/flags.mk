# The compiler's flags for each kernel file, which no other file is compiled with: read by
# CMakeLists.txt beside this file and, in RocksDB's own tree, by winnow.mk and in_tree.cmake.

# g++ 12 takes its own _mm512_undefined_epi32() for a variable of ours.
winnow_flags_avx2 = -mavx2 -mbmi -mbmi2 -mpopcnt
winnow_flags_avx512 = -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512vpopcntdq -mavx512vbmi2 -mbmi -mbmi2 -Wno-uninitialized -Wno-maybe-uninitialized
winnow_flags_gfni = -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512vpopcntdq -mavx512vbmi -mavx512vbmi2 -mavx512bitalg -mgfni -mbmi -mbmi2 -mpopcnt -Wno-uninitialized -Wno-maybe-uninitialized
