#include "src/sst/stored_filter.h"

#include <rocksdb/slice.h>

#include <algorithm>

#include "src/core/ranges/range_note.h"
#include "winnow/hash.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

constexpr uint64_t kNewestSequence = (uint64_t{1} << 56) - 1;

Slice SliceOf(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

bool Ask(FilterProber* prober, const AskedKey& key) {
  bool answer = true;
  prober->MayContain(&key, 1, &answer);
  return answer;
}

}  // namespace

Status ReadRange(InternalKeys* keys, StoredRange* range) {
  keys->SeekToFirst();
  range->empty = !keys->Valid() && keys->status().ok();
  if (keys->Valid()) {
    range->first = std::string(keys->key().user_key);
    keys->SeekToLast();
    range->last = keys->Valid() ? std::string(keys->key().user_key) : std::string();
  }
  range->known = keys->status().ok();
  return keys->status();
}

bool IsWithin(const StoredRange& range, const Comparator* comparator, std::string_view key) {
  return !range.empty &&
         (comparator == nullptr || !range.known ||
          (comparator->CompareWithoutTimestamp(SliceOf(key), false, range.first, true) >= 0 &&
           comparator->CompareWithoutTimestamp(SliceOf(key), false, range.last, true) <= 0));
}

std::string SoughtKey(std::string_view key, const Comparator* comparator) {
  std::string sought(key);
  return sought.append(comparator == nullptr ? 0 : comparator->timestamp_size(), '\xff');
}

std::optional<std::string_view> AskedBytes(const FilterContents& contents, std::string_view key) {
  if (contents.whole_keys) {
    return key;
  }
  if (contents.prefixes == nullptr || !contents.prefixes->InDomain(SliceOf(key))) {
    return std::nullopt;
  }
  const Slice prefix = contents.prefixes->Transform(SliceOf(key));
  return std::string_view(prefix.data(), prefix.size());
}

std::optional<std::string_view> AskedPrefix(const ROCKSDB_NAMESPACE::SliceTransform& extractor,
                                            std::string_view begin, std::string_view end) {
  const Slice bound = SliceOf(end);
  if (!extractor.InDomain(SliceOf(begin)) || !extractor.InDomain(bound)) return std::nullopt;
  const Slice prefix = extractor.Transform(SliceOf(begin));
  size_t full_length = 0;
  const bool is_asked =
      prefix == extractor.Transform(bound) ||
      (extractor.FullLengthEnabled(&full_length) && end.size() == full_length &&
       ROCKSDB_NAMESPACE::BytewiseComparator()->IsSameLengthImmediateSuccessor(prefix, bound));
  if (!is_asked) return std::nullopt;
  return std::string_view(prefix.data(), prefix.size());
}

StoredFilter::StoredFilter(const std::string& path, const RawSst& sst, const Comparator* comparator)
    : comparator_(comparator), contents_(ContentsOf(*sst.properties)) {
  for (const std::string& block : sst.blocks) {
    probers_.emplace_back(block);
    ranges_.emplace_back(block);
  }
  if (sst.partitioned && comparator != nullptr) {
    partitions_ = PartitionsOfBlocks(path, sst);
  }
}

std::optional<bool> StoredFilter::MayContain(std::string_view key, uint64_t hash) {
  const std::optional<std::string_view> bytes = AskedBytes(contents_, key);
  if (!bytes || probers_.empty() || !partitions_.problem.empty()) {
    return std::nullopt;
  }
  return AskBlocks(key, *bytes, contents_.whole_keys ? hash : HashKey(*bytes).value);
}

bool StoredFilter::AskBlocks(std::string_view key, std::string_view bytes, uint64_t hash) {
  const AskedKey asked = {bytes, hash};
  if (probers_.size() > 1 && partitions_.partitions.empty()) {
    return std::any_of(probers_.begin(), probers_.end(),
                       [&asked](FilterProber& prober) { return Ask(&prober, asked); });
  }
  return Ask(&probers_[BlockOf(key)], asked);
}

std::optional<bool> StoredFilter::MayContainRange(std::string_view begin,
                                                  std::string_view end) const {
  const bool is_bytewise =
      comparator_ != nullptr &&
      std::string_view(comparator_->Name()) == ROCKSDB_NAMESPACE::BytewiseComparator()->Name();
  if (!is_bytewise || ranges_.empty() || !partitions_.problem.empty()) return std::nullopt;
  const core::TableRanges& range = ranges_[BlockOf(begin)];
  if (range.empty() || range.fault() != Fault::kNone) return std::nullopt;
  return range.MayContain(begin, end);
}

std::optional<bool> StoredFilter::MayContainPrefix(std::string_view begin, std::string_view end) {
  if (contents_.prefixes == nullptr || probers_.empty() || !partitions_.problem.empty()) {
    return std::nullopt;
  }
  const std::optional<std::string_view> prefix = AskedPrefix(*contents_.prefixes, begin, end);
  if (!prefix) return std::nullopt;
  return AskBlocks(begin, *prefix, HashKey(*prefix).value);
}

size_t StoredFilter::BlockOf(std::string_view key) const {
  if (partitions_.partitions.empty()) return 0;
  const std::string sought = SoughtKey(key, comparator_);
  return FindPartition(partitions_, comparator_, {sought, kNewestSequence, 255});
}

}  // namespace winnow::inspect
