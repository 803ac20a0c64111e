// The version of Winnow, and the marks of what its shared libraries export. For C too.

#ifndef WINNOW_VERSION_H_
#define WINNOW_VERSION_H_

// The build reads these three lines: keep one number on each.
#define WINNOW_VERSION_MAJOR 1
#define WINNOW_VERSION_MINOR 1
#define WINNOW_VERSION_PATCH 0

// Put before a declaration that users of the shared libraries call. Empty where Winnow becomes a
// part of another library, and for compilers without GNU's attributes.
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
// PolicyOptions, FilterLoads, FilterUse, LookupCounters, SampleCounters, at their ends and 8 bytes
// wide, so that a struct with more members is larger. What takes or returns one of them is inline,
// and tells the library the size that the program was compiled with: members that only the library
// knows are at their defaults, or are left out. All other types of the contract headers beside this
// one keep their size. docs/compatibility.md has what is promised.

// Before a member of an exported class, or after `struct`, what is not exported; and before an
// inline function that tells the library a size, of which each library of a process needs its own.
#ifndef WINNOW_HIDDEN
#if defined(__GNUC__)
#define WINNOW_HIDDEN [[gnu::visibility("hidden")]]
#else
#define WINNOW_HIDDEN
#endif
#endif

namespace winnow {

// "MAJOR.MINOR.PATCH" of the library that is loaded, which may be another one than that of the
// headers. A string that lives as long as the library; safe from any thread.
WINNOW_EXPORT const char* Version() noexcept;

// Which of the library's kernels, its inner loops, this process runs: "portable", "avx2", "gfni",
// "avx512" or "neon", or another name of a later version. The best one of the machine, or what
// WINNOW_KERNEL says in the environment. All give the same bytes and the same answers. A string
// that lives as long as the library; safe from any thread.
WINNOW_EXPORT const char* KernelName() noexcept;

}  // namespace winnow

#endif  // __cplusplus

#endif  // WINNOW_VERSION_H_
