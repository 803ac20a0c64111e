// The version of Winnow, and the mark of what its shared libraries export.

#ifndef WINNOW_VERSION_H_
#define WINNOW_VERSION_H_

// The build reads these three lines: keep one number on each.
#define WINNOW_VERSION_MAJOR 0
#define WINNOW_VERSION_MINOR 1
#define WINNOW_VERSION_PATCH 0

// Put before a declaration that users of the shared libraries call. Empty where Winnow becomes a
// part of another library.
#ifndef WINNOW_EXPORT
#define WINNOW_EXPORT __attribute__((visibility("default")))
#endif

namespace winnow {

// "MAJOR.MINOR.PATCH" of the library that is loaded, which may be another one than that of the
// headers. A string that lives as long as the library; safe from any thread.
WINNOW_EXPORT const char* Version() noexcept;

}  // namespace winnow

#endif  // WINNOW_VERSION_H_
