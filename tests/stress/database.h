// A database that is open with settings of its own.

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
  // Makes it where there is none. Throws DifferenceFound if RocksDB can't open it.
  Database(const std::string& path, const Settings& settings, Fault fault);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  ROCKSDB_NAMESPACE::DB& db() const { return *db_; }
  ROCKSDB_NAMESPACE::ColumnFamilyHandle* family(size_t i) const { return handles_[i]; }
  const Settings& settings() const { return settings_; }
  const std::string& path() const { return path_; }

  // Null where the database has no transactions.
  std::unique_ptr<ROCKSDB_NAMESPACE::Transaction> BeginTransaction() const;

  // The extractor in force. Stable for those inside the gate.
  const Extractor& extractor(size_t i) const { return settings_.families[i].extractor; }
  // For one who is alone at the gate. False if this family's can't be changed while it is open.
  bool ChangeExtractor(size_t i, const Extractor& extractor);

  // Every operation goes through it; those that nothing may meet are alone.
  Gate gate;

 private:
  std::string path_;
  Settings settings_;
  std::unique_ptr<ROCKSDB_NAMESPACE::DB> db_;
  ROCKSDB_NAMESPACE::TransactionDB* transactions_ = nullptr;  // of these two at most one is set
  ROCKSDB_NAMESPACE::OptimisticTransactionDB* optimistic_ = nullptr;
  Handles handles_{};
};

// "default" and others.
std::string FamilyName(size_t i);

// A database opened for reading alone, with `policy` for all families, or none.
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
