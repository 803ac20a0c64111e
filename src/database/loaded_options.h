// RocksDB's own reading of an OPTIONS file, and of the policy in it.

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

// Loads the file as RocksDB does by default, when it is not strict. Empty, or what it says against
// it.
std::string LoadFamilies(const std::string& path,
                         std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor>* families);

// Null for other tables than block-based ones, which have no filters.
const ROCKSDB_NAMESPACE::BlockBasedTableOptions* TableOptionsOf(
    const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family);

// The policy with its options, as RocksDB writes it to OPTIONS files: "bloomfilter:10:false"; empty
// without one.
std::string DescribePolicy(const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>& policy);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_LOADED_OPTIONS_H_
