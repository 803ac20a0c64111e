#include "tools/winnow/advise/scans/scan_trial.h"

#include <rocksdb/comparator.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <string_view>
#include <utility>

#include "src/sst/filter_partitions.h"
#include "src/sst/internal_keys.h"
#include "src/sst/sst_reader.h"
#include "src/sst/stored_filter.h"
#include "winnow/range_filter.h"

namespace winnow::inspect {
namespace {

constexpr uint64_t kEntriesBetweenScanBeats = 1 << 16;

// The range filters of one range_bits: of the file, or of its partitions.
class Step {
 public:
  explicit Step(double range_bits) : builder_(RangeFilterOptions{range_bits}) {}

  void Add(std::string_view key) {
    if (key.empty()) builder_.Abandon();  // as the policy does
    builder_.Add(key);
  }

  void FinishBlock() { blocks_.push_back(builder_.Finish()); }

  uint64_t bytes() const {
    uint64_t bytes = 0;
    for (const FilterBlock& block : blocks_) bytes += block.size;
    return bytes;
  }

  bool Denies(size_t block, const RecordedScan& scan) const {
    if (block >= blocks_.size() || blocks_[block].size == 0) return false;
    return !RangeFilterView(blocks_[block].bytes()).MayContain(scan.begin, scan.end);
  }

 private:
  RangeFilterBuilder builder_;
  std::vector<FilterBlock> blocks_;
};

class RangeAsking {
 public:
  RangeAsking(const StoredFilter& filter, InternalKeys* keys, const std::vector<double>& range_bits,
              const std::function<void(double share)>& progress)
      : filter_(filter), keys_(*keys), progress_(progress) {
    for (const double bits : range_bits) steps_.emplace_back(bits);
    const FilterPartitions& partitions = filter.partitions();
    if (!steps_.empty() && !partitions.partitions.empty()) {
      walk_.emplace(partitions, ROCKSDB_NAMESPACE::BytewiseComparator());
    }
    if (!steps_.empty()) keys_.SeekToFirst();
  }

  FileScans Ask(const std::vector<RecordedScan>& scans, const AskedRange& range) && {
    FileScans file;
    for (size_t i = range.begin; i < range.end; ++i) {
      MoveTo(scans[i].begin);
      if (!steps_.empty()) open_.push({scans[i].end, i - range.begin, deletions_});
      uint8_t answer = keys_.Valid() && keys_.key().user_key < scans[i].end ? kHasKey : 0;
      if (!filter_.MayContainRange(scans[i].begin, scans[i].end).value_or(true)) {
        answer |= kNowDenies;
      }
      file.answers.push_back(static_cast<char>(answer));
    }
    if (!steps_.empty()) {
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
      char& answer = file.answers[i - range.begin];
      for (size_t step = 0; step < steps_.size(); ++step) {
        if (steps_[step].Denies(block, scans[i])) {
          answer = static_cast<char>(answer | kStepDenies << step);
        }
      }
    }
    for (const size_t scan : crossing_) {
      file.answers[scan] = static_cast<char>(file.answers[scan] | kCrossesDeletions);
    }
    for (const Step& step : steps_) file.bytes.push_back(step.bytes());
    return file;
  }

 private:
  // To the first key that is not less; keys on the way are added to the range filters.
  void MoveTo(const std::string& key) {
    const auto is_there = [&] { return keys_.Valid() && keys_.key().user_key >= key; };
    if (!steps_.empty()) {
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
    for (Step& step : steps_) step.Add(key.user_key);
    keys_.Next();
  }

  // Ends the scans with a bound that is not behind this key, or all.
  void EndScans(std::optional<std::string_view> key) {
    for (; !open_.empty() && (!key || open_.top().end <= *key); open_.pop()) {
      if (deletions_ - open_.top().deletions > kManyDeletions) {
        crossing_.push_back(open_.top().scan);
      }
    }
  }

  void FinishBlock() {
    for (Step& step : steps_) step.FinishBlock();
  }

  // A scan whose bound is still ahead.
  struct OpenScan {
    std::string_view end;
    size_t scan;         // its answer's place
    uint64_t deletions;  // of the file, up to its begin

    bool operator>(const OpenScan& other) const { return end > other.end; }
  };

  const StoredFilter& filter_;
  InternalKeys& keys_;
  const std::function<void(double share)>& progress_;
  std::vector<Step> steps_;
  std::optional<PartitionWalk> walk_;
  size_t block_ = 0;
  uint64_t entries_ = 0;
  uint64_t deletions_ = 0;
  std::priority_queue<OpenScan, std::vector<OpenScan>, std::greater<>> open_;
  std::vector<size_t> crossing_;
};

}  // namespace

FileScans AskScans(const std::string& path, const std::vector<RecordedScan>& scans,
                   const AskedRange& range, const std::vector<double>& range_bits,
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
  const StoredFilter filter(path, sst, bytewise);
  return RangeAsking(filter, keys.get(), range_bits, progress).Ask(scans, range);
}

}  // namespace winnow::inspect
