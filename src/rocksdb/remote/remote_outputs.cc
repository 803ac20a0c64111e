#include "src/rocksdb/remote/remote_outputs.h"

#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "src/core/format.h"
#include "src/rocksdb/messages/info_log.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/policy.h"
#include "src/rocksdb/remote/stated_rates.h"
#include "third_party/rocksdb_abi/type_information.h"
#include "winnow/filter.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::SstFileReader;
using ROCKSDB_NAMESPACE::TableProperties;

struct FirstBlock {
  bool is_read = false;
  bool is_ours = false;
  std::optional<double> rate;  // that it states
};

FirstBlock WhatIs(std::string_view block) {
  FirstBlock what{true, core::LooksOurs(block), std::nullopt};
  const FilterView view(block);
  if (what.is_ours && view.fault() == Fault::kNone) what.rate = view.info().target_fpr;
  return what;
}

// Looks at the first filter block only: the other partitions are like it.
class FirstBlockPolicy final : public FilterPolicy {
 public:
  explicit FirstBlockPolicy(FirstBlock* first) : first_(first) {}

  const char* Name() const override { return "winnow.internal.FirstBlock"; }
  const char* CompatibilityName() const override { return "rocksdb.BuiltinBloomFilter"; }

  ROCKSDB_NAMESPACE::FilterBitsBuilder* GetBuilderWithContext(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& /*context*/) const override {
    return nullptr;
  }

  // Returns null: "may match".
  ROCKSDB_NAMESPACE::FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    if (!first_->is_read) *first_ = WhatIs({contents.data(), contents.size()});
    return nullptr;
  }

 private:
  FirstBlock* const first_;
};

// RocksDB reads partitions only if there is a cache for them.
constexpr size_t kCacheBytes = 1 << 20;

Options ReaderOptions(ROCKSDB_NAMESPACE::Env* env, const BlockBasedTableOptions& table) {
  Options options;
  options.env = env;
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  return options;
}

FirstBlock ReadFirstBlock(ROCKSDB_NAMESPACE::Env* env, const std::string& path) {
  FirstBlock first;
  BlockBasedTableOptions table;
  table.block_cache = ROCKSDB_NAMESPACE::NewLRUCache(kCacheBytes);
  table.filter_policy = std::make_shared<const FirstBlockPolicy>(&first);
  SstFileReader reader(ReaderOptions(env, table));
  return reader.Open(path).ok() ? first : FirstBlock();
}

bool NamesBuiltin(const std::string& policy) {
  return policy == "bloomfilter" || policy == "ribbonfilter";
}

// Without whole keys, a filter has nothing of keys that have no prefix.
bool HasWholeKeys(const TableProperties& properties) {
  const auto found =
      properties.user_collected_properties.find("rocksdb.block.based.table.whole.key.filtering");
  return found == properties.user_collected_properties.end() || found->second != "0";
}

// A fault as the end of a sentence about the file; empty: none.
struct FaultOfFile {
  std::string text;
  std::string path;
  bool is_of_rate = false;
};

std::string Percent(double rate) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", 100 * rate);
  return text;
}

std::string FaultOfRate(double rate, const std::vector<RateRange>& rates) {
  if (IsOneOf(rate, rates)) return {};
  const RateRange& asked = rates.front();
  return "has a filter for " + Percent(rate) +
         " of false positives, and this process's options ask for " +
         (asked.least < asked.usual ? "about " : "") + Percent(asked.usual);
}

// A file that can't be read has no fault here: it may have been compacted again and be gone, and
// RocksDB reports damage itself.
FaultOfFile FaultOfItself(ROCKSDB_NAMESPACE::Env* env, const RemoteOutput& file, bool* has_rate) {
  SstFileReader reader(OptionsToReadProperties(env));
  if (!reader.Open(file.path).ok()) return {};
  const std::shared_ptr<const TableProperties> properties = reader.GetTableProperties();
  if (properties == nullptr) return {};
  const std::string& policy = properties->filter_policy_name;
  const bool has_ours = policy == Policy::kName && !file.rates.empty();
  FirstBlock first;
  if (properties->filter_size > 0 && (has_ours || NamesBuiltin(policy))) {
    first = ReadFirstBlock(env, file.path);
  }
  const std::string fault = FaultOfOutput(*properties, first.is_ours, file.all_have_filters);
  *has_rate = first.rate.has_value();
  if (!fault.empty() || !*has_rate) return {fault, file.path};
  return {FaultOfRate(*first.rate, file.rates), file.path, true};
}

FaultOfFile FaultOf(ROCKSDB_NAMESPACE::Env* env, const RemoteOutput& file) {
  bool has_rate = false;
  FaultOfFile fault = FaultOfItself(env, file, &has_rate);
  if (has_rate || !fault.text.empty() || file.rates.empty()) return fault;
  for (const std::string& path : file.others) {
    const FirstBlock first = ReadFirstBlock(env, path);
    if (first.rate) return {FaultOfRate(*first.rate, file.rates), path, true};
  }
  return {};
}

void SayOf(const RemoteOutputs::Database& database, const std::string& line) {
  WriteInLog(database.log.get(), ROCKSDB_NAMESPACE::InfoLogLevel::WARN_LEVEL, line);
  if (IsLogging()) SayOnStderr(line);
}

constexpr char kWereNotLookedAt[] = "were not looked at";
constexpr char kHaveOtherFilters[] = "since the last line have not the filters that they should";

// Text about so many files that no line names.
std::string MoreText(size_t count, const char* what, const std::string& folder) {
  return std::to_string(count) + " more " + what + "; `winnow inspect " + folder + "` lists all";
}

// Text about the writers of files that were not looked at, or not reported.
constexpr char kOfOthers[] = "of the files that other processes wrote by DB::OpenAndCompact, ";

std::string LineOf(const RemoteOutput& file, const FaultOfFile& fault, size_t unsaid) {
  return std::string("compactions by other processes ") +
         (fault.is_of_rate ? "build filters by other options: " : "lose Winnow's filters: ") +
         fault.path + " of column family " + file.family + " " + fault.text +
         "; in the process that calls DB::OpenAndCompact, call winnow::PrepareOpenAndCompact "
         "(winnow/rocksdb_remote_compaction.h) before, or preload libwinnow_preload.so, with the "
         "WINNOW_POLICY of this process if it has one, and leave table_factory null; lookups read "
         "the file " +
         (fault.is_of_rate ? "by that filter" : "without Winnow's filter") +
         " until it is compacted again" +
         (unsaid == 0
              ? std::string()
              : "; so it is of " + std::to_string(unsaid) + " more since the last such line");
}

}  // namespace

Options OptionsToReadProperties(ROCKSDB_NAMESPACE::Env* env) {
  BlockBasedTableOptions table;
  table.no_block_cache = true;
  return ReaderOptions(env, table);
}

std::string FaultOfOutput(const TableProperties& properties, bool is_ours, bool all_have_filters) {
  const std::string& policy = properties.filter_policy_name;
  if (is_ours || properties.num_entries <= properties.num_range_deletions) return {};
  if (properties.filter_size > 0) {
    if (policy == Policy::kName) return {};
    return "has a filter of " + std::string(NamesBuiltin(policy) ? "RocksDB's" : "the") +
           " policy " + Quoted(policy) + ", which is the worker's";
  }
  if (policy.empty()) return "has no filter, as the worker's table_factory has no filter policy";
  const bool may_be_left_out = policy == Policy::kName || NamesBuiltin(policy);
  if (may_be_left_out && !(all_have_filters && HasWholeKeys(properties))) return {};
  return "has no filter, as the worker's policy " + Quoted(policy) + " built none";
}

std::optional<size_t> SayingPace::Next(Time now) {
  if (last_ && now - *last_ < kInterval) {
    ++unsaid_;
    return std::nullopt;
  }
  last_ = now;
  return std::exchange(unsaid_, 0);
}

// State that the thread keeps alive by itself.
struct RemoteOutputs::State {
  struct Waiting {
    Database database;
    RemoteOutput file;
  };

  // What was reported of a database until it is closed.
  struct Told {
    Database database;
    SayingPace pace;
    size_t left_out = 0;  // that no line told of yet
  };

  // For all functions below, the lock is held.

  // A forked process does not have the thread.
  void ForgetIfForked() noexcept {
    if (process == getpid()) return;
    process = getpid();
    waiting.clear();
    told.clear();
    reading = nullptr;
    has_thread = false;
  }

  void LeaveOutAll() noexcept {
    for (const Waiting& one : waiting) {
      const auto found = told.find(one.database.name);
      if (found != told.end()) ++found->second.left_out;
    }
    waiting.clear();
  }

  // The lock is not held.

  static void Work(const std::shared_ptr<State>& state) noexcept {
    std::unique_lock<std::mutex> lock(state->mutex);
    while (!state->waiting.empty()) {
      {
        const Waiting next = std::move(state->waiting.front());
        state->waiting.pop_front();
        state->reading = next.database.name;
        lock.unlock();
        state->Read(next);
      }
      lock.lock();
      state->reading = nullptr;
      state->was_read.notify_all();
    }
    state->has_thread = false;
  }

  void Read(const Waiting& next) noexcept {
    try {
      const FaultOfFile fault = FaultOf(next.database.env, next.file);
      if (!fault.text.empty()) Say(next, fault);
    } catch (...) {
      // Memory is short.
    }
  }

  void Say(const Waiting& next, const FaultOfFile& fault) {
    std::optional<size_t> unsaid;
    size_t left_out = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      Told& database = told[next.database.name];
      unsaid = database.pace.Next(std::chrono::steady_clock::now());
      if (unsaid) left_out = std::exchange(database.left_out, 0);
    }
    if (!unsaid) return;
    std::string line = LineOf(next.file, fault, *unsaid);
    if (left_out > 0) line += "; " + MoreText(left_out, kWereNotLookedAt, next.database.folder);
    SayOf(next.database, line);
  }

  std::mutex mutex;
  std::condition_variable was_read;
  std::deque<Waiting> waiting;  // there is a thread if any does
  std::map<const void*, Told> told;
  const void* reading = nullptr;  // of which database
  bool has_thread = false;
  pid_t process = getpid();
};

RemoteOutputs::RemoteOutputs() : state_(std::make_shared<State>()) {}

RemoteOutputs::~RemoteOutputs() {
  std::unique_lock<std::mutex> lock(state_->mutex);
  state_->ForgetIfForked();
  state_->waiting.clear();
  state_->was_read.wait(lock, [this] { return state_->reading == nullptr; });
}

void RemoteOutputs::Look(const Database& database, std::vector<RemoteOutput> files) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->ForgetIfForked();
  State::Told& told = state_->told[database.name];
  told.database = database;
  size_t taken = 0;
  try {
    while (taken < files.size() && state_->waiting.size() < kMaxWaiting) {
      state_->waiting.push_back({database, std::move(files[taken])});
      ++taken;
    }
    if (!state_->has_thread && !state_->waiting.empty()) {
      // A lambda, because its type is hidden if this is compiled into RocksDB. A thread of State's
      // own function would be exported, as State was incomplete when its pointer was instantiated.
      std::thread([state = state_] { State::Work(state); }).detach();
      state_->has_thread = true;
    }
  } catch (...) {
    if (!state_->has_thread) state_->LeaveOutAll();  // which nobody would read
  }
  told.left_out += files.size() - taken;
}

void RemoteOutputs::Closed(const void* database) noexcept {
  std::unique_lock<std::mutex> lock(state_->mutex);
  const auto is_its = [database](const State::Waiting& one) {
    return one.database.name == database;
  };
  state_->ForgetIfForked();
  size_t kept = 0;
  const size_t waited = state_->waiting.size();
  state_->waiting.erase(
      std::remove_if(state_->waiting.begin(), state_->waiting.end(),
                     [&](const State::Waiting& one) { return is_its(one) && ++kept > kMaxAtEnd; }),
      state_->waiting.end());
  const size_t left_out = waited - state_->waiting.size();
  std::stable_partition(state_->waiting.begin(), state_->waiting.end(), is_its);
  state_->was_read.wait(lock, [&] {
    return state_->reading != database &&
           std::none_of(state_->waiting.begin(), state_->waiting.end(), is_its);
  });
  auto told = state_->told.extract(database);
  lock.unlock();
  if (told.empty()) return;
  told.mapped().left_out += left_out;
  try {
    const Database& closed = told.mapped().database;
    if (const size_t unsaid = told.mapped().pace.TakeUnsaid(); unsaid > 0) {
      SayOf(closed, kOfOthers + MoreText(unsaid, kHaveOtherFilters, closed.folder));
    }
    if (told.mapped().left_out > 0) {
      SayOf(closed, kOfOthers + MoreText(told.mapped().left_out, kWereNotLookedAt, closed.folder));
    }
  } catch (...) {
    // Memory is short.
  }
}

}  // namespace winnow::plugin
