// A service on RocksDB with Winnow: options string, check that the policy exists, listener, alarm,
// and counters for monitoring.

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <cstdio>
#include <string>

#include "winnow/rocksdb_filter_loads.h"
#include "winnow/rocksdb_listener.h"

// The block cache has no room for the filters.
void Warn(const winnow::FilterLoadAlarm& alarm) {
  std::fprintf(stderr, "%s\n", alarm.text.c_str());
}

rocksdb::Status Open(const std::string& folder, rocksdb::DB** db) {
  rocksdb::ConfigOptions strict;
  strict.ignore_unsupported_options = false;  // an unknown policy is an error, not "no filters"
  rocksdb::BlockBasedTableOptions table;
  const rocksdb::Status status =
      rocksdb::FilterPolicy::CreateFromString(strict, "winnow:10", &table.filter_policy);
  if (!status.ok()) return status;
  rocksdb::Options options;
  options.create_if_missing = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.listeners.push_back(winnow::NewListener(table.filter_policy));  // it knows all files
  winnow::SetFilterLoadAlarm(*table.filter_policy, Warn);
  return rocksdb::DB::Open(options, folder, db);  // its LOG has lines with [winnow]
}

int main(int, char** argv) {
  rocksdb::DB* db = nullptr;
  rocksdb::Status status = Open(argv[1], &db);
  if (status.ok()) status = db->Put({}, "apple", "red");
  if (status.ok()) status = db->Flush({});
  std::printf("%s\n%s", status.ToString().c_str(), winnow::CountersAsPrometheusText().c_str());
  delete db;
  return status.ok() ? 0 : 1;
}
