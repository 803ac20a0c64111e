// The "C" locale for one thread: numbers have a decimal point and no separators of thousands,
// whatever locale the program sets, now or later (setlocale).

#ifndef WINNOW_SRC_BASE_C_LOCALE_H_
#define WINNOW_SRC_BASE_C_LOCALE_H_

#include <locale.h>

#include <cstdarg>
#include <cstdio>
#include <string>

namespace winnow::base {

// Sets the "C" locale for this thread during its lifetime.
class CLocale {
 public:
  CLocale() noexcept
      : c_(::newlocale(LC_ALL_MASK, "C", nullptr)),
        before_(c_ == nullptr ? nullptr : ::uselocale(c_)) {}
  ~CLocale() {
    if (c_ == nullptr) return;
    ::uselocale(before_);
    ::freelocale(c_);
  }
  CLocale(const CLocale&) = delete;
  CLocale& operator=(const CLocale&) = delete;

 private:
  const locale_t c_;
  const locale_t before_;
};

// Formats text like printf, in the "C" locale; at most kMaxTextBytes bytes. May throw
// std::bad_alloc.
inline constexpr int kMaxTextBytes = 500;
__attribute__((format(printf, 1, 2))) inline std::string Text(const char* format, ...) {
  char text[kMaxTextBytes + 1];
  const CLocale c;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

}  // namespace winnow::base

#endif  // WINNOW_SRC_BASE_C_LOCALE_H_
