#include "src/sst/filter_blocks.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "src/sst/internal_keys.h"
#include "src/sst/known_comparator.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::SliceTransform;
using ROCKSDB_NAMESPACE::Status;

constexpr uint64_t kKeysBetweenSteps = 4096;

// Adds keys in the order of the file, as table/block_based/full_filter_block.cc and
// partitioned_filter_block.cc do: a partition also has the first prefix of the next one, for a seek
// that ends there, and the last prefix of the one before, for a seek backwards.
class Adder {
 public:
  Adder(const FilterContents& contents, FilterBitsBuilder* builder, FilterToWrite* filter)
      : whole_keys_(contents.whole_keys),
        prefixes_(contents.prefixes.get()),
        builder_(builder),
        filter_(filter) {}

  void Add(const Slice& key) {
    const bool is_in_domain = prefixes_ != nullptr && prefixes_->InDomain(key);
    if (is_new_partition_ && was_in_domain_) builder_->AddKey(last_prefix_);
    is_new_partition_ = false;
    if (whole_keys_ && !(has_key_ && last_key_ == key)) {
      builder_->AddKey(key);
      last_key_.assign(key.data(), key.size());
      has_key_ = true;
    }
    if (is_in_domain) {
      const Slice prefix = prefixes_->Transform(key);
      if (!whole_keys_ || !has_prefix_ || last_prefix_ != prefix) builder_->AddKey(prefix);
      last_prefix_.assign(prefix.data(), prefix.size());
      has_prefix_ = true;
    }
    was_in_domain_ = is_in_domain;
  }

  // Ends a partition; `next` is the first key of the next one, or null.
  absl::Status Finish(const Slice* next) {
    if (next != nullptr && prefixes_ != nullptr && prefixes_->InDomain(*next)) {
      builder_->AddKey(prefixes_->Transform(*next));
    }
    filter_->entries += builder_->EstimateEntriesAdded();
    std::unique_ptr<const char[]> buffer;
    Status status;
    const Slice block = builder_->Finish(&buffer, &status);
    if (status.ok()) status = builder_->MaybePostVerify(block);
    if (!status.ok()) {
      return absl::InternalError(absl::StrCat("its filter can't be built: ", status.ToString()));
    }
    filter_->blocks.push_back(block.ToString());
    is_new_partition_ = true;
    has_key_ = has_prefix_ = false;
    return absl::OkStatus();
  }

 private:
  const bool whole_keys_;
  const SliceTransform* const prefixes_;
  FilterBitsBuilder* const builder_;
  FilterToWrite* const filter_;
  std::string last_key_;
  std::string last_prefix_;
  bool has_key_ = false;  // last_key_ and last_prefix_ are in this partition
  bool has_prefix_ = false;
  bool was_in_domain_ = false;
  bool is_new_partition_ = false;
};

}  // namespace

absl::Status BuildFilterBlocks(const std::string& path, const TableTail& tail,
                               const ROCKSDB_NAMESPACE::Comparator* of_family,
                               const FilterContents& contents, FilterBitsBuilder* builder,
                               absl::FunctionRef<bool(uint64_t)> read_bytes,
                               FilterToWrite* filter) {
  std::unique_ptr<InternalKeys> keys;
  if (const Status status = InternalKeys::Open(path, of_family, &keys); !status.ok()) {
    return absl::DataLossError(absl::StrCat("it can't be read: ", status.ToString()));
  }
  // Keys of a file may lack the timestamps that the family's comparator has.
  const ROCKSDB_NAMESPACE::Comparator* const comparator = ComparatorOfKeys(keys->properties());
  if (comparator == nullptr) return absl::UnimplementedError("its comparator is not known");
  const size_t timestamp_bytes = comparator->timestamp_size();
  FilterPartitions partitions;
  if (tail.has_partitions()) partitions = ReadFilterPartitions(path, keys->properties());
  if (!partitions.problem.empty()) return absl::DataLossError(partitions.problem);
  std::optional<PartitionWalk> walk;
  if (tail.has_partitions()) walk.emplace(partitions, comparator);
  uint64_t bytes_left = tail.Number("rocksdb.data.size");
  const uint64_t bytes_a_step = bytes_left / (tail.keys() / kKeysBetweenSteps + 1);
  Adder adder(contents, builder, filter);
  uint64_t seen = 0;
  for (keys->SeekToFirst(); keys->Valid(); keys->Next()) {
    if (++seen % kKeysBetweenSteps == 0) {
      bytes_left -= std::min(bytes_left, bytes_a_step);
      if (!read_bytes(bytes_a_step)) return absl::CancelledError("interrupted");
    }
    const InternalKey& key = keys->key();
    if (key.user_key.size() < timestamp_bytes) {
      return absl::DataLossError("it has a key that is shorter than its timestamp");
    }
    const Slice user_key(key.user_key.data(), key.user_key.size() - timestamp_bytes);
    const size_t partition = walk ? walk->PartitionOf(key) : 0;
    while (filter->blocks.size() < partition) {
      if (const absl::Status done = adder.Finish(&user_key); !done.ok()) return done;
    }
    adder.Add(user_key);
  }
  if (!keys->status().ok()) {
    return absl::DataLossError(absl::StrCat("it can't be read: ", keys->status().ToString()));
  }
  if (seen < tail.keys()) {
    return absl::DataLossError(
        absl::StrCat("it has ", seen, " entries, but its properties say ", tail.keys()));
  }
  if (!read_bytes(bytes_left)) return absl::CancelledError("interrupted");
  filter->partitions = std::move(partitions.partitions);
  const size_t blocks = seen == 0 ? 0 : std::max<size_t>(filter->partitions.size(), 1);
  while (filter->blocks.size() < blocks) {
    if (const absl::Status done = adder.Finish(nullptr); !done.ok()) return done;
  }
  return absl::OkStatus();
}

}  // namespace winnow::inspect
