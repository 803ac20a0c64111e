// Attribute for the headers that the kernels' files share. All definitions in these headers are in
// unnamed namespaces: each file compiles its own copy, for its own instruction set, and the linker
// never replaces one copy by another.

#ifndef WINNOW_SRC_SIMD_INLINE_H_
#define WINNOW_SRC_SIMD_INLINE_H_

// Attribute of all functions that lookups consist of: a call costs more than most of them.
#define WINNOW_INLINE inline __attribute__((always_inline, unused))

#endif  // WINNOW_SRC_SIMD_INLINE_H_
