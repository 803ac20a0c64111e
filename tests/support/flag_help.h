// Help on the flags of a test program.

#ifndef WINNOW_TESTS_SUPPORT_FLAG_HELP_H_
#define WINNOW_TESTS_SUPPORT_FLAG_HELP_H_

#include <absl/flags/reflection.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <map>
#include <string>

#include "src/cli/help.h"

namespace winnow::testing {

// Returns the help of all flags defined in the file whose path ends with `file`, by name, with
// their defaults.
inline std::string FlagHelp(const std::string& file) {
  std::map<std::string, std::string> helps;
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    if (!absl::EndsWith(flag->Filename(), file)) continue;
    const std::string preset = flag->DefaultValue();
    helps[std::string(name)] = absl::StrCat("  --", name, preset.empty() ? "" : "=", preset, "\n",
                                            cli::Paragraph(flag->Help(), 6));
  }
  std::string all;
  for (const auto& [name, help] : helps) all += help;
  return all;
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_FLAG_HELP_H_
