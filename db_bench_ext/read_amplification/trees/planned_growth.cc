#include "db_bench_ext/read_amplification/trees/planned_growth.h"

#include <optional>
#include <string>

#include "db_bench_ext/read_amplification/system/status.h"
#include "db_bench_ext/read_amplification/trees/compaction_plan.h"
#include "db_bench_ext/read_amplification/trees/tree_files.h"
#include "db_bench_ext/read_amplification/trees/tree_scale.h"

namespace winnow::bench {
namespace {

absl::Status Merge(const TreeOptions& options, uint64_t level0_files, CompactionPlan* plan,
                   rocksdb::DB* db) {
  rocksdb::CompactionOptions compaction;
  // Uses the compression of the database's options, which may differ by level.
  compaction.compression = rocksdb::kDisableCompressionOption;
  compaction.output_file_size_limit = options.target_file_size_base;
  compaction.max_subcompactions = 1;
  while (const std::optional<Compaction> next = plan->Next(FilesByLevel(db), level0_files)) {
    absl::Status status =
        FromRocksDB(db->CompactFiles(compaction, next->files, next->output_level), "merge files");
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Writes positions in [begin, end), and compacts according to the plan.
absl::Status GrowPart(const KeySet& keys, const WriteSequence& writes, uint64_t begin, uint64_t end,
                      const TreeOptions& options, CompactionPlan* plan, rocksdb::DB* db,
                      TreeWriter* writer, std::string* room, GrowthProgress progress) {
  const uint64_t n = end - begin;
  const uint64_t keys_per_flush =
      KeysPerFlush(options, MeanBytes(keys.size(), keys.total_bytes(), options.value_size));
  const uint64_t flushes = (n + keys_per_flush - 1) / keys_per_flush;
  uint64_t flush = 0;
  for (uint64_t written = 1; written <= n; ++written) {
    const uint64_t i = writes[begin + written - 1];
    absl::Status status = writer->Put(keys.Get(i, room), i);
    if (!status.ok()) return status;
    if (written % keys_per_flush != 0 && written != n) continue;
    status = writer->Flush();
    ++flush;
    if (status.ok()) {
      status = Merge(options,
                     Level0Trigger(flush, flushes, options.level0_file_num_compaction_trigger,
                                   options.level0_files),
                     plan, db);
    }
    if (!status.ok()) return status;
    if (!progress(begin + written)) return absl::CancelledError("interrupted");
  }
  return absl::OkStatus();
}

}  // namespace

uint64_t Level0Trigger(uint64_t flush, uint64_t flushes, uint64_t trigger, uint64_t level0_files) {
  const uint64_t after = flushes - flush;
  if (after < level0_files) return kNeverLevel0;
  return after == level0_files ? 1 : trigger;
}

absl::Status GrowByPlan(const KeySet& keys, const WriteSequence& writes, const TreeOptions& options,
                        rocksdb::DB* db, GrowthProgress progress, const AfterWrites& after) {
  const uint64_t mean = MeanBytes(keys.size(), keys.total_bytes(), options.value_size);
  CompactionPlan plan(TargetsOf(options, mean));
  TreeWriter writer(db, options.value_size, options.seed, after);
  std::string room;
  uint64_t begin = 0;
  const auto grow_to = [&](uint64_t end) {
    absl::Status status =
        GrowPart(keys, writes, begin, end, options, &plan, db, &writer, &room, progress);
    begin = end;
    return status;
  };
  for (const uint64_t compaction : writes.compactions()) {
    absl::Status status = grow_to(compaction);
    if (status.ok()) status = writer.Compact();
    if (!status.ok()) return status;
  }
  return grow_to(writes.size());
}

}  // namespace winnow::bench
