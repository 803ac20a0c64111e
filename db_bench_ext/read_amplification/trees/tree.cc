#include "db_bench_ext/read_amplification/trees/tree.h"

#include <rocksdb/metadata.h>

#include <utility>

#include "db_bench_ext/read_amplification/system/status.h"
#include "db_bench_ext/read_amplification/trees/planned_growth.h"
#include "db_bench_ext/read_amplification/trees/rocksdb_growth.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow::bench {
namespace {

absl::StatusOr<std::unique_ptr<rocksdb::DB>> Open(const rocksdb::Options& options,
                                                  const std::string& path,
                                                  const std::string& could_not) {
  rocksdb_abi::OpenedDB opened{};
  absl::Status status = FromRocksDB(rocksdb::DB::Open(options, path, &opened), could_not);
  if (!status.ok()) return status;
  return rocksdb_abi::Own(std::move(opened));
}

}  // namespace

absl::Status GrowTree(const KeySet& keys, const WriteSequence& writes, const TreeOptions& options,
                      const Policy& policy, const std::string& path, GrowthProgress progress,
                      const AfterWrites& after) {
  const bool planned = options.growth == GrowthKind::kPlanned;
  rocksdb::Options database =
      planned ? RestingOptions(options, policy) : GrowingOptions(options, policy);
  database.create_if_missing = true;
  database.error_if_exists = true;
  absl::StatusOr<std::unique_ptr<rocksdb::DB>> db =
      Open(database, path, "make a database in " + path);
  if (!db.ok()) return db.status();
  absl::Status status = planned ? GrowByPlan(keys, writes, options, db->get(), progress, after)
                                : GrowByRocksDB(keys, writes, options, db->get(), progress, after);
  if (!status.ok()) return status;
  return FromRocksDB((*db)->Close(), "close " + path);
}

absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenTree(
    const TreeOptions& options, const Policy& policy, const std::string& path,
    std::shared_ptr<rocksdb::Statistics> statistics) {
  rocksdb::Options database = RestingOptions(options, policy);
  database.statistics = std::move(statistics);
  return Open(database, path, "open " + path);
}

}  // namespace winnow::bench
