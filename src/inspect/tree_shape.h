// What a database's options say of the trees of its column families, as a filter policy may want to
// know it.

#ifndef WINNOW_SRC_INSPECT_TREE_SHAPE_H_
#define WINNOW_SRC_INSPECT_TREE_SHAPE_H_

#include <rocksdb/advanced_options.h>

#include <map>
#include <string>

namespace winnow::inspect {

// RocksDB's defaults where nothing else is known.
struct TreeShape {
  ROCKSDB_NAMESPACE::CompactionStyle style = ROCKSDB_NAMESPACE::kCompactionStyleLevel;
  int levels = 7;
  double size_ratio = 10;  // max_bytes_for_level_multiplier
  bool has_dynamic_levels = false;
  bool last_level_has_filters = true;  // not optimize_filters_for_hits
};

struct TreeShapes {
  std::map<std::string, TreeShape> families;  // by name
  std::string problem;  // why they are not known, as a clause; empty: they are
};

// As the latest OPTIONS file of the database's folder has them. RocksDB reads it, in a process of
// its own (AskChild says what that needs).
TreeShapes ReadTreeShapes(const std::string& database);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_INSPECT_TREE_SHAPE_H_
