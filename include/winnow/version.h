// Version of Winnow, and visibility attributes of its shared libraries. Also for C.

#ifndef WINNOW_VERSION_H_
#define WINNOW_VERSION_H_

// The build parses these three lines: keep one number on each.
#define WINNOW_VERSION_MAJOR 2
#define WINNOW_VERSION_MINOR 0
#define WINNOW_VERSION_PATCH 0

// Marks a declaration that the shared libraries export. Empty if Winnow is linked into another
// library, and for compilers without GNU attributes.
#ifndef WINNOW_EXPORT
#if defined(__GNUC__)
#define WINNOW_EXPORT __attribute__((visibility("default")))
#else
#define WINNOW_EXPORT
#endif
#endif

#ifdef __cplusplus

// ---- Structs that grow
//
// Later versions add members to FilterOptions, FilterInfo, RangeFilterOptions, RangeFilterInfo,
// PolicyOptions, FilterLoads, FilterUse, LookupCounters and SampleCounters, at the end and 8 bytes
// wide, so that the struct's size grows. Functions that take or return one of these structs are
// inline and pass the size that the program was compiled with; members that only the library knows
// have their defaults or are left out. All other types of the public headers keep their size.
// docs/compatibility.md has the guarantees.

// Marks what is not exported: before a member of an exported class, after `struct`, and before
// inline functions that pass a size to the library, of which each library of a process needs its
// own copy.
#ifndef WINNOW_HIDDEN
#if defined(__GNUC__)
#define WINNOW_HIDDEN [[gnu::visibility("hidden")]]
#else
#define WINNOW_HIDDEN
#endif
#endif

namespace winnow {

// Returns "MAJOR.MINOR.PATCH" of the loaded library, which may differ from the headers' version.
// The string is static. Thread-safe.
WINNOW_EXPORT const char* Version() noexcept;

// Returns the name of the kernel, the set of inner loops, that this process uses: "portable",
// "avx2", "gfni", "avx512" or "neon"; later versions may have others. It is the machine's best one,
// or that of the environment variable WINNOW_KERNEL. All kernels give the same bytes and the same
// answers. The string is static. Thread-safe.
WINNOW_EXPORT const char* KernelName() noexcept;

}  // namespace winnow

#endif  // __cplusplus

#endif  // WINNOW_VERSION_H_
