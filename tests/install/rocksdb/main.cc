// A user of winnow::rocksdb who only writes the policy's name into an options string: nothing here
// calls the library, which must be loaded and registered all the same. A static one (REGISTER) is
// registered by one call. The argument is a folder for the database.

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#ifdef REGISTER
#include <winnow/rocksdb_policy.h>
#endif

namespace {

void Check(const rocksdb::Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: rocksdb_user FOLDER\n";
    return 2;
  }
#ifdef REGISTER
  if (winnow_rocksdb_register() != 0) return 1;
#endif
  rocksdb::ConfigOptions strict;
  strict.ignore_unsupported_options = false;
  rocksdb::BlockBasedTableOptions table;
  Check(rocksdb::GetBlockBasedTableOptionsFromString(strict, table, "filter_policy=winnow:10",
                                                     &table));
  rocksdb::Options options;
  options.create_if_missing = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));

#if ROCKSDB_MAJOR > 9 || (ROCKSDB_MAJOR == 9 && ROCKSDB_MINOR >= 11)
  std::unique_ptr<rocksdb::DB> database;
  Check(rocksdb::DB::Open(options, argv[1], &database));
#else
  rocksdb::DB* opened = nullptr;
  Check(rocksdb::DB::Open(options, argv[1], &opened));
  const std::unique_ptr<rocksdb::DB> database(opened);
#endif
  for (int i = 0; i < 1000; ++i) Check(database->Put({}, "key " + std::to_string(i), "value"));
  Check(database->Flush({}));
  std::string value;
  Check(database->Get({}, "key 7", &value));

  rocksdb::TablePropertiesCollection files;
  Check(database->GetPropertiesOfAllTables(&files));
  for (const auto& [path, properties] : files) {
    std::cout << path << ": " << properties->filter_policy_name << ", " << properties->filter_size
              << " bytes\n";
    if (properties->filter_policy_name != "winnow.Filter" || properties->filter_size == 0) return 1;
  }
  return files.empty() ? 1 : 0;
}
