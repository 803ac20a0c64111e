// A complete example: a store whose Get() checks a ConcurrentBloom before it searches the memtable.
// What is flushed goes to sorted tables; lsm_store_example shows filters in front of such. Runs
// with and without the memtable's filter; verifies its results and prints what the filter saved.
// Uses only Winnow's public headers and libwinnow_amq.so.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "winnow/amq/concurrent_bloom.h"
#include "winnow/amq/plan.h"
#include "winnow/hash.h"

namespace {

using Table = std::map<std::string, std::string, std::less<>>;
using TablePointer = std::shared_ptr<const Table>;

// The memtable, with concurrent puts and gets. Keys are partitioned by hash, and each part has a
// lock. The filter in front has no lock: a lookup of an absent key, the most frequent case, waits
// for nobody.
class MemoryTable {
 public:
  MemoryTable(size_t entries, bool has_filter) {
    if (has_filter) filter_.emplace(winnow::amq::Plan{entries, 0.01});
  }

  // Puts an entry. Returns the new number of keys if the key was new, else 0.
  size_t Put(std::string key, std::string value) {
    const winnow::KeyHash hash = winnow::HashKey(key);
    // A thread that gets the key after this function returns finds it in the filter.
    if (filter_) filter_->Add(hash);
    Part& part = PartOf(hash);
    const std::lock_guard<std::mutex> lock(part.mutex);
    const bool is_new = part.entries.insert_or_assign(std::move(key), std::move(value)).second;
    return is_new ? ++size_ : 0;
  }

  std::optional<std::string> Get(std::string_view key, winnow::KeyHash hash) const {
    if (filter_ && !filter_->MayContain(hash)) return std::nullopt;
    ++searches_;
    const Part& part = PartOf(hash);
    const std::lock_guard<std::mutex> lock(part.mutex);
    const auto found = part.entries.find(key);
    if (found == part.entries.end()) return std::nullopt;
    return found->second;
  }

  // Returns all entries. No thread may put entries during the call.
  Table Sorted() const {
    Table all;
    for (const Part& part : parts_) all.insert(part.entries.begin(), part.entries.end());
    return all;
  }

  static uint64_t searches() { return searches_; }

 private:
  struct Part {
    mutable std::mutex mutex;
    Table entries;
  };

  Part& PartOf(winnow::KeyHash hash) { return parts_[hash.value % parts_.size()]; }
  const Part& PartOf(winnow::KeyHash hash) const { return parts_[hash.value % parts_.size()]; }

  static std::atomic<uint64_t> searches_;

  std::array<Part, 8> parts_;
  std::atomic<size_t> size_{0};
  std::optional<winnow::amq::ConcurrentBloom> filter_;
};

std::atomic<uint64_t> MemoryTable::searches_{0};

// A memtable and the tables that were flushed from earlier ones, newest first.
class Store {
 public:
  explicit Store(bool filters_memory) : filters_memory_(filters_memory), memory_(NewMemory()) {}

  // Put() and Get() are thread-safe.
  void Put(std::string key, std::string value) {
    size_t size = 0;
    {
      const std::shared_lock<std::shared_mutex> lock(writing_);
      size = memory_->Put(std::move(key), std::move(value));
    }
    if (size == kMemoryEntries) Flush();  // exactly one thread gets this number
  }

  std::optional<std::string> Get(std::string_view key) const {
    std::shared_ptr<const MemoryTable> memory;
    std::vector<TablePointer> tables;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      memory = memory_;
      tables = tables_;
    }
    if (auto value = memory->Get(key, winnow::HashKey(key))) return value;
    for (const TablePointer& table : tables) {
      if (const auto found = table->find(key); found != table->end()) return found->second;
    }
    return std::nullopt;
  }

 private:
  static constexpr size_t kMemoryEntries = 1000;

  std::shared_ptr<MemoryTable> NewMemory() const {
    return std::make_shared<MemoryTable>(kMemoryEntries, filters_memory_);
  }

  void Flush() {
    // No thread puts meanwhile, and only the flushing thread changes memory_ and tables_.
    const std::unique_lock<std::shared_mutex> writing(writing_);
    auto table = std::make_shared<const Table>(memory_->Sorted());
    const std::lock_guard<std::mutex> lock(mutex_);
    tables_.insert(tables_.begin(), std::move(table));
    memory_ = NewMemory();
  }

  const bool filters_memory_;
  std::shared_mutex writing_;  // held shared during puts
  mutable std::mutex mutex_;   // guards the memtable's pointer, and the tables:
  std::shared_ptr<MemoryTable> memory_;
  std::vector<TablePointer> tables_;
};

// ---- The check

std::string KeyOf(uint64_t i) {
  return "key " + std::to_string(i * 0x9e3779b97f4a7c15u % 1'000'000'007);
}

constexpr uint64_t kKeys = 40'000;    // further writes overwrite keys
constexpr uint64_t kWriters = 2;      // each has its own keys
constexpr uint64_t kWrites = 60'500;  // total; some of the last stay in the memtable

struct Counts {
  uint64_t wrong = 0;
  double memory_searches = 0;  // per absent key
};

// Two threads write while two others read; afterwards the content is compared with a map.
Counts Exercise(Store* store) {
  std::array<std::atomic<uint64_t>, kWriters> written{};
  std::atomic<uint64_t> wrong{0};
  std::atomic<bool> all_written{false};
  std::vector<std::thread> readers;
  for (uint64_t reader = 0; reader < 2; ++reader) {
    readers.emplace_back([&, reader] {
      for (uint64_t i = reader; !all_written; i += 7) {
        const uint64_t writer = i % kWriters;
        const uint64_t known = std::min<uint64_t>(written[writer], kKeys / kWriters);
        if (known != 0 && !store->Get(KeyOf(i % known * kWriters + writer))) ++wrong;
      }
    });
  }
  std::vector<std::thread> writers;
  for (uint64_t writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      for (uint64_t i = writer; i < kWrites; i += kWriters) {
        store->Put(KeyOf(i % kKeys), std::to_string(i));
        ++written[writer];
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  all_written = true;
  for (std::thread& reader : readers) reader.join();

  std::map<std::string, std::string> expected;
  for (uint64_t i = 0; i < kWrites; ++i) expected[KeyOf(i % kKeys)] = std::to_string(i);
  Counts counts;
  for (const auto& [key, value] : expected) {
    if (store->Get(key) != value) ++wrong;
  }
  const uint64_t searches = MemoryTable::searches();
  for (uint64_t i = 0; i < kKeys; ++i) {
    if (store->Get("no " + KeyOf(i)) || store->Get(KeyOf(i) + "0 is no key")) ++wrong;
  }
  counts.memory_searches =
      static_cast<double>(MemoryTable::searches() - searches) / static_cast<double>(2 * kKeys);
  counts.wrong = wrong;
  return counts;
}

}  // namespace

int main() {
  bool works = true;
  for (const bool filters_memory : {false, true}) {
    Store store(filters_memory);
    const Counts counts = Exercise(&store);
    std::printf(
        "memtable %s a filter, searched for a key that is not there %.5f times; %llu wrong\n",
        filters_memory ? "with" : "without", counts.memory_searches,
        static_cast<unsigned long long>(counts.wrong));
    works &= counts.wrong == 0;
    works &= filters_memory ? counts.memory_searches < 0.02 : counts.memory_searches == 1;
  }
  return works ? 0 : 1;
}
