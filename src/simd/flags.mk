# The kernel files of each processor, and the compiler's flags for those whose name has the list's,
# which no other file is compiled with: read by CMakeLists.txt beside this file, in RocksDB's own tree
# by winnow.mk and in_tree.cmake, and by build.rs of bindings/rust. It has nothing but such lists.

winnow_kernels_x86 = avx2 avx512 ribbon_gfni ribbon_avx512 ribbon_avx512_solve
winnow_kernels_arm64 = neon

winnow_flags_avx2 = -mavx2 -mbmi -mbmi2 -mpopcnt
winnow_flags_gfni = -mavx2 -mgfni -mbmi -mbmi2 -mpopcnt
# g++ 12 takes its own _mm512_undefined_epi32() for a variable of ours; clang does not know the warning.
winnow_flags_avx512 = -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512vpopcntdq -mavx512vbmi -mavx512vbmi2 -mavx512bitalg -mgfni -mbmi -mbmi2 -mpopcnt -Wno-unknown-warning-option -Wno-uninitialized -Wno-maybe-uninitialized
