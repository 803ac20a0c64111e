// Flags that may be repeated.

#ifndef WINNOW_TOOLS_WINNOW_CLI_KEPT_VALUES_H_
#define WINNOW_TOOLS_WINNOW_CLI_KEPT_VALUES_H_

#include <algorithm>
#include <vector>

namespace winnow::tools {

// Abseil parses each mention of a flag by itself and keeps the last: so all are kept here, and
// each value once, as every flag is parsed twice (winnow.cc).
template <typename T>
void Keep(const T& value, std::vector<T>* all) {
  if (std::find(all->begin(), all->end(), value) == all->end()) {
    all->push_back(value);
  }
}

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_KEPT_VALUES_H_
