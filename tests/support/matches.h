// Finds all matches of a regular expression in a text.

#ifndef WINNOW_TESTS_SUPPORT_MATCHES_H_
#define WINNOW_TESTS_SUPPORT_MATCHES_H_

#include <cstddef>
#include <regex>
#include <string>
#include <vector>

namespace winnow::testing {

// Returns all matches in order: whole matches, or one of the pattern's groups, from 1 on.
inline std::vector<std::string> AllMatches(const std::string& text, const std::regex& pattern,
                                           size_t group = 0) {
  std::vector<std::string> matches;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    matches.push_back((*match)[group]);
  }
  return matches;
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_MATCHES_H_
