#include "db_bench_ext/read_amplification/trees/rocksdb_growth.h"

#include <absl/strings/str_cat.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "db_bench_ext/read_amplification/trees/tree_files.h"

namespace winnow::bench {
namespace {

constexpr uint64_t kPutsBetweenLooks = 4096;
constexpr std::chrono::milliseconds kBetweenLooks(20);

uint64_t Property(rocksdb::DB* db, const std::string& name) {
  uint64_t value = 0;
  db->GetIntProperty(name, &value);
  return value;
}

absl::Status WaitForRest(rocksdb::DB* db, const TreeOptions& options, uint64_t written,
                         GrowthProgress progress) {
  RestDetector detector(!options.disable_auto_compactions);
  while (!detector.Rests(BackgroundWorkOf(db))) {
    // After a background error, a flush would stay pending forever.
    if (Property(db, rocksdb::DB::Properties::kBackgroundErrors) != 0) {
      return absl::InternalError(
          "RocksDB's background work failed while the tree was grown; the LOG in its folder says "
          "why (--keep leaves it)");
    }
    if (!progress(written)) return absl::CancelledError("interrupted");
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return absl::OkStatus();
}

absl::Status ExpectAllKeys(rocksdb::DB* db, const TreeOptions& options, uint64_t written) {
  uint64_t found = 0;
  for (const std::vector<TreeFile>& level : FilesByLevel(db)) {
    for (const TreeFile& file : level) found += file.keys;
  }
  if (found == written) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the tree that RocksDB grew has ", found, " keys, but ", written, " were written",
      options.compaction_style == rocksdb::kCompactionStyleFIFO
          ? ": FIFO compaction drops files above max_table_files_size of "
            "compaction_options_fifo, 1 GiB unless an --options_file says more"
          : "",
      "; nothing is measured on a part of the keys"));
}

}  // namespace

// RocksDB 7.8 has no public WaitForCompact(); the properties are available in all versions.
BackgroundWork BackgroundWorkOf(rocksdb::DB* db) {
  using Properties = rocksdb::DB::Properties;
  BackgroundWork work;
  work.running = Property(db, Properties::kNumRunningFlushes) +
                 Property(db, Properties::kNumRunningCompactions);
  work.flush_pending = Property(db, Properties::kMemTableFlushPending) != 0;
  work.compaction_pending = Property(db, Properties::kCompactionPending) != 0;
  return work;
}

bool RestDetector::Rests(const BackgroundWork& work) {
  if (work.running > 0 || work.flush_pending) {
    quiet_ = idle_ = 0;
    return false;
  }
  ++idle_;
  quiet_ = auto_compactions_ && work.compaction_pending ? 0 : quiet_ + 1;
  return quiet_ >= kLooks || idle_ >= kIdleLooks;
}

absl::Status GrowByRocksDB(const KeySet& keys, const WriteSequence& writes,
                           const TreeOptions& options, rocksdb::DB* db, GrowthProgress progress,
                           const AfterWrites& after) {
  const uint64_t n = writes.size();
  TreeWriter writer(db, options.value_size, options.seed, after);
  std::string room;
  auto compaction = writes.compactions().begin();
  for (uint64_t written = 1; written <= n; ++written) {
    const uint64_t i = writes[written - 1];
    absl::Status status = writer.Put(keys.Get(i, &room), i);
    if (status.ok() && compaction != writes.compactions().end() && *compaction == written) {
      ++compaction;
      status = writer.Compact();
    }
    if (!status.ok()) return status;
    if (written % kPutsBetweenLooks == 0 && !progress(written)) {
      return absl::CancelledError("interrupted");
    }
  }
  if (absl::Status status = writer.Flush(); !status.ok()) return status;
  if (absl::Status status = WaitForRest(db, options, n, progress); !status.ok()) return status;
  // The number of distinct drawn keys is not known here.
  return writes.EachOnce() ? ExpectAllKeys(db, options, n) : absl::OkStatus();
}

}  // namespace winnow::bench
