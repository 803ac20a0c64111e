#include "src/preload/front/kept_text.h"

#include <dlfcn.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace winnow::preload {

const char* KeepText(const char* format, ...) noexcept {
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const char* const kept = ::strdup(text);
  return kept != nullptr ? kept : "memory is short";
}

const char* LastLinkerError() noexcept {
  const char* const error = ::dlerror();
  return error != nullptr ? error : "no reason given";
}

}  // namespace winnow::preload
