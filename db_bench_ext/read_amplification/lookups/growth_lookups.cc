#include "db_bench_ext/read_amplification/lookups/growth_lookups.h"

#include <rocksdb/table_properties.h>

#include <optional>
#include <utility>

#include "db_bench_ext/read_amplification/lookups/lookup_counts.h"
#include "db_bench_ext/read_amplification/system/status.h"
#include "src/base/random.h"

namespace winnow::bench {
namespace {

constexpr uint64_t kGrowthSalt = 0x67726f77;

}  // namespace

GrowthLookups::GrowthLookups(const GrowthHeat& heat, const WriteSequence& writes)
    : heat_(heat),
      writes_(writes),
      absent_share_(heat.choices.absent_share.value_or(kShareOfMixed)),
      there_(writes.keys()) {
  lookups_.name = "the lookups while the tree grew";
}

Asked GrowthLookups::Next(const HeatedKeys& heated, std::string* room) {
  Random random = RandomAt(heat_.choices.seed ^ kGrowthSalt, asked_);
  if (!InShare(asked_++, absent_share_)) {
    const std::optional<uint64_t> key =
        heated.Present(&random, [&](uint64_t number) { return there_[number]; });
    if (key) return {heat_.keys.range->Get(*key, room), Expected::kPresent};
  }
  return {heat_.keys.absent->Get(heated.Absent(&random), room), Expected::kAbsent};
}

absl::Status GrowthLookups::After(rocksdb::DB* db, uint64_t written) {
  for (; written_ < written; ++written_) there_[writes_[written_]] = true;
  if (reader_ == nullptr) reader_ = MakeReader(db, lookups_);
  const auto n = static_cast<double>(written);
  const HeatedKeys heated(*heat_.choices.heat, n / static_cast<double>(writes_.size()),
                          writes_.keys());
  const auto due = static_cast<uint64_t>(heat_.choices.lookups_per_write * n);
  const uint64_t before = asked_;
  const uint64_t found = reader_->found();
  std::string room;
  const CountingScope counting;
  while (asked_ < due) {
    const Asked asked = Next(heated, &room);
    if (absl::Status status = reader_->Read(&asked, 1); !status.ok()) return status;
  }
  inspect::WorkloadCounts counts = counting.OfGets();
  counts.lookups = asked_ - before;
  counts.found = reader_->found() - found;
  counts.levels.clear();
  AddCounts(counts, &counts_);
  const uint64_t ends = writes_.size() * (intervals_.size() + 1) / kGrowthIntervals;
  return written >= ends ? EndInterval(db, written) : absl::OkStatus();
}

absl::Status GrowthLookups::EndInterval(rocksdb::DB* db, uint64_t written) {
  inspect::GrowthInterval interval;
  interval.written = written;
  interval.counts = std::exchange(counts_, {});
  rocksdb::TablePropertiesCollection files;
  absl::Status status =
      FromRocksDB(db->GetPropertiesOfAllTables(&files), "read the properties of the files");
  for (const auto& [name, properties] : files) {
    interval.keys += properties->num_entries;
    interval.filter_bytes += properties->filter_size;
  }
  intervals_.push_back(std::move(interval));
  return status;
}

}  // namespace winnow::bench
