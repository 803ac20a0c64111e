#include "db_bench_ext/read_amplification/program/given_flags.h"

#include <absl/flags/reflection.h>
#include <absl/strings/strip.h>

#include <cstddef>

namespace winnow::bench {
namespace {

bool IsSwitch(const absl::CommandLineFlag& flag) {
  const std::string value = flag.DefaultValue();
  return value == "true" || value == "false";
}

}  // namespace

GivenFlags FindGivenFlags(const std::vector<std::string>& words) {
  GivenFlags given;
  for (size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
    absl::string_view word = words[i];
    if (!absl::ConsumePrefix(&word, "-")) continue;
    absl::ConsumePrefix(&word, "-");
    const size_t equals = word.find('=');
    absl::string_view name = word.substr(0, equals);
    const absl::CommandLineFlag* flag = absl::FindCommandLineFlag(name);
    if (flag == nullptr && absl::ConsumePrefix(&name, "no")) {
      flag = absl::FindCommandLineFlag(name);
    }
    if (flag == nullptr) continue;
    given.emplace(flag->Name());
    // The next word is the value, even if it looks like a flag.
    if (equals == absl::string_view::npos && !IsSwitch(*flag)) ++i;
  }
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    if (flag->CurrentValue() != flag->DefaultValue()) given.emplace(name);
  }
  return given;
}

}  // namespace winnow::bench
