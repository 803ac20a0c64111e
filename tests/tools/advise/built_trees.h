// Filters that a policy builds from the keys of a column family's files, for comparison with
// advice: their size, and the lookups of absent keys that pass them.

#ifndef WINNOW_TESTS_TOOLS_ADVISE_BUILT_TREES_H_
#define WINNOW_TESTS_TOOLS_ADVISE_BUILT_TREES_H_

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/policy_trial/learned_trial.h"
#include "src/policy_trial/trial_filter.h"
#include "src/sst/filter_partitions.h"
#include "src/sst/filter_prober.h"
#include "src/sst/internal_keys.h"
#include "src/sst/sst_reader.h"
#include "src/sst/stored_filter.h"
#include "tools/winnow/advise/added_keys.h"
#include "tools/winnow/advise/advice_reading.h"
#include "winnow/hash.h"

namespace winnow::inspect {

// One file's filter by one policy, regardless of the tree.
class BuiltFile {
 public:
  BuiltFile(const AdvisedFile& file, const AdvisedFamily& family, const std::string& policy)
      : comparator_(family.comparator),
        sst_(ReadRawSst(file.path)),
        stored_(file.path, sst_, comparator_),
        blocks_(TrialBlocks(policy, family.shape, file.place, KeysOf(file))) {}

  double bytes() const {
    double bytes = 0;
    for (const std::string& block : blocks_) bytes += static_cast<double>(block.size());
    return bytes;
  }

  bool LetsThrough(const std::string& key) {
    const std::optional<std::string_view> bytes = AskedBytes(stored_.contents(), key);
    if (!bytes || blocks_.empty()) return true;
    const size_t at = stored_.BlockOf(key);
    if (at >= blocks_.size()) return true;
    auto& prober = probers_[at];
    if (prober == nullptr) prober = std::make_unique<FilterProber>(blocks_[at]);
    const AskedKey asked = {*bytes, HashKey(*bytes).value};
    bool answer = false;
    prober->MayContain(&asked, 1, &answer);
    return answer;
  }

 private:
  // Returns the keys of the file's filter, by partition.
  std::vector<std::vector<std::string>> KeysOf(const AdvisedFile& file) {
    std::vector<std::vector<std::string>> all(1);
    std::unique_ptr<InternalKeys> keys;
    EXPECT_TRUE(InternalKeys::Open(file.path, comparator_, &keys).ok());
    if (keys == nullptr) return all;
    AddedKeys added(stored_.contents());
    std::optional<PartitionWalk> walk;
    if (!stored_.partitions().partitions.empty()) walk.emplace(stored_.partitions(), comparator_);
    for (keys->SeekToFirst(); keys->Valid(); keys->Next()) {
      const size_t to = walk ? walk->PartitionOf(keys->key()) : 0;
      if (all.size() <= to) {
        all.resize(to + 1);
        added.Forget();
      }
      const std::string_view key = keys->key().user_key;
      added.Take(key.substr(0, key.size() - comparator_->timestamp_size()),
                 [&](std::string_view bytes) { all.back().emplace_back(bytes); });
    }
    return all;
  }

  const ROCKSDB_NAMESPACE::Comparator* comparator_;
  const RawSst sst_;
  StoredFilter stored_;
  const std::vector<std::string> blocks_;
  std::map<size_t, std::unique_ptr<FilterProber>> probers_;
};

// Returns the factor by which repeated lookups increase the variance of false reads: the mean
// number of repeats over all lookups.
inline double MeanRepeats(const AdviceReading& reading) {
  double asks = 0;
  double squares = 0;
  for (const FamilyLookups& lookups : reading.lookups) {
    for (const std::vector<uint32_t>& of_file : lookups.asks) {
      for (size_t begin = 0, end = 0; begin < of_file.size(); begin = end) {
        while (end < of_file.size() && lookups.keys[of_file[end]] == lookups.keys[of_file[begin]]) {
          ++end;
        }
        const auto repeats = static_cast<double>(end - begin);
        asks += repeats;
        squares += repeats * repeats;
      }
    }
  }
  return asks > 0 ? squares / asks : 1;
}

// Returns the cost of all column families, each with its policy.
inline Cost BuiltCost(const AdviceReading& reading, const std::vector<std::string>& policies) {
  Cost cost;
  for (size_t family = 0; family < reading.families.size(); ++family) {
    const AdvisedFamily& of_family = reading.families[family];
    const std::optional<PolicyOptions> winnow = WinnowPolicyOf(policies[family]);
    for (size_t at = 0; at < of_family.files.size(); ++at) {
      const AdvisedFile& file = reading.FileOf({family, at});
      const double bits = of_family.costs->BitsOf(policies[family], at);
      const std::string policy = !winnow    ? policies[family]
                                 : bits > 0 ? ShortText(WithBits(*winnow, bits))
                                            : "nullptr";
      BuiltFile built(file, of_family, policy);
      cost.bytes += built.bytes();
      const FamilyLookups& lookups = reading.lookups[family];
      for (const uint32_t lookup : lookups.asks[at]) {
        const bool passes =
            IsFilterSkipped(file, of_family.shape) || built.LetsThrough(lookups.keys[lookup]);
        cost.false_reads += passes ? 1 : 0;
      }
    }
  }
  return cost;
}

}  // namespace winnow::inspect

#endif  // WINNOW_TESTS_TOOLS_ADVISE_BUILT_TREES_H_
