// A database opened with given settings.

#ifndef WINNOW_TESTS_STRESS_DATABASE_H_
#define WINNOW_TESTS_STRESS_DATABASE_H_

#include <rocksdb/db.h>
#include <rocksdb/utilities/optimistic_transaction_db.h>
#include <rocksdb/utilities/transaction.h>
#include <rocksdb/utilities/transaction_db.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "tests/stress/blame/watch.h"
#include "tests/stress/gate.h"
#include "tests/stress/model.h"
#include "tests/stress/settings.h"

namespace winnow::stress {

using Handles = std::array<ROCKSDB_NAMESPACE::ColumnFamilyHandle*, kAllFamilies>;

class Database {
 public:
  // Creates the database if it does not exist. Throws DifferenceFound if RocksDB can't open it.
  Database(const std::string& path, const Settings& settings, Fault fault);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  ROCKSDB_NAMESPACE::DB& db() const { return *db_; }
  ROCKSDB_NAMESPACE::ColumnFamilyHandle* family(size_t i) const { return handles_[i]; }
  const Settings& settings() const { return settings_; }
  const std::string& path() const { return path_; }

  // Returns null if the database has no transactions.
  std::unique_ptr<ROCKSDB_NAMESPACE::Transaction> BeginTransaction() const;

  // Returns the current extractor, which does not change while the caller is inside the gate.
  const Extractor& extractor(size_t i) const { return settings_.families[i].extractor; }
  // Requires exclusive access by the gate. Returns false if this column family's extractor can't be
  // changed while the database is open.
  bool ChangeExtractor(size_t i, const Extractor& extractor);

  // Every operation holds the gate: shared, or exclusive if nothing may run concurrently.
  Gate gate;

 private:
  std::string path_;
  Settings settings_;
  std::unique_ptr<ROCKSDB_NAMESPACE::DB> db_;
  ROCKSDB_NAMESPACE::TransactionDB* transactions_ = nullptr;  // null if optimistic_ is set
  ROCKSDB_NAMESPACE::OptimisticTransactionDB* optimistic_ = nullptr;
  Handles handles_{};
};

// Returns "default" or another name.
std::string FamilyName(size_t i);

// A database opened read-only, with `policy` for all column families, or none.
class ReadOnlyDatabase {
 public:
  ReadOnlyDatabase(const std::string& path, const Settings& settings,
                   const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>& policy);
  ~ReadOnlyDatabase();
  ReadOnlyDatabase(const ReadOnlyDatabase&) = delete;
  ReadOnlyDatabase& operator=(const ReadOnlyDatabase&) = delete;

  ROCKSDB_NAMESPACE::DB& db() const { return *db_; }
  ROCKSDB_NAMESPACE::ColumnFamilyHandle* family(size_t i) const { return handles_[i]; }

 private:
  std::unique_ptr<ROCKSDB_NAMESPACE::DB> db_;
  Handles handles_{};
};

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_DATABASE_H_
