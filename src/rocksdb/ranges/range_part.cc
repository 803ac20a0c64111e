#include "src/rocksdb/ranges/range_part.h"

#include <string>
#include <string_view>
#include <utility>

#include "src/rocksdb/messages/info_log.h"
#include "src/rocksdb/ranges/range_extractor.h"
#include "src/rocksdb/ranges/transformed_keys.h"

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::Slice;

RangePart::RangePart(const core::TableRangePlan& plan, bool has_whole_keys,
                     ROCKSDB_NAMESPACE::Logger* logger, RangeKind kind,
                     std::shared_ptr<AskedRanges> asked) noexcept
    : has_whole_keys_(has_whole_keys),
      logger_(logger),
      kind_(kind),
      asked_(std::move(asked)),
      is_measuring_(plan.asked != nullptr),
      builder_(plan) {}

RangePart::~RangePart() {
  if (asked_ == nullptr || !is_measuring_ || !has_entries_) return;
  try {
    const std::string sentence = asked_->Measured(denied_);
    if (sentence.empty() || logger_ == nullptr) return;
    ROCKSDB_NAMESPACE::Log(ROCKSDB_NAMESPACE::InfoLogLevel::INFO_LEVEL, logger_, "[winnow] %s",
                           sentence.c_str());
  } catch (...) {
    // The LOG line is best-effort.
  }
}

void RangePart::AddEntry(const Slice& entry) noexcept {
  if (entry.empty()) {
    AddWithoutBytes(entry.data());
  } else if (has_whole_keys_) {
    AddKey(entry);
  } else {
    GiveUp(Lack::kExtractor);  // RangeExtractor's prefixes are always empty
  }
  has_entries_ = true;
}

void RangePart::AddKeyAndPrefix(const Slice& key, const Slice& prefix) noexcept {
  AddEntry(key);
  AddEntry(prefix);
}

void RangePart::AddKey(const Slice& key) noexcept {
  if (lack_ != Lack::kNone) return;
  has_keys_ = true;
  builder_.Add(std::string_view(key.data(), key.size()));
  num_keys_.store(builder_.num_keys(), std::memory_order_relaxed);
  // Keys of a family with another extractor are not kept to the end.
  if (!has_our_prefixes_ && num_keys() == kKeysToWaitForAPrefix) GiveUp(Lack::kExtractor);
}

void RangePart::AddWithoutBytes(const char* address) noexcept {
  const TransformedKey transformed = FindTransformedKey(address);
  if (transformed.origin == TransformedKey::Origin::kElsewhere) {
    if (!has_entries_) GiveUp(Lack::kEmptyKey);
    return;
  }
  has_our_prefixes_ = true;
  if (has_whole_keys_) return;  // RocksDB also adds the key itself
  if (transformed.origin == TransformedKey::Origin::kForgotten) {
    GiveUp(Lack::kLostKey);
  } else if (transformed.key.empty()) {
    GiveUp(Lack::kEmptyKey);
  } else {
    AddKey(transformed.key);
  }
}

void RangePart::GiveUp(Lack why) noexcept {
  if (lack_ == Lack::kNone) lack_ = why;
  builder_.Abandon();
  num_keys_.store(0, std::memory_order_relaxed);
}

std::vector<core::TableRange> RangePart::Finish() noexcept {
  std::vector<core::TableRange> ranges;
  if (has_keys_ && !has_our_prefixes_) GiveUp(Lack::kExtractor);
  if (lack_ == Lack::kNone && has_keys_) {
    ranges = builder_.Finish();
    if (ranges.empty()) lack_ = Lack::kKeys;
    denied_.by_positions += builder_.denied().by_positions;
    denied_.by_trees += builder_.denied().by_trees;
  }
  Say(lack_, logger_);
  if (lack_ == Lack::kNone) builder_.Clear();
  has_keys_ = false;
  num_keys_.store(0, std::memory_order_relaxed);
  return ranges;
}

void RangePart::SayNotSingle(const char* why, ROCKSDB_NAMESPACE::Logger* logger) noexcept {
  try {
    WarnOnceInLog(
        logger, std::string("range_kind=single: a file or more has a filter of keys, too: ") + why);
  } catch (...) {
    // The LOG line is best-effort.
  }
}

void RangePart::Say(Lack lack, ROCKSDB_NAMESPACE::Logger* logger) noexcept {
  const char* why = nullptr;
  switch (lack) {
    case Lack::kNone:
      return;
    case Lack::kExtractor:
      why = "the column family does not have prefix_extractor=winnow.range";
      break;
    case Lack::kKeys:
      why =
          "its keys cannot have one: a key of more than 4096 bytes, keys that do not ascend byte "
          "by byte, or too many bits per key";
      break;
    case Lack::kEmptyKey:
      why = "it has the empty key";
      break;
    case Lack::kLostKey:
      why = "memory was short, or keys were added to the filter by another thread than read them";
      break;
    case Lack::kMemory:
      why =
          "filter_memory has room for filters of single keys alone; raise it, or take less "
          "range_bits";
      break;
  }
  try {
    WarnOnceInLog(logger, std::string("range_bits: a file or more has no range filter: ") + why);
  } catch (...) {
    // The LOG line is best-effort.
  }
}

}  // namespace winnow::plugin
