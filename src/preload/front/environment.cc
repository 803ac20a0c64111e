#include "src/preload/front/environment.h"

#include <strings.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "src/base/switch.h"

namespace winnow::preload {
namespace {

constexpr char kPrefix[] = "WINNOW_";

bool IsEmpty(const char* value) noexcept { return *value == '\0'; }
bool IsOnOtherThanByOne(const char* value) noexcept {
  return base::IsOn(value) && std::strcmp(value, "1") != 0;
}
bool IsAny(const char* /*value*/) noexcept { return true; }

// A variable, and values of it that are probably not intended.
struct Variable {
  const char* name;
  bool (*is_surprise)(const char* value) noexcept = nullptr;
  const char* effect = nullptr;  // end of a sentence about such a value
};
constexpr Variable kVariables[] = {
    {"WINNOW_POLICY", &IsEmpty, "is empty, and counts as not set"},
    {"WINNOW_ADD", &IsOnOtherThanByOne, "is not 1, and only 1 has an effect"},
    {"WINNOW_LOG", &IsOnOtherThanByOne, "is not 1, and counts as 1"},
    {"WINNOW_SHARED_HASH", &IsAny,
     "has no effect any more: lookups share hashes where that saves time"},
    {"WINNOW_KERNEL"},
    {"WINNOW_RANGE_BITS"},
    {"WINNOW_METRICS"},
    {"WINNOW_REQUIRE"}};

bool g_is_logging = false;
bool g_has_policy = false;
bool g_is_required = false;

constexpr size_t kMaxProblems = 8;
char* g_problems[kMaxProblems];  // copies of "NAME=VALUE"
size_t g_num_problems = 0;

// Returns what is wrong with a variable, "NAME=VALUE", as the end of a sentence: empty if its name
// is none of Winnow's; null if nothing is wrong.
const char* Problem(const char* text) noexcept {
  for (const Variable& variable : kVariables) {
    const size_t length = std::strlen(variable.name);
    if (std::strncmp(text, variable.name, length) != 0 || text[length] != '=') continue;
    const bool is_wrong =
        variable.is_surprise != nullptr && variable.is_surprise(text + length + 1);
    return is_wrong ? variable.effect : nullptr;
  }
  return ::strncasecmp(text, kPrefix, sizeof kPrefix - 1) == 0 ? "" : nullptr;
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
    if (g_num_problems < kMaxProblems && Problem(*variable) != nullptr) {
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
    const char* const problem = Problem(g_problems[i]);
    line->Add(problem);
    if (*problem != '\0') continue;
    line->Add("is not one of Winnow's variables, which are");
    const char* separator = " ";
    for (const Variable& variable : kVariables) {
      line->Add(separator).Add(variable.name);
      separator = ", ";
    }
  }
}

}  // namespace winnow::preload
