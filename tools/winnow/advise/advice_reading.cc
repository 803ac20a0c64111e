#include "tools/winnow/advise/advice_reading.h"

#include <absl/algorithm/container.h>

#include <algorithm>
#include <cmath>

#include "src/policy_trial/range_options.h"

namespace winnow::inspect {

std::vector<FileError> AdviceReading::Errors() const {
  std::vector<FileError> errors = unread;
  for (const AdvisedFamily& family : families) {
    for (const AdvisedFile& file : family.files) {
      if (!file.error.empty()) errors.push_back({file.path, file.error});
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

double AdviceReading::ALookup(double count) const {
  return num_lookups == 0 ? 0 : count / static_cast<double>(num_lookups);
}

uint64_t AdviceReading::FilterBytesNow() const {
  uint64_t bytes = 0;
  for (const AdvisedFamily& family : families) {
    for (const AdvisedFile& file : family.files) bytes += file.filter_bytes;
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
  return absl::c_any_of(pieces, [this](const AdvicePiece& piece) { return AsksOf(piece) > 0; });
}

bool AdviceReading::SomeAreUnfiltered() const {
  return absl::c_any_of(
      families, [](const AdvisedFamily& family) { return family.costs->SomeAreUnfiltered(); });
}

bool AdviceReading::NoPolicyBuilds() const {
  return absl::c_all_of(
      families, [](const AdvisedFamily& family) { return family.costs->AllAreUnfiltered(); });
}

std::string AdviceReading::OtherExtractor() const {
  for (const AdvisedFamily& family : families) {
    const std::string& by_options = family.shape.text.prefix_extractor;
    if (IsOtherExtractor(by_options)) return by_options;
    if (!family.database.empty() && family.shape_problem.empty()) continue;
    for (const AdvisedFile& file : family.files) {
      if (IsOtherExtractor(file.extractor)) return file.extractor;
    }
  }
  return std::string();
}

bool AdviceReading::SomeServeScansAlone() const {
  return HasFile([](const AdvisedFile& file) {
    return file.error.empty() && file.has_prefixes_only && file.filter_bytes > 0 &&
           IsOtherExtractor(file.extractor);
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
  const std::vector<double> entries = reading->EntriesOf(pieces);
  const double all = absl::c_accumulate(entries, 0.0);
  const double wanted = sample_keys == 0 ? all : static_cast<double>(sample_keys);
  const double share = std::min(1.0, wanted / std::max(1.0, all));
  double passed = 1;
  for (const AdvicePiece& piece : pieces) {
    reading->FileOf(piece).is_sampled = passed >= 1;
    passed += share - std::floor(passed);
  }
}

}  // namespace winnow::inspect
