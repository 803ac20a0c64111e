#include "tools/print.h"

#include <absl/strings/str_format.h>
#include <errno.h>
#include <string.h>

#include <cstdio>

namespace winnow::tools {

bool Print(absl::string_view verb, absl::string_view text) {
  errno = 0;
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) {
    absl::FPrintF(stderr, "winnow %s: the output could not be written in full: %s\n", verb,
                  strerror(errno));
  }
  return written;
}

}  // namespace winnow::tools
