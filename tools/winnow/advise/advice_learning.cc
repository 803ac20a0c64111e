#include "tools/winnow/advise/advice_learning.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>
#include <string_view>
#include <utility>

#include "src/core/sizing.h"
#include "tools/winnow/advise/advice_candidates.h"

namespace winnow::inspect {
namespace {

bool IsBytewise(const AdvisedFamily& family) {
  return std::string_view(family.comparator->Name()) ==
         ROCKSDB_NAMESPACE::BytewiseComparator()->Name();
}

std::string WhyNotLearned(const AdvisedFamily& family, const std::vector<AdvisedFile>& files) {
  if (!family.knows_levels) return "it needs the level of each file";
  if (family.shape.style != ROCKSDB_NAMESPACE::kCompactionStyleLevel) {
    return "without leveled compaction it builds like level_plan=auto";
  }
  if (!IsBytewise(family)) {
    return absl::StrCat("it needs keys in the order of ",
                        ROCKSDB_NAMESPACE::BytewiseComparator()->Name(), ", and theirs is ",
                        family.comparator->Name());
  }
  bool has_levels = false;
  for (const size_t file : family.files) {
    if (files[file].has_prefixes_only) return "filters have prefixes and no whole keys";
    has_levels = has_levels || files[file].level.value_or(0) > 0;
  }
  return has_levels ? std::string() : "all files are on level 0";
}

// The rule's rates are in proportion to that of bits_per_key: the bits of files at kUsualBits, at
// others. It takes a hundredth of the time of another trial.
std::vector<double> WithOtherBits(const std::vector<double>& usual, double bits_per_key) {
  const double factor = core::RateForBits(bits_per_key) / core::RateForBits(kUsualBits);
  std::map<double, double> known;  // files of one place have equal bits
  std::vector<double> bits;
  for (const double of_file : usual) {
    const auto [found, is_new] = known.try_emplace(of_file, 0);
    if (is_new && of_file > 0) {
      found->second = core::BitsForRate(
          std::clamp(factor * core::RateForBits(of_file), kLowestRate, kHighestRate));
    }
    bits.push_back(found->second);
  }
  return bits;
}

// Places in AdvisedFamily::files.
std::vector<size_t> FilesWithFilters(const AdvisedFamily& family,
                                     const std::vector<AdvisedFile>& files) {
  std::vector<size_t> found;
  for (size_t at = 0; at < family.files.size(); ++at) {
    const AdvisedFile& file = files[family.files[at]];
    const bool is_built = !file.place.bottommost || family.shape.last_level_has_filters;
    if (is_built && !file.range.empty && file.keys > 0) found.push_back(at);
  }
  return found;
}

std::vector<LearnedFile> ToLearn(const std::vector<size_t>& some, const AdvisedFamily& family,
                                 const std::vector<AdvisedFile>& files) {
  std::vector<LearnedFile> all;
  for (const size_t at : some) {
    const AdvisedFile& file = files[family.files[at]];
    all.push_back({file.place, file.range.first, file.range.last, file.keys});
  }
  return all;
}

// The lookups to learn from that ask any of these files: as many as a policy has samples of.
std::vector<uint32_t> SampleLookups(const FamilyLookups& lookups,
                                    const std::vector<size_t>& files) {
  std::vector<bool> asks(lookups.keys.size());
  for (const size_t file : files) {
    for (const auto* some : {&lookups.asks[file], &lookups.finds[file]}) {
      for (const uint32_t lookup : *some) asks[lookup] = true;
    }
  }
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < asks.size(); ++i) {
    if (asks[i] && lookups.is_to_learn[i]) all.push_back(i);
  }
  std::vector<uint32_t> sample;
  std::sample(all.begin(), all.end(), std::back_inserter(sample), LearnedTrial::kMaxLookups,
              std::mt19937_64(1));
  return sample;
}

}  // namespace

AdvisedRule::AdvisedRule(const AdvisedFamily& family, const std::vector<AdvisedFile>& files)
    : shape_(family.shape),
      num_files_(family.files.size()),
      files_(FilesWithFilters(family, files)),
      learned_files_(ToLearn(files_, family, files)) {}

std::shared_ptr<AdvisedRule> AdvisedRule::Make(const AdvisedFamily& family,
                                               const std::vector<AdvisedFile>& files) {
  if (!family.knows_levels || !IsBytewise(family)) return nullptr;
  return std::shared_ptr<AdvisedRule>(new AdvisedRule(family, files));
}

const AdvisedRule::Ruled& AdvisedRule::Under(const std::string& policy) {
  const auto [known, is_new] = ruled_.try_emplace(policy);
  Ruled& ruled = known->second;
  if (!is_new) return ruled;
  ruled.options = RuledPolicyOf(policy);
  ruled.bits.assign(num_files_, 0);
  if (!ruled.options) return ruled;
  if (ruled.options->level_plan != LevelPlan::kLearned &&
      ruled.options->bits_per_key != kUsualBits) {
    PolicyOptions usual = *ruled.options;
    usual.bits_per_key = kUsualBits;
    ruled.bits = WithOtherBits(Under(ShortText(usual)).bits, ruled.options->bits_per_key);
    return ruled;
  }
  LearnedTrial trial(shape_, learned_files_);
  Teach(&trial);
  const std::vector<double> bits = trial.BitsOnceWritten(*ruled.options);
  for (size_t i = 0; i < files_.size(); ++i) ruled.bits[files_[i]] = bits[i];
  return ruled;
}

std::string AdvisedRule::PolicyFor(const std::string& policy, size_t at, double step) {
  const Ruled& ruled = Under(policy);
  const double bits = ruled.bits[at];
  if (bits == 0) return policy;
  return TextWithBits(*ruled.options, step > 0 ? step * std::round(bits / step) : bits);
}

std::string AdvisedRule::PolicyForMean(const std::string& policy, const std::vector<size_t>& some) {
  const Ruled& ruled = Under(policy);
  double bits = 0;
  size_t known = 0;
  for (const size_t at : some) {
    bits += ruled.bits[at];
    known += ruled.bits[at] > 0 ? 1 : 0;
  }
  return known > 0 ? TextWithBits(*ruled.options, bits / static_cast<double>(known)) : policy;
}

AdvisedLearning::AdvisedLearning(const AdvisedFamily& family, const std::vector<AdvisedFile>& files)
    : AdvisedRule(family, files) {}

void AdvisedLearning::Teach(LearnedTrial* trial) const {
  for (const Lookup& lookup : lookups_) trial->LookUp(lookup.key, lookup.answers);
}

void AdvisedLearning::TakeLookups(const FamilyLookups& lookups) {
  const std::vector<uint32_t> sample = SampleLookups(lookups, files());
  for (const uint32_t lookup : sample) lookups_.push_back({lookups.keys[lookup], {}});
  const auto add = [&](const std::vector<uint32_t>& some, size_t file, bool has_key) {
    for (const uint32_t lookup : some) {
      const auto at = std::lower_bound(sample.begin(), sample.end(), lookup);
      if (at == sample.end() || *at != lookup) continue;
      lookups_[static_cast<size_t>(at - sample.begin())].answers.push_back({file, has_key});
    }
  };
  for (size_t i = 0; i < files().size(); ++i) {
    add(lookups.asks[files()[i]], i, false);
    add(lookups.finds[files()[i]], i, true);
  }
}

std::shared_ptr<AdvisedLearning> AdvisedLearning::Make(const AdvisedFamily& family,
                                                       const std::vector<AdvisedFile>& files,
                                                       const FamilyLookups& lookups,
                                                       std::string* problem) {
  *problem = WhyNotLearned(family, files);
  if (!problem->empty()) return nullptr;
  std::shared_ptr<AdvisedLearning> learning(new AdvisedLearning(family, files));
  learning->TakeLookups(lookups);
  if (learning->learned_from() < LearnedTrial::kMinLookups) {
    *problem = absl::StrCat("it learns from ", LearnedTrial::kMinLookups,
                            " lookups at least, and of the half that it would learn from ",
                            learning->learned_from(), " ask filters");
    return nullptr;
  }
  for (const bool is_to_learn : lookups.is_to_learn) learning->judged_by_ += is_to_learn ? 0 : 1;
  learning->all_to_judged_ = static_cast<double>(lookups.keys.size()) /
                             std::max(1.0, static_cast<double>(learning->judged_by_));
  for (const std::vector<uint32_t>& of_file : lookups.asks) {
    std::vector<uint32_t>& asks = learning->asks_.emplace_back();
    std::copy_if(of_file.begin(), of_file.end(), std::back_inserter(asks),
                 [&](uint32_t lookup) { return !lookups.is_to_learn[lookup]; });
  }
  return learning;
}

}  // namespace winnow::inspect
