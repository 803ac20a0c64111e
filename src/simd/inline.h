// For the headers that the kernels' files share. What these define is all in unnamed namespaces:
// each file compiles a copy of its own, for its own instruction set, and the linker never puts one
// in another's place.

#ifndef WINNOW_SRC_SIMD_INLINE_H_
#define WINNOW_SRC_SIMD_INLINE_H_

// For all that a lookup is made of: a call costs more than most of it.
#define WINNOW_INLINE inline __attribute__((always_inline, unused))

#endif  // WINNOW_SRC_SIMD_INLINE_H_
