#include "src/preload/front/kept_text.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace winnow::preload {
namespace {

// A text follows each. All stay reachable, for leak checkers.
struct Kept {
  Kept* before;
};
std::atomic<Kept*> g_last{nullptr};

}  // namespace

const char* KeepText(const char* format, ...) noexcept {
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  auto* const kept = static_cast<Kept*>(std::malloc(sizeof(Kept) + std::strlen(text) + 1));
  if (kept == nullptr) return "memory is short";
  kept->before = g_last.exchange(kept);
  return std::strcpy(reinterpret_cast<char*>(kept + 1), text);
}

const char* LastLinkerError() noexcept {
  const char* const error = ::dlerror();
  return error != nullptr ? error : "no reason given";
}

}  // namespace winnow::preload
