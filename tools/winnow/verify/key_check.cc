#include "tools/winnow/verify/key_check.h"

#include <optional>
#include <string_view>
#include <utility>

#include "winnow/hash.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Slice;

constexpr size_t kBatch = 64;
constexpr uint64_t kChecksBetweenReports = 1 << 16;

// Buffer of keys for lookups in one filter block: batched lookups are faster.
class CheckedBatch {
 public:
  CheckedBatch(CheckedFilter* filter, AbsentKeys* absent, KeyCheck* check)
      : filter_(filter), absent_(absent), check_(check) {}

  void Add(size_t block, std::string_view bytes, bool is_prefix) {
    if (block != block_ || count_ == kBatch) {
      Ask();
      block_ = block;
    }
    Waiting& waiting = waiting_[count_++];
    waiting.bytes.assign(bytes);
    waiting.is_prefix = is_prefix;
  }

  void Ask() {
    if (count_ == 0) {
      return;
    }
    AskedKey asked[kBatch];
    bool answers[kBatch];
    for (size_t i = 0; i < count_; ++i) {
      asked[i] = {waiting_[i].bytes, HashKey(waiting_[i].bytes).value};
      absent_->IsPresent(asked[i].hash);
    }
    filter_->blocks[block_].MayContain(asked, count_, answers);
    for (size_t i = 0; i < count_; ++i) {
      if (!answers[i]) {
        Deny(waiting_[i]);
      }
    }
    check_->keys += count_;
    check_->keys_of_blocks[block_] += count_;
    count_ = 0;
  }

 private:
  struct Waiting {
    std::string bytes;
    bool is_prefix = false;
  };

  void Deny(const Waiting& key) {
    ++check_->false_negatives;
    if (check_->denied.size() < kMaxDeniedShown) {
      check_->denied.push_back({key.bytes, key.is_prefix,
                                filter_->partitions != nullptr
                                    ? std::optional<int>(static_cast<int>(block_))
                                    : std::nullopt});
    }
  }

  CheckedFilter* filter_;
  AbsentKeys* absent_;
  KeyCheck* check_;
  Waiting waiting_[kBatch];
  size_t count_ = 0;
  size_t block_ = 0;
};

// Generates the keys and prefixes of entries, without consecutive duplicates in a block.
class CheckedKeys {
 public:
  CheckedKeys(const CheckedFilter& filter, CheckedBatch* batch)
      : contents_(filter.contents), has_next_prefixes_(filter.has_next_prefixes), batch_(batch) {}

  void Add(size_t block, std::string_view key) {
    const bool same_block = block == block_ && any_;
    const bool same_key = any_ && key == last_key_;
    if (same_block && same_key) {
      last_key_repeats_ = true;
      return;
    }
    if (contents_.whole_keys) {
      batch_->Add(block, key, false);
    }
    const std::optional<std::string_view> prefix = PrefixOf(key);
    if (prefix) {
      AddPrefix(block, *prefix, same_block);
    }
    block_ = block;
    last_key_.assign(key);
    last_key_repeats_ = same_key;
    any_ = true;
  }

 private:
  std::optional<std::string_view> PrefixOf(std::string_view key) const {
    const Slice slice(key.data(), key.size());
    if (contents_.prefixes == nullptr || !contents_.prefixes->InDomain(slice)) {
      return std::nullopt;
    }
    const Slice prefix = contents_.prefixes->Transform(slice);
    return std::string_view(prefix.data(), prefix.size());
  }

  void AddPrefix(size_t block, std::string_view prefix, bool same_block) {
    if (same_block && last_prefix_ == prefix) {
      return;
    }
    last_prefix_ = std::string(prefix);
    batch_->Add(block, prefix, true);
    // Skipped if the last key has several versions: they may continue into this partition, so that
    // `prefix` is not the first prefix that was built into the partition.
    if (has_next_prefixes_ && any_ && !same_block && block == block_ + 1 && !last_key_repeats_) {
      batch_->Add(block_, prefix, true);
    }
  }

  const FilterContents& contents_;
  const bool has_next_prefixes_;
  CheckedBatch* batch_;
  bool any_ = false;
  size_t block_ = 0;
  std::string last_key_;
  bool last_key_repeats_ = false;  // the key had several entries
  std::optional<std::string> last_prefix_;
};

// Queries the range filters of blocks with ranges around the keys of their entries.
class CheckedRanges {
 public:
  CheckedRanges(const CheckedFilter& filter, RangeCheck* check) : filter_(filter), check_(check) {}

  void Add(size_t block, std::string_view key) {
    if (filter_.ranges.empty() || filter_.ranges[block].empty() ||
        filter_.ranges[block].fault() != Fault::kNone) {
      return;
    }
    const bool same_block = any_ && block == block_;
    if (same_block && key == std::string_view(behind_).substr(0, behind_.size() - 1)) return;
    std::swap(behind_, behind_last_);
    behind_.assign(key).push_back('\0');
    const core::TableRanges& range = filter_.ranges[block];
    const bool answer =
        range.MayContain(key, behind_) && (!same_block || range.MayContain(behind_last_, behind_));
    ++check_->keys;
    if (!answer) Deny(block, key);
    block_ = block;
    any_ = true;
  }

 private:
  void Deny(size_t block, std::string_view key) {
    if (++check_->false_negatives > kMaxDeniedShown) return;
    check_->denied.push_back({std::string(key), false,
                              filter_.partitions != nullptr
                                  ? std::optional<int>(static_cast<int>(block))
                                  : std::nullopt});
  }

  const CheckedFilter& filter_;
  RangeCheck* check_;
  bool any_ = false;
  size_t block_ = 0;
  std::string behind_;  // smallest key greater than the last one
  std::string behind_last_;
};

// Checks that entries are sorted by user key, with the newest entry of a key first.
class OrderCheck {
 public:
  explicit OrderCheck(const ROCKSDB_NAMESPACE::Comparator* comparator) : comparator_(comparator) {}

  bool InOrder(const InternalKey& key) {
    if (comparator_ == nullptr) {
      return true;
    }
    bool in_order = true;
    if (any_) {
      const int order =
          comparator_->Compare(last_key_, Slice(key.user_key.data(), key.user_key.size()));
      in_order = order < 0 || (order == 0 && last_sequence_ >= key.sequence);
    }
    last_key_.assign(key.user_key);
    last_sequence_ = key.sequence;
    any_ = true;
    return in_order;
  }

 private:
  const ROCKSDB_NAMESPACE::Comparator* comparator_;
  bool any_ = false;
  std::string last_key_;
  uint64_t last_sequence_ = 0;
};

}  // namespace

KeyCheck CheckKeys(InternalKeys* keys, CheckedFilter* filter, AbsentKeys* absent,
                   const std::function<void(const KeyCheck&)>& progress) {
  KeyCheck check;
  check.keys_of_blocks.resize(filter->blocks.size());
  CheckedBatch batch(filter, absent, &check);
  OrderCheck order(filter->comparator);
  CheckedKeys keys_of_entries(*filter, &batch);
  CheckedRanges ranges(*filter, &check.range);
  std::optional<PartitionWalk> walk;
  if (filter->partitions != nullptr) {
    walk.emplace(*filter->partitions, filter->comparator);
  }
  for (keys->SeekToFirst(); keys->Valid(); keys->Next()) {
    if (++check.entries % kChecksBetweenReports == 0) {
      progress(check);
    }
    const InternalKey& key = keys->key();
    if (!order.InOrder(key) && ++check.out_of_order == 1) {
      check.first_out_of_order = key.user_key;
    }
    if (filter->blocks.empty()) {
      continue;
    }
    if (key.user_key.size() < filter->timestamp_bytes) {
      ++check.too_short;
      continue;
    }
    const size_t block = walk ? walk->PartitionOf(key) : 0;
    const std::string_view user_key =
        key.user_key.substr(0, key.user_key.size() - filter->timestamp_bytes);
    keys_of_entries.Add(block, user_key);
    ranges.Add(block, user_key);
  }
  batch.Ask();
  return check;
}

}  // namespace winnow::inspect
