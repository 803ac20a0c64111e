// Figures of the kinds in articles, and why ours differ from them.

#ifndef WINNOW_STREAMS_FILTER_FAMILY_PUBLISHED_H_
#define WINNOW_STREAMS_FILTER_FAMILY_PUBLISHED_H_

#include <optional>
#include <string>
#include <vector>

namespace winnow::bench {

struct Published {
  std::string kind;  // of FamilyRow
  // Bits a key at 1 %, 0.1 % and 0.01 %, where there is a figure.
  std::optional<double> bits[3];
  std::string why;  // what a difference comes from, whole sentences
};

inline constexpr double kPublishedRates[] = {0.01, 0.001, 0.0001};

const std::vector<Published>& PublishedFigures();

}  // namespace winnow::bench

#endif  // WINNOW_STREAMS_FILTER_FAMILY_PUBLISHED_H_
