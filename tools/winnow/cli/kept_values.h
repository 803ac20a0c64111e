// Flags that may be repeated.

#ifndef WINNOW_TOOLS_WINNOW_CLI_KEPT_VALUES_H_
#define WINNOW_TOOLS_WINNOW_CLI_KEPT_VALUES_H_

#include <absl/strings/str_join.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <string>
#include <vector>

namespace winnow::tools {

// Adds a value to *all unless it is there. Abseil parses each occurrence of a flag by itself and
// keeps the last, so the flag's parser collects all of them. Duplicates are dropped because every
// flag is parsed twice (winnow.cc).
template <typename T>
void Keep(const T& value, std::vector<T>* all) {
  if (std::find(all->begin(), all->end(), value) == all->end()) {
    all->push_back(value);
  }
}

// Values of all occurrences of a text flag. Each such flag has its own `Name`.
template <typename Name>
struct KeptTexts {
  std::vector<std::string> texts;
};

// The default is the empty text, which the command line can't have (flag_check.h).
template <typename Name>
bool AbslParseFlag(absl::string_view text, KeptTexts<Name>* kept, std::string*) {
  static auto* all = new std::vector<std::string>;
  if (!text.empty()) {
    Keep(std::string(text), all);
  }
  kept->texts = *all;
  return true;
}

template <typename Name>
std::string AbslUnparseFlag(const KeptTexts<Name>& kept) {
  return absl::StrJoin(kept.texts, ",");
}

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_KEPT_VALUES_H_
