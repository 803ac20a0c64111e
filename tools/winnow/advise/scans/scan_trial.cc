#include "tools/winnow/advise/scans/scan_trial.h"

#include <rocksdb/comparator.h>
#include <rocksdb/slice.h>
#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <string_view>
#include <utility>

#include "src/core/ranges/range_note.h"
#include "src/core/ranges/table_range_builder.h"
#include "src/sst/filter_contents.h"
#include "src/sst/filter_partitions.h"
#include "src/sst/internal_keys.h"
#include "src/sst/sst_reader.h"
#include "src/sst/stored_filter.h"

namespace winnow::inspect {
namespace {

constexpr uint64_t kEntriesBetweenScanBeats = 1 << 16;

// Range filters of one kind for a file, one per filter partition.
class TriedRanges {
 public:
  TriedRanges(core::RangeKinds kind, double range_bits)
      : builder_(core::TableRangePlan{kind, range_bits, nullptr}) {}

  void Add(std::string_view key) {
    if (key.empty()) builder_.Abandon();  // the policy builds no range filter for an empty key
    builder_.Add(key);
  }

  void FinishBlock() {
    blocks_.push_back(builder_.Finish());
    views_.push_back(core::ViewsOf(blocks_.back()));
  }

  uint64_t bytes() const {
    uint64_t bytes = 0;
    for (const core::TableRanges& views : views_) bytes += views.size_bytes();
    return bytes;
  }

  bool Denies(size_t block, const RecordedScan& scan) const {
    return block < views_.size() && !views_[block].MayContain(scan.begin, scan.end);
  }

 private:
  core::TableRangeBuilder builder_;
  std::vector<std::vector<core::TableRange>> blocks_;
  std::vector<core::TableRanges> views_;  // views of the filters in `blocks_`
};

// The prefixes that a filter of the file would have.
class TriedPrefixes {
 public:
  explicit TriedPrefixes(const std::string& extractor) : extractor_(ExtractorOf(extractor)) {}

  void Add(std::string_view key) {
    const std::optional<std::string_view> prefix = PrefixOf(key);
    if (!prefix || prefix == last_) return;
    last_ = *prefix;
    ++count_;
  }

  uint64_t count() const { return count_; }

  // Returns true if no key has the scan's prefix. All keys before the scan's begin must have been
  // added; `next` is the first key from there on, if any.
  bool Denies(const RecordedScan& scan, std::optional<std::string_view> next) const {
    if (extractor_ == nullptr) return false;
    const auto asked = AskedPrefix(*extractor_, scan.begin, scan.end);
    return asked && asked != last_ && !(next && PrefixOf(*next) == asked);
  }

 private:
  std::optional<std::string_view> PrefixOf(std::string_view key) const {
    const ROCKSDB_NAMESPACE::Slice bytes(key.data(), key.size());
    if (extractor_ == nullptr || !extractor_->InDomain(bytes)) return std::nullopt;
    const ROCKSDB_NAMESPACE::Slice prefix = extractor_->Transform(bytes);
    return std::string_view(prefix.data(), prefix.size());
  }

  std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> extractor_;
  std::optional<std::string> last_;
  uint64_t count_ = 0;
};

class RangeAsking {
 public:
  RangeAsking(StoredFilter* filter, InternalKeys* keys, const TriedFilters& tried,
              const std::function<void(double share)>& progress)
      : filter_(*filter), keys_(*keys), progress_(progress) {
    for (const double bits : tried.range_bits) {
      ranges_.emplace_back(core::RangeKinds::kPositions, bits);
      ranges_.emplace_back(core::RangeKinds::kTrees, bits);
    }
    for (const std::string& extractor : tried.extractors) prefixes_.emplace_back(extractor);
    tries_ = !ranges_.empty();
    const auto& in_file = filter_.contents().prefixes;
    const auto now = ExtractorOf(tried.extractor_now);
    asks_prefixes_ = now != nullptr && in_file != nullptr && in_file->AsString() == now->AsString();
    const FilterPartitions& partitions = filter_.partitions();
    if (tries_ && !partitions.partitions.empty()) {
      walk_.emplace(partitions, ROCKSDB_NAMESPACE::BytewiseComparator());
    }
    if (tries_) keys_.SeekToFirst();
  }

  FileScans Ask(const std::vector<RecordedScan>& scans, const AskedRange& range) && {
    FileScans file;
    for (size_t i = range.begin; i < range.end; ++i) {
      const RecordedScan& scan = scans[i];
      MoveTo(scan.begin);
      if (tries_) open_.push({scan.end, i - range.begin, deletions_});
      std::optional<std::string_view> next;
      if (keys_.Valid()) next = keys_.key().user_key;
      unsigned answer = next && *next < scan.end ? kHasKey : 0;
      if (Denies(scan)) answer |= kNowDenies;
      for (size_t j = 0; j < prefixes_.size(); ++j) {
        if (prefixes_[j].Denies(scan, next)) answer |= kDenies << (ranges_.size() + j);
      }
      file.answers.push_back(static_cast<uint16_t>(answer));
    }
    if (tries_) {
      while (keys_.Valid()) AddAndMove();
      EndScans(std::nullopt);
      FinishBlock();
    }
    if (!keys_.status().ok()) {
      file.error = CantReadKeys(keys_.status());
      return file;
    }
    for (size_t i = range.begin; i < range.end; ++i) {
      const size_t block = filter_.BlockOf(scans[i].begin);
      unsigned denies = 0;
      for (size_t j = 0; j < ranges_.size(); ++j) {
        if (ranges_[j].Denies(block, scans[i])) denies |= kDenies << j;
      }
      file.answers[i - range.begin] |= static_cast<uint16_t>(denies);
    }
    for (const size_t scan : crossing_) file.answers[scan] |= kCrossesDeletions;
    for (const TriedRanges& ranges : ranges_) file.sizes.push_back(ranges.bytes());
    for (const TriedPrefixes& prefixes : prefixes_) file.sizes.push_back(prefixes.count());
    file.keys = distinct_;
    return file;
  }

 private:
  // Moves to the first key that is not less than `key`; adds the keys before it to the tried
  // filters.
  void MoveTo(const std::string& key) {
    const auto is_there = [&] { return keys_.Valid() && keys_.key().user_key >= key; };
    if (tries_) {
      while (keys_.Valid() && !is_there()) AddAndMove();
    } else if (!is_there()) {
      keys_.Seek(key);
    }
  }

  void AddAndMove() {
    if (++entries_ % kEntriesBetweenScanBeats == 0 && progress_) {
      const auto all = static_cast<double>(std::max<uint64_t>(keys_.properties().num_entries, 1));
      progress_(std::min(1.0, static_cast<double>(entries_) / all));
    }
    const InternalKey& key = keys_.key();
    for (const size_t to = walk_ ? walk_->PartitionOf(key) : 0; block_ < to; ++block_) {
      FinishBlock();
    }
    EndScans(key.user_key);
    deletions_ += IsDeletion(key.type) ? 1 : 0;
    for (TriedRanges& ranges : ranges_) ranges.Add(key.user_key);
    for (TriedPrefixes& prefixes : prefixes_) prefixes.Add(key.user_key);
    if (last_key_ != key.user_key) {
      last_key_ = key.user_key;
      ++distinct_;
    }
    keys_.Next();
  }

  // Ends the scans whose bound is at or before this key, or all scans if there is no key.
  void EndScans(std::optional<std::string_view> key) {
    for (; !open_.empty() && (!key || open_.top().end <= *key); open_.pop()) {
      if (deletions_ - open_.top().deletions > kManyDeletions) {
        crossing_.push_back(open_.top().scan);
      }
    }
  }

  void FinishBlock() {
    for (TriedRanges& ranges : ranges_) ranges.FinishBlock();
  }

  bool Denies(const RecordedScan& scan) {
    return !filter_.MayContainRange(scan.begin, scan.end).value_or(true) ||
           (asks_prefixes_ && !filter_.MayContainPrefix(scan.begin, scan.end).value_or(true));
  }

  // A scan whose bound has not been reached.
  struct OpenScan {
    std::string_view end;
    size_t scan;         // index of its answer
    uint64_t deletions;  // number of deletions in the file before its begin

    bool operator>(const OpenScan& other) const { return end > other.end; }
  };

  StoredFilter& filter_;
  InternalKeys& keys_;
  const std::function<void(double share)>& progress_;
  std::vector<TriedRanges> ranges_;
  std::vector<TriedPrefixes> prefixes_;
  bool tries_ = false;
  bool asks_prefixes_ = false;
  std::optional<std::string> last_key_;
  uint64_t distinct_ = 0;
  std::optional<PartitionWalk> walk_;
  size_t block_ = 0;
  uint64_t entries_ = 0;
  uint64_t deletions_ = 0;
  std::priority_queue<OpenScan, std::vector<OpenScan>, std::greater<>> open_;
  std::vector<size_t> crossing_;
};

}  // namespace

FileScans AskScans(const std::string& path, const std::vector<RecordedScan>& scans,
                   const AskedRange& range, const TriedFilters& tried,
                   const std::function<void(double share)>& progress) {
  FileScans file;
  const RawSst sst = ReadRawSst(path);
  if (sst.error) {
    file.error = *sst.error;
    return file;
  }
  const ROCKSDB_NAMESPACE::Comparator* const bytewise = ROCKSDB_NAMESPACE::BytewiseComparator();
  std::unique_ptr<InternalKeys> keys;
  const ROCKSDB_NAMESPACE::Status status = InternalKeys::Open(path, bytewise, &keys);
  if (!status.ok()) {
    file.error = CantReadKeys(status);
    return file;
  }
  StoredFilter filter(path, sst, bytewise);
  return RangeAsking(&filter, keys.get(), tried, progress).Ask(scans, range);
}

}  // namespace winnow::inspect
