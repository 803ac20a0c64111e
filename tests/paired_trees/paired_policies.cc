#include "tests/paired_trees/paired_policies.h"

#include <rocksdb/metadata.h>
#include <rocksdb/status.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "src/core/ranges/range_note.h"
#include "tests/paired_trees/tree.h"
#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::paired_trees {

using rocksdb::Slice;
using FilePointer = std::shared_ptr<const PairedFile>;

// The file whose filters this thread has built last; null: it has its name, or another was begun.
thread_local FilePointer built;

std::vector<double> FalseReads(const PairedFiles& files, const std::vector<Lookup>& lookups) {
  std::vector<double> sums(files.front()->rates.size());
  std::vector<const PairedFile*> asked;
  for (const Lookup& lookup : lookups) {
    asked.clear();
    bool ends = !lookup.present;
    for (const FilePointer& file : files) {
      const std::vector<uint64_t>& numbers = file->numbers;
      if (lookup.number < numbers.front() || numbers.back() < lookup.number) continue;
      if (lookup.present && std::binary_search(numbers.begin(), numbers.end(), lookup.number)) {
        ends = true;
        break;
      }
      asked.push_back(file.get());
    }
    for (size_t i = 0; ends && i < sums.size(); ++i) {
      for (const PairedFile* file : asked) sums[i] += file->rates[i];
    }
  }
  for (double& sum : sums) sum /= static_cast<double>(lookups.size());
  return sums;
}

// Files by the bytes of the first policy's filter, and by name.
class KnownFiles {
 public:
  void Set(const std::string& key, FilePointer file) {
    const std::lock_guard<std::mutex> lock(mutex_);
    files_[key] = std::move(file);
  }
  FilePointer Get(const std::string& key) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = files_.find(key);
    return found == files_.end() ? nullptr : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, FilePointer> files_;
};

namespace {

// Builds a filter by each policy and returns the first one.
class Builder final : public rocksdb::FilterBitsBuilder {
 public:
  // Builders are null for policies that build no filter, but the first.
  Builder(std::vector<std::unique_ptr<FilterBitsBuilder>> builders,
          std::shared_ptr<KnownFiles> known)
      : builders_(std::move(builders)), known_(std::move(known)) {}

  void AddKey(const Slice& key) override {
    file_.numbers.push_back(NumberOf(std::string_view(key.data(), key.size())));
    for (const auto& one : builders_) {
      if (one != nullptr) one->AddKey(key);
    }
  }
#if WINNOW_ROCKSDB_AT_LEAST(9, 6)
  // Trees have no prefix extractor, which would make alternatives.
  void AddKeyAndAlt(const Slice& key, const Slice& /*alt*/) override { AddKey(key); }
#endif
  size_t EstimateEntriesAdded() override { return First().EstimateEntriesAdded(); }
  size_t ApproximateNumEntries(size_t bytes) override {
    return First().ApproximateNumEntries(bytes);
  }
#if WINNOW_ROCKSDB_AT_LEAST(10, 9)
  size_t CalculateSpace(size_t entries) override { return First().CalculateSpace(entries); }
  double EstimatedFpRate(size_t entries, size_t bytes) override {
    return First().EstimatedFpRate(entries, bytes);
  }
#endif

  Slice Finish(std::unique_ptr<const char[]>* buf) override {
    rocksdb::Status status;
    return Finish(buf, &status);
  }

  Slice Finish(std::unique_ptr<const char[]>* buf, rocksdb::Status* status) override {
    const Slice first = First().Finish(buf, status);
    for (const auto& one : builders_) {
      std::unique_ptr<const char[]> shadow;
      Slice filter = one == builders_.front() ? first : Slice();
      if (one != nullptr && one != builders_.front()) filter = one->Finish(&shadow, status);
      file_.filters.push_back(filter.ToString());
      file_.rates.push_back(filter.empty() ? 1 : core::ExpectedKeyRate(file_.filters.back()));
    }
    built = std::make_shared<const PairedFile>(std::move(file_));
    known_->Set(built->filters.front(), built);
    return first;
  }

 private:
  FilterBitsBuilder& First() const { return *builders_.front(); }

  const std::vector<std::unique_ptr<FilterBitsBuilder>> builders_;
  const std::shared_ptr<KnownFiles> known_;
  PairedFile file_;
};

// Answers by the first policy's filter, and asks those of the others too.
class Reader final : public rocksdb::FilterBitsReader {
 public:
  Reader(std::vector<std::unique_ptr<FilterBitsReader>> readers, FilePointer file)
      : file_(std::move(file)), readers_(std::move(readers)) {}

  using FilterBitsReader::MayMatch;
  bool MayMatch(const Slice& entry) override {
    for (size_t i = 1; i < readers_.size(); ++i) readers_[i]->MayMatch(entry);
    return readers_.front()->MayMatch(entry);
  }

 private:
  const FilePointer file_;  // referenced by the readers
  const std::vector<std::unique_ptr<FilterBitsReader>> readers_;
};

class Policy final : public rocksdb::FilterPolicy {
 public:
  Policy(std::vector<PairedPolicy> policies, std::shared_ptr<KnownFiles> known)
      : policies_(std::move(policies)), known_(std::move(known)) {}

  const char* Name() const override { return First().Name(); }
  const char* CompatibilityName() const override { return First().CompatibilityName(); }

  rocksdb::Status ValidateOptions(const rocksdb::DBOptions& database,
                                  const rocksdb::ColumnFamilyOptions& family) const override {
    rocksdb::Status status;
    for (const PairedPolicy& one : policies_) {
      if (status.ok()) status = one.policy->ValidateOptions(database, family);
    }
    return status;
  }

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    built = nullptr;
    std::vector<std::unique_ptr<rocksdb::FilterBitsBuilder>> builders;
    for (const PairedPolicy& one : policies_) {
      builders.emplace_back(one.policy->GetBuilderWithContext(context));
    }
    // The other policies do not see the keys either.
    if (builders.front() == nullptr) return nullptr;
    return new Builder(std::move(builders), known_);
  }

  rocksdb::FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    std::vector<std::unique_ptr<rocksdb::FilterBitsReader>> readers;
    readers.emplace_back(First().GetFilterBitsReader(contents));
    const FilePointer file = known_->Get(contents.ToString());
    for (size_t i = 1; file != nullptr && i < policies_.size(); ++i) {
      const std::string& filter = file->filters[i];
      if (!filter.empty()) readers.emplace_back(policies_[i].policy->GetFilterBitsReader(filter));
    }
    return new Reader(std::move(readers), file);
  }

 private:
  const rocksdb::FilterPolicy& First() const { return *policies_.front().policy; }

  const std::vector<PairedPolicy> policies_;
  const std::shared_ptr<KnownFiles> known_;
};

// Learns the names of the files.
class Namer final : public rocksdb::EventListener {
 public:
  explicit Namer(std::shared_ptr<KnownFiles> known) : known_(std::move(known)) {}

  void OnTableFileCreated(const rocksdb::TableFileCreationInfo& info) override {
    SetName(info.file_path);
  }
  // This thread has written the file.
  void OnExternalFileIngested(rocksdb::DB* /*db*/,
                              const rocksdb::ExternalFileIngestionInfo& info) override {
    SetName(info.internal_file_path);
  }

 private:
  void SetName(const std::string& path) {
    const FilePointer file = std::exchange(built, nullptr);
    if (file != nullptr && !file->numbers.empty()) known_->Set(path.substr(path.rfind('/')), file);
  }

  const std::shared_ptr<KnownFiles> known_;
};

}  // namespace

PairedPolicies::PairedPolicies(std::vector<PairedPolicy> policies)
    : policies_(std::move(policies)), known_(std::make_shared<KnownFiles>()) {}

void PairedPolicies::SetIn(rocksdb::Options* options) const {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = std::make_shared<Policy>(policies_, known_);
  options->table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options->listeners.push_back(std::make_shared<Namer>(known_));
  for (const PairedPolicy& one : policies_) {
    if (one.listener != nullptr) options->listeners.push_back(one.listener);
  }
}

PairedFiles PairedPolicies::FilesOf(rocksdb::DB* db) const {
  rocksdb::ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(&metadata);
  PairedFiles files;
  for (const rocksdb::LevelMetaData& level : metadata.levels) {  // level 0 has its newest first
    for (const rocksdb::SstFileMetaData& file : level.files) {
      if (FilePointer known = known_->Get(file.name)) files.push_back(std::move(known));
    }
  }
  return files;
}

}  // namespace winnow::paired_trees
