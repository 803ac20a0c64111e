#include "src/rocksdb/trees/heat_map.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace winnow::plugin {
namespace {

using Record = LookupSamples::Record;

// Returns a power of four, such that parts are narrower than files.
size_t PartsFor(size_t files) noexcept {
  size_t parts = 64;
  while (parts < 4 * files && parts < HeatMap::kMaxParts) parts *= 4;
  return parts;
}

std::vector<double> SumsBefore(const std::vector<double>& parts) {
  std::vector<double> sums(parts.size() + 1, 0);
  std::partial_sum(parts.begin(), parts.end(), sums.begin() + 1);
  return sums;
}

// Returns smoothed counts by part. `all` is divided among four quarters, by their samples as far as
// there are any; each quarter's share is divided again, and so on. Without samples, a part's share
// is proportional to its exposure; `exposed` is the sum of all exposures.
std::vector<double> Shrunk(const std::vector<double>& counts, double all,
                           const std::vector<double>& exposures, double exposed) {
  std::vector<double> expected;
  expected.reserve(counts.size());
  for (const double exposure : exposures) expected.push_back(all * exposure / exposed);
  // Exact, as counts are sums of a few thousand floats of similar size.
  const std::vector<double> counted = SumsBefore(counts);
  for (size_t width = counts.size() / 4; width >= 1; width /= 4) {
    for (size_t whole = 0; whole < counts.size(); whole += 4 * width) {
      // Relative to the whole, whose heat is the prior of a quarter's until its own samples count.
      std::array<double, 4> relative_heat;
      double before = 0;
      double after = 0;
      for (size_t quarter = 0; quarter < 4; ++quarter) {
        const size_t begin = whole + quarter * width;
        const auto from = expected.begin() + static_cast<ptrdiff_t>(begin);
        const double guess = std::accumulate(from, from + static_cast<ptrdiff_t>(width), 0.0);
        relative_heat[quarter] = (counted[begin + width] - counted[begin] + HeatMap::kPseudoCount) /
                                 (guess + HeatMap::kPseudoCount);
        before += guess;
        after += guess * relative_heat[quarter];
      }
      const double scale = after > 0 ? before / after : 1;
      for (size_t quarter = 0; quarter < 4; ++quarter) {
        double* const part = &expected[whole + quarter * width];
        const double factor = relative_heat[quarter] * scale;
        for (size_t i = 0; i < width; ++i) part[i] *= factor;
      }
    }
  }
  return expected;
}

// Numbers of lookups that reach a level and do not find their key there, by level and part of the
// tree. A sample counts 1 on the levels above its deepest one. If the last filter that it checked
// said no, it counts its weight on the deepest level and on all levels below. Otherwise it counts 1
// on the deepest level alone, if another filter there said no. All sums are of a few thousand
// floats of similar size, and so exact.
class Counts {
 public:
  Counts(const std::vector<Record>& samples, size_t parts) : parts_(parts) {
    for (const Record& record : samples) {
      const auto at = static_cast<size_t>(record.place * static_cast<float>(parts));
      std::vector<InPart>& deepest = by_deepest_[static_cast<size_t>(record.deepest)];
      if (deepest.empty()) deepest.resize(parts);
      InPart& part = deepest[std::min(at, parts - 1)];
      ++part.above;
      if (record.ended_with_no) {
        part.below += record.weight;
      } else if ((record.said_no >> record.deepest & 1) != 0) {
        ++part.there;
      }
    }
  }

  std::vector<double> Of(int level) const {
    std::vector<double> counts(parts_, 0);
    for (int deepest = 0; deepest < LookupSamples::kLevels; ++deepest) {
      const std::vector<InPart>& parts = by_deepest_[static_cast<size_t>(deepest)];
      for (size_t i = 0; i < parts.size(); ++i) {
        if (deepest > level) {
          counts[i] += parts[i].above;
        } else {
          counts[i] += parts[i].below + (deepest == level ? parts[i].there : 0);
        }
      }
    }
    return counts;
  }

 private:
  struct InPart {
    double above = 0;
    double there = 0;
    double below = 0;  // also on the level itself
  };

  const size_t parts_;
  // One vector per deepest level, empty if it has no samples.
  std::array<std::vector<InPart>, LookupSamples::kLevels> by_deepest_;
};

}  // namespace

HeatMap::HeatMap(const std::vector<Record>& samples, size_t files, uint32_t levels,
                 const std::function<double(double)>& exposure)
    : samples_(samples.size()) {
  const size_t parts = PartsFor(files);
  std::vector<double> exposures(parts, 1);
  for (size_t i = 0; exposure && i < parts; ++i) {
    const double middle = (static_cast<double>(i) + 0.5) / static_cast<double>(parts);
    exposures[i] = std::clamp(exposure(middle), kMinExposure, 1.0);
  }
  const double exposed = std::accumulate(exposures.begin(), exposures.end(), 0.0);
  const Counts counts(samples, parts);
  for (int level = 0; level < LookupSamples::kLevels; ++level) {
    if ((levels >> level & 1) == 0) continue;
    const std::vector<double> counted = counts.Of(level);
    const double all = std::accumulate(counted.begin(), counted.end(), 0.0);
    // If there are few samples, most are assumed to reach the level.
    const auto taken = static_cast<double>(samples.size());
    const double expected = taken * (all + kPseudoCount) / (taken + kPseudoCount);
    // Heat as if all present keys had existed since the first sample.
    std::vector<double> heat = Shrunk(counted, expected, exposures, exposed);
    double sum = 0;
    for (size_t i = 0; i < parts; ++i) sum += heat[i] /= exposures[i];
    for (double& part : heat) part *= sum > 0 ? expected / sum : 1;
    before_[static_cast<size_t>(level)] = SumsBefore(heat);
    all_[static_cast<size_t>(level)] = Reaching(level, 0, 1);
  }
}

HeatMap::HeatMap(const Parts& parts, size_t samples) : samples_(samples) {
  for (size_t level = 0; level < parts.size(); ++level) {
    if (parts[level].empty()) continue;
    before_[level] = SumsBefore(parts[level]);
    all_[level] = Reaching(static_cast<int>(level), 0, 1);
  }
}

std::vector<double> HeatMap::PartsOf(int level) const {
  const std::vector<double>& before = before_[static_cast<size_t>(level)];
  std::vector<double> parts;
  for (size_t i = 1; i < before.size(); ++i) parts.push_back(before[i] - before[i - 1]);
  return parts;
}

double HeatMap::Reaching(int level, double from, double to) const noexcept {
  const std::vector<double>& before = before_[static_cast<size_t>(level)];
  if (before.size() < 2) return 0;
  const auto parts = static_cast<double>(before.size() - 1);
  const auto until = [&](double place) {
    const double at = std::clamp(place, 0.0, 1.0) * parts;
    const size_t part = std::min(static_cast<size_t>(at), before.size() - 2);
    return before[part] + (at - static_cast<double>(part)) * (before[part + 1] - before[part]);
  };
  return (1 - kEvenShare) * (until(to) - until(from)) + kEvenShare * (to - from) * before.back();
}

size_t HeatMap::bytes() const noexcept {
  size_t bytes = 0;
  for (const std::vector<double>& before : before_) bytes += before.capacity() * sizeof before[0];
  return bytes;
}

double HeatMap::KeysThatGet(double share) const {
  const std::vector<double>& before = before_[LookupSamples::kLevels - 1];
  if (before.size() < 2) return 1;
  std::vector<double> parts = PartsOf(LookupSamples::kLevels - 1);
  std::sort(parts.begin(), parts.end(), std::greater<>());
  double left = share * before.back();
  size_t taken = 0;
  while (taken < parts.size() && left > 0) left -= parts[taken++];
  return static_cast<double>(taken) / static_cast<double>(parts.size());
}

}  // namespace winnow::plugin
