// A database for tests of `winnow refilter`, with a map of what it has to hold.

#ifndef WINNOW_TESTS_REFILTER_REFILTER_TESTING_H_
#define WINNOW_TESTS_REFILTER_REFILTER_TESTING_H_

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "src/refilter/refilter.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"

namespace winnow::testing {

// A shape of a database.
struct RefilterSetting {
  std::string name;
  std::string policy = "bloomfilter:10";  // that writes it; empty for none
  std::function<void(ROCKSDB_NAMESPACE::Options*, ROCKSDB_NAMESPACE::BlockBasedTableOptions*)>
      change = [](auto*, auto*) {};
  std::vector<std::string> families = {"default"};
  std::string extractor{};  // options string
};

class RefilteredDatabase {
 public:
  RefilteredDatabase(const std::string& path, const RefilterSetting& setting, unsigned seed = 1)
      : path_(path), setting_(setting), random_(seed) {}

  const std::string& path() const { return path_; }
  std::map<std::string, std::map<std::string, std::string>>& model() { return model_; }

  ROCKSDB_NAMESPACE::Options OptionsWith(const std::string& policy) const {
    ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
    if (!policy.empty()) table.filter_policy = MakePolicyFrom(policy);
    ROCKSDB_NAMESPACE::Options options = SmallLevels(table);
    options.create_missing_column_families = true;
    options.merge_operator = nullptr;
    if (!setting_.extractor.empty()) {
      EXPECT_TRUE(ROCKSDB_NAMESPACE::SliceTransform::CreateFromString(
                      StrictConfig(), setting_.extractor, &options.prefix_extractor)
                      .ok());
    }
    setting_.change(&options, &table);
    options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
    options.paranoid_checks = true;
    return options;
  }

  void Open(const std::string& policy) {
    const ROCKSDB_NAMESPACE::Options options = OptionsWith(policy);
    std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor> families;
    for (const std::string& name : setting_.families) families.emplace_back(name, options);
    rocksdb_abi::OpenedDB opened{};
    const ROCKSDB_NAMESPACE::Status status =
        ROCKSDB_NAMESPACE::DB::Open(options, path_, families, &handles_, &opened);
    ASSERT_TRUE(status.ok()) << status.ToString();
    database_ = rocksdb_abi::Own(std::move(opened));
  }
  void Close() {
    for (ROCKSDB_NAMESPACE::ColumnFamilyHandle* const handle : handles_) {
      database_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
    }
    handles_.clear();
    database_.reset();
  }
  ROCKSDB_NAMESPACE::DB* database() { return database_.get(); }
  const std::vector<ROCKSDB_NAMESPACE::ColumnFamilyHandle*>& handles() const { return handles_; }

  std::string RandomKey() {
    char text[16];
    std::snprintf(text, sizeof text, "k%05u", Random(30'000));
    return text;
  }
  unsigned Random(unsigned below) {
    return std::uniform_int_distribution<unsigned>(0, below - 1)(random_);
  }

  // Writes, deletes, deletes ranges, ingests and flushes.
  void Write(int operations) {
    for (int i = 0; i < operations; ++i) {
      const size_t family = Random(static_cast<unsigned>(handles_.size()));
      auto& keys = model_[setting_.families[family]];
      ROCKSDB_NAMESPACE::ColumnFamilyHandle* const handle = handles_[family];
      const std::string key = RandomKey();
      const unsigned kind = Random(1000);
      if (kind < 800) {
        const std::string value = std::to_string(Random(1u << 30)) + std::string(30, 'v');
        ASSERT_STATUS_OK(database_->Put({}, handle, key, value));
        keys[key] = value;
      } else if (kind < 990) {
        ASSERT_STATUS_OK(database_->Delete({}, handle, key));
        keys.erase(key);
      } else if (kind < 993) {
        const std::string end = key + "5";
        ASSERT_STATUS_OK(database_->DeleteRange({}, handle, key, end));
        keys.erase(keys.lower_bound(key), keys.lower_bound(end));
      } else if (kind < 995) {
        Ingest(handle, key, &keys);
      } else if (kind < 997) {
        ASSERT_STATUS_OK(database_->Flush({}, handle));
      }
    }
    for (auto* const handle : handles_) ASSERT_STATUS_OK(database_->Flush({}, handle));
  }

  // Compares every key, absent keys, and scans there and back, with the model.
  void Check() {
    for (size_t family = 0; family < handles_.size(); ++family) {
      const auto& keys = model_[setting_.families[family]];
      ROCKSDB_NAMESPACE::ReadOptions read;
      read.total_order_seek = true;
      for (const auto& [key, value] : keys) {
        std::string found;
        ASSERT_STATUS_OK(database_->Get(read, handles_[family], key, &found));
        ASSERT_EQ(found, value) << key;
      }
      for (int i = 0; i < 500; ++i) {
        const std::string key = RandomKey();
        std::string found;
        const auto status = database_->Get(read, handles_[family], key, &found);
        ASSERT_EQ(status.ok(), keys.count(key) > 0) << key << " " << status.ToString();
      }
      const std::unique_ptr<ROCKSDB_NAMESPACE::Iterator> all(
          database_->NewIterator(read, handles_[family]));
      auto expected = keys.begin();
      for (all->SeekToFirst(); all->Valid(); all->Next(), ++expected) {
        ASSERT_NE(expected, keys.end());
        ASSERT_EQ(all->key().ToString(), expected->first);
      }
      ASSERT_EQ(expected, keys.end());
      CheckPrefixes(handles_[family], keys);
    }
  }

  // Options that write the filters of this policy to all files.
  inspect::RefilterOptions Request(const std::string& policy) const {
    inspect::RefilterOptions options;
    options.request.database = path_;
    options.request.policy = policy;
    options.jobs = 2;
    return options;
  }

  absl::StatusOr<inspect::RefilterResult> Refilter(
      const std::string& policy,
      ROCKSDB_NAMESPACE::Env* env = ROCKSDB_NAMESPACE::Env::Default()) const {
    return RefilterBy(Request(policy), env);
  }
  static absl::StatusOr<inspect::RefilterResult> RefilterBy(
      const inspect::RefilterOptions& options,
      ROCKSDB_NAMESPACE::Env* env = ROCKSDB_NAMESPACE::Env::Default()) {
    const std::atomic<bool> stop{false};
    return inspect::Refilter(env, options, stop, [](const auto&) {});
  }

 private:
  void Ingest(ROCKSDB_NAMESPACE::ColumnFamilyHandle* handle, const std::string& from,
              std::map<std::string, std::string>* keys) {
    const std::string path = path_ + ".ingested";
    const ROCKSDB_NAMESPACE::Options options = OptionsWith(setting_.policy);
    ROCKSDB_NAMESPACE::SstFileWriter writer(ROCKSDB_NAMESPACE::EnvOptions(), options);
    ASSERT_STATUS_OK(writer.Open(path));
    for (int i = 0; i < 20; ++i) {
      const std::string key = from + static_cast<char>('a' + i);
      ASSERT_STATUS_OK(writer.Put(key, "ingested"));
      (*keys)[key] = "ingested";
    }
    ASSERT_STATUS_OK(writer.Finish());
    ASSERT_STATUS_OK(database_->IngestExternalFile(handle, {path}, {}));
  }

  // Seeks prefixes of three bytes and ranges, as filters of prefixes and of ranges are asked.
  void CheckPrefixes(ROCKSDB_NAMESPACE::ColumnFamilyHandle* handle,
                     const std::map<std::string, std::string>& keys) {
    for (int i = 0; i < 300; ++i) {
      const std::string begin = RandomKey();
      std::string end = begin.substr(0, 3);
      ++end.back();
      const ROCKSDB_NAMESPACE::Slice bound(end);
      ROCKSDB_NAMESPACE::ReadOptions read;
      read.iterate_upper_bound = &bound;
      read.auto_prefix_mode = true;
      const std::unique_ptr<ROCKSDB_NAMESPACE::Iterator> found(
          database_->NewIterator(read, handle));
      const auto expected = keys.lower_bound(begin);
      const bool has_one = expected != keys.end() && expected->first < end;
      found->Seek(begin);
      ASSERT_EQ(found->Valid(), has_one) << begin;
      ASSERT_EQ(has_one ? found->key().ToString() : "", has_one ? expected->first : "");
    }
  }

  const std::string path_;
  const RefilterSetting setting_;
  std::mt19937 random_;
  std::unique_ptr<ROCKSDB_NAMESPACE::DB> database_;
  std::vector<ROCKSDB_NAMESPACE::ColumnFamilyHandle*> handles_;
  std::map<std::string, std::map<std::string, std::string>> model_;  // by family
};

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_REFILTER_REFILTER_TESTING_H_
