#include "src/database/loaded_options.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/convenience.h>
#include <rocksdb/utilities/options_util.h>

#include <exception>

namespace winnow::inspect {

std::string LoadFamilies(const std::string& path,
                         std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor>* families,
                         ROCKSDB_NAMESPACE::DBOptions* database) {
  ROCKSDB_NAMESPACE::ConfigOptions config;
  config.ignore_unknown_options = true;
  config.ignore_unsupported_options = true;
  ROCKSDB_NAMESPACE::DBOptions options;
  try {
    const auto status = ROCKSDB_NAMESPACE::LoadOptionsFromFile(
        config, path, database == nullptr ? &options : database, families);
    return status.ok() ? std::string() : status.ToString();
  } catch (const std::exception& exception) {
    return absl::StrCat("exception \"", exception.what(), "\"");
  }
}

const ROCKSDB_NAMESPACE::BlockBasedTableOptions* TableOptionsOf(
    const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) {
  return family.table_factory == nullptr
             ? nullptr
             : family.table_factory->GetOptions<ROCKSDB_NAMESPACE::BlockBasedTableOptions>();
}

std::string DescribePolicy(const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>& policy) {
  return policy == nullptr ? std::string() : policy->ToString(ROCKSDB_NAMESPACE::ConfigOptions());
}

}  // namespace winnow::inspect
