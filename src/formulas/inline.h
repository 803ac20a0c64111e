// Attribute of formulas, which are always inlined.
//
// Formulas define the meaning of a filter's bytes once, for the core and for the kernels, which are
// compiled for different instruction sets. All functions have internal linkage, so that the linker
// never replaces the copy in one file by that in another. FORMAT.md in src/core has the definitions
// in words, and the terms.

#ifndef WINNOW_SRC_FORMULAS_INLINE_H_
#define WINNOW_SRC_FORMULAS_INLINE_H_

#define WINNOW_FORMULA static inline __attribute__((always_inline, unused))

#endif  // WINNOW_SRC_FORMULAS_INLINE_H_
