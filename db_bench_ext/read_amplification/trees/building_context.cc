#include "db_bench_ext/read_amplification/trees/building_context.h"

namespace winnow::bench {

rocksdb::FilterBuildingContext BuildingContext(const rocksdb::BlockBasedTableOptions& table,
                                               int level, int num_levels, bool bottommost,
                                               rocksdb::Logger* logger) {
  rocksdb::FilterBuildingContext context(table);
  context.compaction_style = rocksdb::kCompactionStyleLevel;
  context.num_levels = num_levels;
  context.info_log = logger;
  context.column_family_name = "default";
  context.level_at_creation = level;
  context.is_bottommost = bottommost;
  context.reason = level == 0 ? rocksdb::TableFileCreationReason::kFlush
                              : rocksdb::TableFileCreationReason::kCompaction;
  return context;
}

}  // namespace winnow::bench
