#include "db_bench_ext/read_amplification/trees/tree_files.h"

namespace winnow::bench {

LevelFiles FilesByLevel(rocksdb::DB* db) {
  rocksdb::ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(&metadata);
  LevelFiles levels(metadata.levels.size());
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    std::vector<TreeFile>& files = levels[static_cast<size_t>(level.level)];
    for (const rocksdb::SstFileMetaData& file : level.files) {
      files.push_back({file.name, file.smallestkey, file.largestkey, file.num_entries});
    }
  }
  return levels;
}

}  // namespace winnow::bench
