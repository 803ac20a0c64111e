// OPTIONS files as RocksDB loads them, and the policies in them.

#ifndef WINNOW_SRC_DATABASE_LOADED_OPTIONS_H_
#define WINNOW_SRC_DATABASE_LOADED_OPTIONS_H_

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <memory>
#include <string>
#include <vector>

namespace winnow::inspect {

// Loads the file as RocksDB does by default, with ignore_unknown_options. Returns an empty string,
// or RocksDB's error message. `database` gets the options of the database; may be null.
std::string LoadFamilies(const std::string& path,
                         std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor>* families,
                         ROCKSDB_NAMESPACE::DBOptions* database = nullptr);

// Returns the table options, or null if the table is not block-based and thus has no filters.
const ROCKSDB_NAMESPACE::BlockBasedTableOptions* TableOptionsOf(
    const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family);

// Returns the policy with its options as RocksDB writes it to OPTIONS files,
// "bloomfilter:10:false"; empty if `policy` is null.
std::string DescribePolicy(const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>& policy);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_LOADED_OPTIONS_H_
