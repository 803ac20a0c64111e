#include "tools/winnow/advise/advice_sample.h"

#include <algorithm>
#include <vector>

namespace winnow::inspect {

void ChooseSample(uint64_t sample_keys, AdviceReading* reading) {
  const std::vector<AdvicePiece> pieces = reading->AllPieces();
  double entries = 0;
  for (const AdvicePiece& piece : pieces) {
    entries += static_cast<double>(reading->FileOf(piece).entries);
  }
  const double wanted = sample_keys == 0 ? entries : static_cast<double>(sample_keys);
  // The files to choose, were they all alike; those above one in size are chosen for sure.
  double low = 0;
  double high = static_cast<double>(pieces.size()) * 64 + 64;
  const auto read = [&](double files) {
    double sum = 0;
    for (const AdvicePiece& piece : pieces) {
      const auto size = static_cast<double>(reading->FileOf(piece).entries);
      sum += size * std::min(1.0, files * size / std::max(1.0, entries));
    }
    return sum;
  };
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (read(middle) > wanted ? high : low) = middle;
  }
  const bool all = wanted >= entries;
  double passed = 0.5;
  reading->tried.assign(reading->families.size(), {});
  reading->rest.assign(reading->families.size(), {});
  for (const AdvicePiece& piece : pieces) {
    const auto size = static_cast<double>(reading->FileOf(piece).entries);
    passed += std::min(1.0, low * size / std::max(1.0, entries));
    const bool chosen = all || passed >= 1;
    passed -= passed >= 1 ? 1 : 0;
    (chosen ? reading->tried : reading->rest)[piece.family].push_back(piece.at);
  }
  if (std::all_of(reading->tried.begin(), reading->tried.end(),
                  [](const auto& files) { return files.empty(); })) {
    // A sample that is smaller than any file: the largest one is better than none.
    const AdvicePiece largest = *std::max_element(
        pieces.begin(), pieces.end(), [reading](const AdvicePiece& a, const AdvicePiece& b) {
          return reading->FileOf(a).entries < reading->FileOf(b).entries;
        });
    reading->tried[largest.family] = {largest.at};
    auto& rest = reading->rest[largest.family];
    rest.erase(std::find(rest.begin(), rest.end(), largest.at));
  }
}

}  // namespace winnow::inspect
