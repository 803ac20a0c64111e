// Program that `winnow run` starts in tests. Prints its arguments and environment as one line of
// JSON, and ends as END in the environment says: 7 is an exit code, -15 a signal.

#include <fcntl.h>
#include <signal.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

// Returns the variable in JSON, or null if it is not set.
std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "null" : "\"" + std::string(value) + "\"";
}

bool IsIgnored(int number) {
  struct sigaction action = {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// Returns the open descriptors below 64.
std::string Descriptors() {
  std::string numbers;
  for (int number = 0; number < 64; ++number) {
    if (fcntl(number, F_GETFD) < 0) continue;
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(number);
  }
  return numbers;
}

}  // namespace

int main(int argc, char** argv) {
  std::string text = "{\"process\": " + std::to_string(getpid()) + ", \"arguments\": [";
  for (int i = 0; i < argc; ++i) text += (i == 0 ? "\"" : ", \"") + std::string(argv[i]) + "\"";
  text += "], \"on_guard\": " + std::to_string(getauxval(AT_SECURE));
  text += ", \"descriptors\": [" + Descriptors() + "]";
  for (const char* name : {"LD_PRELOAD", "WINNOW_POLICY", "WINNOW_ADD", "WINNOW_LOG"}) {
    text += ", \"" + std::string(name) + "\": " + Variable(name);
  }
  text += std::string(", \"ignores_closed_pipes\": ") + (IsIgnored(SIGPIPE) ? "true" : "false");
  text += std::string(", \"ignores_large_files\": ") + (IsIgnored(SIGXFSZ) ? "true" : "false");
  std::printf("%s}\n", text.c_str());
  std::fflush(stdout);
  const char* const end = std::getenv("END");
  const int code = end == nullptr ? 0 : std::atoi(end);
  if (code < 0) raise(-code);
  return code;
}
