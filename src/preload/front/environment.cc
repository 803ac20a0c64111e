#include "src/preload/front/environment.h"

#include <strings.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "src/base/switch.h"

namespace winnow::preload {
namespace {

constexpr char kPrefix[] = "WINNOW_";
constexpr const char* kVariables[] = {"WINNOW_POLICY",      "WINNOW_ADD",    "WINNOW_LOG",
                                      "WINNOW_SHARED_HASH", "WINNOW_KERNEL", "WINNOW_RANGE_BITS",
                                      "WINNOW_METRICS",     "WINNOW_REQUIRE"};

bool g_is_logging = false;
bool g_has_policy = false;
bool g_is_required = false;

constexpr size_t kMaxProblems = 8;
char* g_problems[kMaxProblems];  // copies of "NAME=VALUE"
size_t g_num_problems = 0;

// Returns the value if the variable, "NAME=VALUE", has this name, else null.
const char* ValueOf(const char* variable, const char* name) noexcept {
  const size_t length = std::strlen(name);
  return std::strncmp(variable, name, length) == 0 && variable[length] == '='
             ? variable + length + 1
             : nullptr;
}

bool IsKnown(const char* variable) noexcept {
  for (const char* const name : kVariables) {
    if (ValueOf(variable, name) != nullptr) {
      return true;
    }
  }
  return false;
}

bool IsOnOtherThanByOne(const char* value) noexcept {
  return base::IsOn(value) && std::strcmp(value, "1") != 0;
}

// Returns the effect of a Winnow variable's value, if it is probably not intended, as the end of a
// sentence; else null.
const char* Surprise(const char* variable) noexcept {
  const char* const policy = ValueOf(variable, "WINNOW_POLICY");
  if (policy != nullptr && *policy == '\0') {
    return "is empty, and counts as not set";
  }
  if (IsOnOtherThanByOne(ValueOf(variable, "WINNOW_ADD"))) {
    return "is not 1, and only 1 has an effect";
  }
  if (IsOnOtherThanByOne(ValueOf(variable, "WINNOW_LOG"))) {
    return "is not 1, and counts as 1";
  }
  if (ValueOf(variable, "WINNOW_SHARED_HASH") != nullptr) {
    return "has no effect any more: lookups share hashes where that saves time";
  }
  return nullptr;
}

bool IsProblem(const char* variable) noexcept {
  return ::strncasecmp(variable, kPrefix, sizeof kPrefix - 1) == 0 &&
         (!IsKnown(variable) || Surprise(variable) != nullptr);
}

}  // namespace

void ReadEnvironment() noexcept {
  g_is_logging = base::IsOn(std::getenv("WINNOW_LOG"));
  const char* const policy = std::getenv("WINNOW_POLICY");
  g_has_policy = policy != nullptr && *policy != '\0' && std::strcmp(policy, "stock") != 0;
  g_is_required = base::IsOn(std::getenv("WINNOW_REQUIRE"));
  if (!g_is_logging || ::environ == nullptr) {
    return;
  }
  for (char** variable = ::environ; *variable != nullptr; ++variable) {
    if (g_num_problems < kMaxProblems && IsProblem(*variable)) {
      g_problems[g_num_problems] = ::strdup(*variable);
      g_num_problems += g_problems[g_num_problems] != nullptr ? 1 : 0;
    }
  }
}

bool IsLogging() noexcept { return g_is_logging; }

bool HasPolicy() noexcept { return g_has_policy; }

bool IsRequired() noexcept { return g_is_required; }

void AddEnvironmentProblems(base::StderrLine* line) noexcept {
  for (size_t i = 0; i < g_num_problems; ++i) {
    line->Add("; ").AddQuoted(g_problems[i]).Add(" in the environment ");
    if (const char* const surprise = Surprise(g_problems[i])) {
      line->Add(surprise);
    } else {
      line->Add("is not one of Winnow's variables, which are");
      const char* separator = " ";
      for (const char* const name : kVariables) {
        line->Add(separator).Add(name);
        separator = ", ";
      }
    }
  }
}

}  // namespace winnow::preload
