// Published figures of the kinds, and why Winnow's differ from them.

#ifndef WINNOW_STREAMS_FILTER_FAMILY_PUBLISHED_H_
#define WINNOW_STREAMS_FILTER_FAMILY_PUBLISHED_H_

#include <optional>
#include <string>
#include <vector>

namespace winnow::bench {

struct Published {
  std::string kind;  // name in FamilyRow::kind
  // Bits per key at 1 %, 0.1 % and 0.01 %, if published.
  std::optional<double> bits[3];
  std::string why;  // reason of a difference, in whole sentences
};

inline constexpr double kPublishedRates[] = {0.01, 0.001, 0.0001};

const std::vector<Published>& PublishedFigures();

}  // namespace winnow::bench

#endif  // WINNOW_STREAMS_FILTER_FAMILY_PUBLISHED_H_
