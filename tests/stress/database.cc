#include "tests/stress/database.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/stress/blame/difference.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow::stress {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::OptimisticTransactionDB;
using ROCKSDB_NAMESPACE::Transaction;
using ROCKSDB_NAMESPACE::TransactionDB;
using ROCKSDB_NAMESPACE::TransactionDBOptions;
using ROCKSDB_NAMESPACE::WriteOptions;

using Policy = std::shared_ptr<const FilterPolicy>;

Policy PolicyOf(const FamilySettings& family, Fault fault) {
  Policy policy = family.kept != nullptr ? family.kept : MakePolicy(family.policy);
  return family.is_watched ? NewWatchedPolicy(std::move(policy), fault) : policy;
}

template <typename PolicyOfFamily>
std::vector<ColumnFamilyDescriptor> Descriptors(const Settings& settings,
                                                PolicyOfFamily policy_of_family) {
  std::vector<ColumnFamilyDescriptor> descriptors;
  for (size_t i = 0; i < kAllFamilies; ++i) {
    const FamilySettings& family = settings.families[i];
    descriptors.emplace_back(FamilyName(i), family.With(policy_of_family(family)));
  }
  return descriptors;
}

Handles ToHandles(const std::vector<ColumnFamilyHandle*>& handles) {
  Handles all{};
  std::copy(handles.begin(), handles.end(), all.begin());
  return all;
}

}  // namespace

std::string FamilyName(size_t i) {
  return i == 0 ? ROCKSDB_NAMESPACE::kDefaultColumnFamilyName : "family" + std::to_string(i);
}

Database::Database(const std::string& path, const Settings& settings, Fault fault)
    : path_(path), settings_(settings) {
  const std::vector<ColumnFamilyDescriptor> descriptors = Descriptors(
      settings, [fault](const FamilySettings& family) { return PolicyOf(family, fault); });
  std::vector<ColumnFamilyHandle*> handles;
  switch (settings.kind) {
    case DatabaseKind::kPlain: {
      rocksdb_abi::OpenedDB opened{};
      Require(DB::Open(settings.options, path, descriptors, &handles, &opened), "open");
      db_ = rocksdb_abi::Own(std::move(opened));
      break;
    }
    case DatabaseKind::kTransactions:
      Require(TransactionDB::Open(settings.options, TransactionDBOptions(), path, descriptors,
                                  &handles, &transactions_),
              "open with transactions");
      db_.reset(transactions_);
      break;
    case DatabaseKind::kOptimisticTransactions:
      Require(OptimisticTransactionDB::Open(settings.options, path, descriptors, &handles,
                                            &optimistic_),
              "open with optimistic transactions");
      db_.reset(optimistic_);
      break;
  }
  handles_ = ToHandles(handles);
}

Database::~Database() {
  for (ColumnFamilyHandle* handle : handles_) {
    if (handle != nullptr) db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
}

std::unique_ptr<Transaction> Database::BeginTransaction() const {
  if (transactions_ != nullptr) {
    return std::unique_ptr<Transaction>(transactions_->BeginTransaction(WriteOptions()));
  }
  if (optimistic_ != nullptr) {
    return std::unique_ptr<Transaction>(optimistic_->BeginTransaction(WriteOptions()));
  }
  return nullptr;
}

// A flush or compaction that began before the change installs a SuperVersion with its old options
// when it ends: RocksDB then continues with the old extractor, and a Seek with the new prefix
// misses keys, with any filter. That is a bug of RocksDB, not tested here, so none may be running.
//
// RocksDB 7.8's memtables with a filter keep a raw pointer to the extractor, which the change
// frees, and crash. Such column families keep their extractor.
bool Database::ChangeExtractor(size_t i, const Extractor& extractor) {
  if (settings_.families[i].HasMemtableFilter()) return false;
  Require(db_->PauseBackgroundWork(), "PauseBackgroundWork");
  const ROCKSDB_NAMESPACE::Status status =
      db_->SetOptions(handles_[i], {{"prefix_extractor", extractor.Text()}});
  Require(db_->ContinueBackgroundWork(), "ContinueBackgroundWork");
  Require(status, "SetOptions of prefix_extractor");
  settings_.families[i].extractor = extractor;
  settings_.families[i].options.prefix_extractor = extractor.Make();
  return true;
}

ReadOnlyDatabase::ReadOnlyDatabase(const std::string& path, const Settings& settings,
                                   const Policy& policy) {
  ROCKSDB_NAMESPACE::DBOptions options = settings.options;
  options.max_open_files = -1;
  std::vector<ColumnFamilyHandle*> handles;
  rocksdb_abi::OpenedDB opened{};
  Require(
      DB::OpenForReadOnly(
          options, path, Descriptors(settings, [&policy](const FamilySettings&) { return policy; }),
          &handles, &opened),
      "open for reading");
  db_ = rocksdb_abi::Own(std::move(opened));
  handles_ = ToHandles(handles);
}

ReadOnlyDatabase::~ReadOnlyDatabase() {
  for (ColumnFamilyHandle* handle : handles_) {
    db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
}

}  // namespace winnow::stress
