# Kernel files per processor architecture, and compiler flags per instruction set, which are for the kernel files named
# after it and for no other file. Read by CMakeLists.txt beside this file, by winnow.mk and in_tree.cmake in RocksDB's
# own tree, and by build.rs of bindings/rust. Contains only such lists.

winnow_kernels_x86 = avx2 avx512 ribbon_gfni ribbon_avx512 ribbon_avx512_solve
winnow_kernels_arm64 = neon

winnow_flags_avx2 = -mavx2 -mbmi -mbmi2 -mpopcnt
winnow_flags_gfni = -mavx2 -mgfni -mbmi -mbmi2 -mpopcnt
# g++ 12 reports its own _mm512_undefined_epi32() as an uninitialized variable; clang does not know the warning.
winnow_flags_avx512 = -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512vpopcntdq -mavx512vbmi -mavx512vbmi2 -mavx512bitalg -mgfni -mbmi -mbmi2 -mpopcnt -Wno-unknown-warning-option -Wno-uninitialized -Wno-maybe-uninitialized
