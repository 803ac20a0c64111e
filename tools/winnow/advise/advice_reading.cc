#include "tools/winnow/advise/advice_reading.h"

#include <algorithm>
#include <cmath>

#include "src/policy_trial/range_options.h"

namespace winnow::inspect {
std::vector<FileError> AdviceReading::Errors() const {
  std::vector<FileError> errors;
  for (const AdvisedFile& file : files) {
    if (!file.error.empty()) {
      errors.push_back({file.path, file.error});
    }
  }
  return errors;
}

std::vector<double> AdviceReading::EntriesOf(const std::vector<AdvicePiece>& pieces) const {
  std::vector<double> entries;
  for (const AdvicePiece& piece : pieces) {
    entries.push_back(static_cast<double>(FileOf(piece).entries));
  }
  return entries;
}

std::vector<AdvicePiece> AdviceReading::AllPieces() const {
  std::vector<AdvicePiece> pieces;
  for (size_t family = 0; family < families.size(); ++family) {
    for (size_t at = 0; at < families[family].files.size(); ++at) {
      pieces.push_back({family, at});
    }
  }
  return pieces;
}

std::vector<AdvicePiece> AdviceReading::PiecesToTry() const {
  std::vector<AdvicePiece> pieces;
  for (size_t family = 0; family < families.size(); ++family) {
    for (const size_t at : tried[family]) {
      pieces.push_back({family, at});
    }
  }
  return pieces;
}

double AdviceReading::ALookup(double count) const {
  return num_lookups == 0 ? 0 : count / static_cast<double>(num_lookups);
}

double AdviceReading::AbsentShare() const {
  if (num_lookups == 0 || num_absent == num_lookups) {
    return 1;
  }
  return std::max(0.01, std::round(100 * ALookup(static_cast<double>(num_absent))) / 100);
}

uint64_t AdviceReading::FilterBytesNow() const {
  uint64_t bytes = 0;
  for (const AdvisedFamily& family : families) {
    for (const size_t file : family.files) {
      bytes += files[file].filter_bytes;
    }
  }
  return bytes;
}

double AdviceReading::FalseReadsNow() const {
  double reads = 0;
  for (const FamilyLookups& family : lookups) {
    reads += static_cast<double>(family.false_reads);
  }
  return reads;
}

double AdviceReading::AsksOf(const AdvicePiece& piece) const {
  return static_cast<double>(lookups[piece.family].asks[piece.at].size());
}

bool AdviceReading::AsksInVain() const {
  const std::vector<AdvicePiece> pieces = AllPieces();
  return std::any_of(pieces.begin(), pieces.end(),
                     [this](const AdvicePiece& piece) { return AsksOf(piece) > 0; });
}

bool AdviceReading::SomeAreUnfiltered() const {
  return std::any_of(families.begin(), families.end(),
                     [](const AdvisedFamily& family) { return family.costs->SomeAreUnfiltered(); });
}

bool AdviceReading::NoPolicyBuilds() const {
  return std::all_of(families.begin(), families.end(),
                     [](const AdvisedFamily& family) { return family.costs->AllAreUnfiltered(); });
}

std::string AdviceReading::OtherExtractorOf(const AdvisedFamily& family) const {
  FamilyText text = family.shape.text;
  if (family.database.empty() || !family.shape_problem.empty()) {
    for (const size_t file : family.files) {
      if (!HasOtherExtractor(text)) text.prefix_extractor = files[file].extractor;
    }
  }
  return HasOtherExtractor(text) ? text.prefix_extractor : std::string();
}

bool AdviceReading::SomeServeScansAlone() const {
  return std::any_of(files.begin(), files.end(), [](const AdvisedFile& file) {
    FamilyText text;
    text.prefix_extractor = file.extractor;
    return file.error.empty() && file.has_prefixes_only && file.filter_bytes > 0 &&
           HasOtherExtractor(text);
  });
}

std::vector<std::string> AdviceReading::PoliciesInForce() const {
  std::vector<std::string> policies;
  for (const AdvisedFamily& family : families) {
    policies.push_back(family.costs->policy_in_force());
  }
  return policies;
}

Cost AdviceReading::CostOf(const std::vector<std::string>& policies) const {
  Cost cost;
  for (size_t i = 0; i < families.size(); ++i) cost += families[i].costs->Of(policies[i]);
  cost.false_reads = ALookup(cost.false_reads);
  return cost;
}

std::optional<Cost> AdviceReading::CompactedCostOf(const std::vector<std::string>& policies) const {
  Cost sum;
  for (size_t i = 0; i < families.size(); ++i) {
    const std::optional<Cost> cost = families[i].costs->CompactedOf(policies[i]);
    if (!cost) return std::nullopt;
    sum += *cost;
  }
  sum.false_reads = ALookup(sum.false_reads);
  return sum;
}

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
