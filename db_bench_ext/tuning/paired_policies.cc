#include "db_bench_ext/tuning/paired_policies.h"

#include <rocksdb/status.h>

#include <map>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "src/core/ranges/range_note.h"
#include "src/rocksdb/builders/last_built_filter.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/rocksdb_listener.h"

namespace winnow::bench {

using plugin::LastBuiltFilter;
using rocksdb::Slice;

// Filters of all policies, by the bytes of the first policy's filter and by file.
class PairedFilters {
 public:
  // Filters of a file in the order of policies; empty: none.
  using Blocks = std::shared_ptr<const std::vector<std::string>>;
  struct Built {
    Blocks blocks;
    std::vector<LastBuiltFilter> by_policy;
  };

  // Records the filters that this thread has built.
  void Add(Built built) {
    const std::lock_guard<std::mutex> lock(mutex_);
    by_first_[built.blocks->front()] = built.blocks;
    last_[std::this_thread::get_id()] = std::move(built);
  }

  // Records that this thread begins a file's filters, or none.
  void Begin(std::vector<LastBuiltFilter> by_policy) {
    const std::lock_guard<std::mutex> lock(mutex_);
    last_[std::this_thread::get_id()] = {nullptr, std::move(by_policy)};
  }

  // Assigns the thread's last filters to the file with this name, and returns them once.
  Built SetFile(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Built built = std::exchange(last_[std::this_thread::get_id()], {});
    if (built.blocks != nullptr) by_file_[path.substr(path.rfind('/'))] = built.blocks;
    return built;
  }

  Blocks ByFirst(const std::string& block) const { return Find(by_first_, block); }
  Blocks ByFile(const std::string& name) const { return Find(by_file_, name); }

 private:
  Blocks Find(const std::map<std::string, Blocks>& all, const std::string& key) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = all.find(key);
    return found == all.end() ? nullptr : found->second;
  }

  mutable std::mutex mutex_;
  std::map<std::string, Blocks> by_first_;
  std::map<std::string, Blocks> by_file_;
  std::map<std::thread::id, Built> last_;
};

namespace {

using Policies = std::vector<std::shared_ptr<const rocksdb::FilterPolicy>>;

// Builds a filter by each policy and returns the first one.
class PairedBuilder final : public rocksdb::FilterBitsBuilder {
 public:
  struct Part {
    std::unique_ptr<rocksdb::FilterBitsBuilder> builder;  // null: no filter
    LastBuiltFilter noted;
  };

  PairedBuilder(std::vector<Part> parts, std::shared_ptr<PairedFilters> filters)
      : parts_(std::move(parts)), filters_(std::move(filters)) {}

  void AddKey(const Slice& key) override {
    for (const Part& part : parts_) {
      if (part.builder != nullptr) part.builder->AddKey(key);
    }
  }
#if WINNOW_ROCKSDB_AT_LEAST(9, 6)
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override {
    for (const Part& part : parts_) {
      if (part.builder != nullptr) part.builder->AddKeyAndAlt(key, alt);
    }
  }
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
  rocksdb::Status MaybePostVerify(const Slice& content) override {
    return First().MaybePostVerify(content);
  }

  Slice Finish(std::unique_ptr<const char[]>* buf) override {
    rocksdb::Status status;
    return Finish(buf, &status);
  }

  Slice Finish(std::unique_ptr<const char[]>* buf, rocksdb::Status* status) override {
    auto blocks = std::make_shared<std::vector<std::string>>();
    PairedFilters::Built built;
    Slice first;
    for (Part& part : parts_) {
      std::string block;
      if (part.builder != nullptr) {
        const bool is_first = blocks->empty();
        std::unique_ptr<const char[]> shadow;
        plugin::NoteBuilt({}, 0);  // clears the note of the preceding policy
        const Slice finished = part.builder->Finish(is_first ? buf : &shadow, status);
        if (is_first) first = finished;
        block = finished.ToString();
        const LastBuiltFilter now = plugin::WhatWasBuilt();
        part.noted.files = now.files;
        part.noted.id = now.id;
      }
      blocks->push_back(std::move(block));
      built.by_policy.push_back(part.noted);
    }
    built.blocks = std::move(blocks);
    filters_->Add(std::move(built));
    return first;
  }

 private:
  rocksdb::FilterBitsBuilder& First() const { return *parts_.front().builder; }

  std::vector<Part> parts_;
  const std::shared_ptr<PairedFilters> filters_;
};

// Answers by the first policy's filter. Keeps the readers of the others alive.
class PairedReader final : public rocksdb::FilterBitsReader {
 public:
  PairedReader(std::vector<std::unique_ptr<rocksdb::FilterBitsReader>> readers,
               PairedFilters::Blocks blocks)
      : blocks_(std::move(blocks)), readers_(std::move(readers)) {}

  using FilterBitsReader::MayMatch;
  bool MayMatch(const Slice& entry) override {
    const bool answer = readers_.front()->MayMatch(entry);
    for (size_t i = 1; i < readers_.size(); ++i) readers_[i]->MayMatch(entry);
    return answer;
  }

 private:
  const PairedFilters::Blocks blocks_;  // referenced by the readers
  const std::vector<std::unique_ptr<rocksdb::FilterBitsReader>> readers_;
};

class PairedPolicy final : public rocksdb::FilterPolicy {
 public:
  PairedPolicy(Policies policies, std::shared_ptr<PairedFilters> filters)
      : policies_(std::move(policies)), filters_(std::move(filters)) {}

  const char* Name() const override { return policies_.front()->Name(); }
  const char* CompatibilityName() const override { return policies_.front()->CompatibilityName(); }

  rocksdb::Status ValidateOptions(const rocksdb::DBOptions& database,
                                  const rocksdb::ColumnFamilyOptions& family) const override {
    for (const auto& policy : policies_) {
      rocksdb::Status status = policy->ValidateOptions(database, family);
      if (!status.ok()) return status;
    }
    return rocksdb::Status::OK();
  }

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    std::vector<PairedBuilder::Part> parts;
    for (const auto& policy : policies_) {
      PairedBuilder::Part part;
      part.builder.reset(policy->GetBuilderWithContext(context));
      part.noted = plugin::WhatWasBuilt();
      parts.push_back(std::move(part));
    }
    std::vector<LastBuiltFilter> noted;
    for (const PairedBuilder::Part& part : parts) noted.push_back(part.noted);
    filters_->Begin(std::move(noted));
    // The other policies do not see the keys either.
    if (parts.front().builder == nullptr) return nullptr;
    return new PairedBuilder(std::move(parts), filters_);
  }

  rocksdb::FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    std::vector<std::unique_ptr<rocksdb::FilterBitsReader>> readers;
    readers.emplace_back(policies_.front()->GetFilterBitsReader(contents));
    const PairedFilters::Blocks blocks = filters_->ByFirst(contents.ToString());
    for (size_t i = 1; blocks != nullptr && i < policies_.size(); ++i) {
      const std::string& block = (*blocks)[i];
      if (!block.empty()) readers.emplace_back(policies_[i]->GetFilterBitsReader(block));
    }
    return new PairedReader(std::move(readers), blocks);
  }

 private:
  const Policies policies_;
  const std::shared_ptr<PairedFilters> filters_;
};

// Forwards the database's events to every listener, with file properties as if the file had the
// filter of the listener's policy.
class PairedListener final : public rocksdb::EventListener {
 public:
  PairedListener(std::vector<std::shared_ptr<rocksdb::EventListener>> listeners,
                 std::shared_ptr<PairedFilters> filters)
      : listeners_(std::move(listeners)), filters_(std::move(filters)) {}

  void OnFlushBegin(rocksdb::DB* db, const rocksdb::FlushJobInfo& info) override {
    for (const auto& one : listeners_) one->OnFlushBegin(db, info);
  }
  void OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo& info) override {
    for (const auto& one : listeners_) one->OnFlushCompleted(db, info);
  }
  void OnCompactionBegin(rocksdb::DB* db, const rocksdb::CompactionJobInfo& info) override {
    for (const auto& one : listeners_) one->OnCompactionBegin(db, info);
  }
  void OnCompactionCompleted(rocksdb::DB* db, const rocksdb::CompactionJobInfo& info) override {
    for (const auto& one : listeners_) one->OnCompactionCompleted(db, info);
  }
  void OnExternalFileIngested(rocksdb::DB* db,
                              const rocksdb::ExternalFileIngestionInfo& info) override {
    for (const auto& one : listeners_) one->OnExternalFileIngested(db, info);
  }
  void OnTableFileCreationStarted(const rocksdb::TableFileCreationBriefInfo& info) override {
    for (const auto& one : listeners_) one->OnTableFileCreationStarted(info);
  }
  void OnTableFileCreated(const rocksdb::TableFileCreationInfo& info) override {
    const PairedFilters::Built built = filters_->SetFile(info.file_path);
    for (size_t i = 0; i < listeners_.size(); ++i) {
      if (i < built.by_policy.size()) {
        const LastBuiltFilter& by_policy = built.by_policy[i];
        plugin::NoteBuilder(by_policy.policy.lock());
        plugin::NoteBuilt(by_policy.files.lock(), by_policy.id);
      }
      listeners_[i]->OnTableFileCreated(info);
    }
  }
  void OnTableFileDeleted(const rocksdb::TableFileDeletionInfo& info) override {
    for (const auto& one : listeners_) one->OnTableFileDeleted(info);
  }
  void OnColumnFamilyHandleDeletionStarted(rocksdb::ColumnFamilyHandle* handle) override {
    for (const auto& one : listeners_) one->OnColumnFamilyHandleDeletionStarted(handle);
  }

 private:
  const std::vector<std::shared_ptr<rocksdb::EventListener>> listeners_;
  const std::shared_ptr<PairedFilters> filters_;
};

}  // namespace

PairedPolicies::PairedPolicies(const Policies& policies, bool has_listeners)
    : filters_(std::make_shared<PairedFilters>()),
      policy_(std::make_shared<PairedPolicy>(policies, filters_)) {
  std::vector<std::shared_ptr<rocksdb::EventListener>> listeners;
  for (size_t i = 0; has_listeners && i < policies.size(); ++i) {
    listeners.push_back(NewListener(policies[i]));
  }
  listener_ = std::make_shared<PairedListener>(std::move(listeners), filters_);
}

std::vector<FilterFile> PairedPolicies::WithFiltersOf(size_t policy,
                                                      std::vector<FilterFile> files) const {
  for (FilterFile& file : files) {
    const PairedFilters::Blocks blocks = filters_->ByFile(file.name);
    if (blocks == nullptr) continue;
    const std::string& block = (*blocks)[policy];
    file.bytes = block.size();
    file.blocks = block.empty() ? 0 : 1;
    file.rate = core::ExpectedKeyRate(block);
  }
  return files;
}

}  // namespace winnow::bench
