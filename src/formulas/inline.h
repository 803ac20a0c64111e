// For formulas, which are inlined everywhere.
//
// The meaning of a filter's bytes is said here once, for the core and for the kernels, each file of
// which is compiled for an instruction set of its own. So all functions have internal linkage: the
// linker never puts the copy of one file in another's place. FORMAT.md in src/core has the same in
// words, and the names.

#ifndef WINNOW_SRC_FORMULAS_INLINE_H_
#define WINNOW_SRC_FORMULAS_INLINE_H_

#define WINNOW_FORMULA static inline __attribute__((always_inline, unused))

#endif  // WINNOW_SRC_FORMULAS_INLINE_H_
