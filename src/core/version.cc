#include "winnow/version.h"

#define WINNOW_STRING_(x) #x
#define WINNOW_STRING(x) WINNOW_STRING_(x)

namespace winnow {

const char* Version() noexcept {
  return WINNOW_STRING(WINNOW_VERSION_MAJOR) "." WINNOW_STRING(
      WINNOW_VERSION_MINOR) "." WINNOW_STRING(WINNOW_VERSION_PATCH);
}

}  // namespace winnow
