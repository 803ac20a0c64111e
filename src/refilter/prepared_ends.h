// New ends that `winnow refilter --prepare` makes while the database is open, for a run on the
// closed one. Each is a file in a folder of the database's folder, which RocksDB leaves alone.

#ifndef WINNOW_SRC_REFILTER_PREPARED_ENDS_H_
#define WINNOW_SRC_REFILTER_PREPARED_ENDS_H_

#include <absl/status/status.h>
#include <rocksdb/env.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "src/sst/table_tail.h"

namespace winnow::inspect {

inline constexpr char kPreparedFolder[] = "REFILTER.prepared";

// A filter, as counted.
struct FilterWeight {
  uint64_t bytes = 0;
  double rate = 1;  // expected; that of a file without filter is 1

  template <typename Code>
  void Fields(Code& code) {
    code(bytes, rate);
  }
};

// The end that a file is to get.
struct BuiltEnd {
  std::optional<std::string> bytes{};  // unset: the file has this filter already
  FilterWeight before{};
  FilterWeight after{};

  template <typename Code>
  void Fields(Code& code) {
    code(bytes, before, after);
  }
};

// Identifies a file and the filter that it is to get, so that an end is used for no other.
struct EndName {
  std::string database;
  uint64_t number = 0;
  std::string identity;  // of the file and the filter

  // `end_hash` is HashOfEnd of the file (src/database/new_ends.h). The filter is one by this
  // policy, an options string, and this extractor.
  EndName(std::string database, uint64_t number, const TableTail& tail, uint64_t end_hash,
          const std::string& policy, bool whole_keys, const std::string& extractor);
};

// Writes an end, and syncs it.
absl::Status KeepEnd(ROCKSDB_NAMESPACE::Env* env, const EndName& name, const BuiltEnd& end);

// Returns the end that was kept under this name; nullopt if there is none, or a damaged one.
std::optional<BuiltEnd> KeptEnd(ROCKSDB_NAMESPACE::Env* env, const EndName& name);

// Removes the ends of the database but those of these files.
absl::Status RemoveKeptEnds(ROCKSDB_NAMESPACE::Env* env, const std::string& database,
                            const std::set<uint64_t>& stay);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_REFILTER_PREPARED_ENDS_H_
