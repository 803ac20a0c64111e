#include "tools/winnow/advise/advice_trials.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/comparator.h>
#include <rocksdb/slice.h>

#include <algorithm>
#include <map>
#include <memory>

#include "src/sst/filter_contents.h"
#include "src/sst/filter_partitions.h"
#include "src/sst/filter_prober.h"
#include "src/sst/internal_keys.h"
#include "src/sst/known_comparator.h"
#include "src/sst/sst_reader.h"
#include "src/sst/stored_filter.h"
#include "winnow/hash.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

constexpr uint64_t kNewestSequence = (uint64_t{1} << 56) - 1;
constexpr uint64_t kEntriesBetweenBeats = 1 << 16;

// Keys on their way to all filters: many at once, so that the clock is read rarely.
class AddedBatch {
 public:
  explicit AddedBatch(std::vector<TrialFilter>* filters) : filters_(*filters) {}

  void Add(std::string_view key) {
    ends_.push_back(bytes_.append(key).size());
    if (ends_.size() == kMaxBatch) {
      Pass();
    }
  }

  void Pass() {
    slices_.clear();
    size_t begin = 0;
    for (const size_t end : ends_) {
      slices_.emplace_back(bytes_.data() + begin, end - begin);
      begin = end;
    }
    for (TrialFilter& filter : filters_) {
      filter.Add(slices_.data(), slices_.size());
    }
    keys_ += ends_.size();
    ends_.clear();
    bytes_.clear();
  }

  uint64_t keys() const { return keys_; }

 private:
  static constexpr size_t kMaxBatch = 2048;

  std::vector<TrialFilter>& filters_;
  std::string bytes_;
  std::vector<size_t> ends_;
  std::vector<Slice> slices_;
  uint64_t keys_ = 0;
};

// What RocksDB adds to a filter for each entry: the key, and its prefix, but for what the last
// entry had already.
class AddedKeys {
 public:
  AddedKeys(const FilterContents& contents, AddedBatch* batch)
      : contents_(contents), batch_(batch) {}

  void Add(std::string_view key) {
    if (any_ && key == last_key_) {
      return;
    }
    if (contents_.whole_keys) {
      batch_->Add(key);
    }
    const Slice slice(key.data(), key.size());
    if (contents_.prefixes != nullptr && contents_.prefixes->InDomain(slice)) {
      const Slice prefix = contents_.prefixes->Transform(slice);
      if (!any_prefix_ || last_prefix_ != prefix.ToStringView()) {
        batch_->Add(prefix.ToStringView());
        last_prefix_.assign(prefix.data(), prefix.size());
        any_prefix_ = true;
      }
    }
    last_key_.assign(key);
    any_ = true;
  }

  // The next key is the first of a partition.
  void Forget() {
    any_ = false;
    any_prefix_ = false;
  }

 private:
  const FilterContents& contents_;
  AddedBatch* batch_;
  bool any_ = false;
  bool any_prefix_ = false;
  std::string last_key_;
  std::string last_prefix_;
};

// Lookups, by the block of a filter that each asks.
struct Asks {
  std::vector<std::vector<AskedKey>> of_blocks;
  uint64_t without_filter = 0;  // that have nothing to ask for
};

Asks SortAsks(const std::vector<std::string>& keys, const std::vector<uint32_t>& asks,
              const StoredFilter& filter, const Comparator* comparator) {
  const FilterPartitions& partitions = filter.partitions();
  Asks sorted;
  sorted.of_blocks.resize(std::max<size_t>(partitions.partitions.size(), 1));
  for (const uint32_t ask : asks) {
    const std::optional<std::string_view> bytes = AskedBytes(filter.contents(), keys[ask]);
    if (!bytes) {
      ++sorted.without_filter;
      continue;
    }
    const size_t block =
        partitions.partitions.empty()
            ? 0
            : FindPartition(partitions, comparator,
                            {SoughtKey(keys[ask], comparator), kNewestSequence, 255});
    sorted.of_blocks[block].push_back({*bytes, HashKey(*bytes).value});
  }
  return sorted;
}

uint64_t LetThrough(const Asks& asks, const TrialFilter& filter) {
  uint64_t through = asks.without_filter;
  for (size_t block = 0; block < asks.of_blocks.size(); ++block) {
    const std::vector<AskedKey>& keys = asks.of_blocks[block];
    if (filter.IsNone() || block >= filter.blocks().size()) {
      through += keys.size();
      continue;
    }
    const auto answers = std::make_unique<bool[]>(keys.size());
    FilterProber(filter.blocks()[block]).MayContain(keys.data(), keys.size(), answers.get());
    through += static_cast<uint64_t>(std::count(answers.get(), answers.get() + keys.size(), true));
  }
  return through;
}

void FinishAll(AddedBatch* batch, std::vector<TrialFilter>* filters) {
  batch->Pass();
  for (TrialFilter& filter : *filters) {
    filter.Finish();
  }
}

// Returns how many keys were added.
uint64_t BuildAll(InternalKeys* keys, const StoredFilter& stored, const Comparator* comparator,
                  const std::function<void(double share)>& progress,
                  std::vector<TrialFilter>* filters) {
  AddedBatch batch(filters);
  AddedKeys added_keys(stored.contents(), &batch);
  const FilterPartitions& partitions = stored.partitions();
  std::optional<PartitionWalk> walk;
  if (!partitions.partitions.empty()) {
    walk.emplace(partitions, comparator);
  }
  const double all = std::max(1.0, static_cast<double>(keys->properties().num_entries));
  uint64_t entries = 0;
  size_t block = 0;
  for (keys->SeekToFirst(); keys->Valid(); keys->Next()) {
    if (++entries % kEntriesBetweenBeats == 0 && progress) {
      progress(std::min(1.0, static_cast<double>(entries) / all));
    }
    const InternalKey& key = keys->key();
    for (const size_t to = walk ? walk->PartitionOf(key) : 0; block < to; ++block) {
      FinishAll(&batch, filters);
      added_keys.Forget();
    }
    const size_t timestamp = std::min(comparator->timestamp_size(), key.user_key.size());
    added_keys.Add(key.user_key.substr(0, key.user_key.size() - timestamp));
  }
  FinishAll(&batch, filters);
  return batch.keys();
}

constexpr int kRounds = 5;
constexpr uint64_t kMaxKeys = 100'000;  // of a filter: more take no longer a key
constexpr uint64_t kKeysARound = 30'000;
constexpr size_t kKeyBytes = 20;

double TimeOnce(const TimedBuild& build, const std::vector<ROCKSDB_NAMESPACE::Slice>& keys) {
  const uint64_t n = std::clamp<uint64_t>(build.keys, 1, kMaxKeys);
  uint64_t nanoseconds = 0;
  uint64_t built = 0;
  while (built < kKeysARound) {
    TrialFilter filter(build.policy, build.shape, build.place);
    if (filter.IsNone()) {
      return 0;
    }
    filter.Add(keys.data(), n);
    filter.Finish();
    nanoseconds += filter.nanoseconds();
    built += n;
  }
  return static_cast<double>(nanoseconds) / static_cast<double>(built);
}

}  // namespace

FileTrial TryPolicies(const AdvisedFile& file, const TreeShape& shape,
                      const std::vector<TriedPolicy>& policies,
                      const std::vector<std::string>& keys,
                      const std::function<void(double share)>& progress) {
  FileTrial trial;
  const RawSst sst = ReadRawSst(file.path);
  if (sst.error) {
    trial.error = *sst.error;
    return trial;
  }
  const Comparator* comparator = FindComparator(file.comparator);
  std::unique_ptr<InternalKeys> entries;
  const Status status = InternalKeys::Open(file.path, comparator, &entries);
  if (!status.ok()) {
    trial.error = absl::StrCat("its keys can't be read: ", status.ToString());
    return trial;
  }
  const StoredFilter stored(file.path, sst, comparator);
  std::vector<TrialFilter> filters;
  for (const TriedPolicy& tried : policies) {
    filters.emplace_back(tried.policy == "nullptr" ? std::string() : tried.policy, shape,
                         file.place);
  }
  trial.keys = BuildAll(entries.get(), stored, comparator, progress, &filters);
  if (!entries->status().ok()) {
    trial.error = absl::StrCat("its keys can't be read: ", entries->status().ToString());
    return trial;
  }
  std::map<const std::vector<uint32_t>*, Asks> sorted;  // most policies share them
  for (size_t i = 0; i < filters.size(); ++i) {
    const auto [asks, is_new] = sorted.try_emplace(policies[i].asks);
    if (is_new) asks->second = SortAsks(keys, *policies[i].asks, stored, comparator);
    PolicyCost cost;
    for (const std::string& block : filters[i].blocks()) {
      cost.bytes += block.size();
    }
    cost.false_reads = IsFilterSkipped(file, shape) ? policies[i].asks->size()
                                                    : LetThrough(asks->second, filters[i]);
    trial.policies.push_back(cost);
  }
  return trial;
}

std::vector<double> NanosecondsAKey(const std::vector<TimedBuild>& builds) {
  std::string bytes(kMaxKeys * kKeyBytes, '0');
  std::vector<ROCKSDB_NAMESPACE::Slice> keys;
  for (uint64_t i = 0; i < kMaxKeys; ++i) {
    char* key = bytes.data() + i * kKeyBytes;
    for (uint64_t rest = i, digit = kKeyBytes; rest > 0; rest /= 10) {
      key[--digit] = static_cast<char>('0' + rest % 10);
    }
    keys.emplace_back(key, kKeyBytes);
  }
  std::vector<double> least(builds.size());
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < builds.size(); ++i) {
      const double time = TimeOnce(builds[i], keys);
      least[i] = round == 0 ? time : std::min(least[i], time);
    }
  }
  return least;
}

}  // namespace winnow::inspect
