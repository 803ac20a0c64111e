// Address space of threads that look up keys: what they take while they live, and what stays.

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <unistd.h>

#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "tests/support/sanitized.h"
#include "winnow/rocksdb_listener.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace thread_addresses_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::PinnableSlice;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::WriteOptions;

constexpr int kThreads = 64;
constexpr size_t kMostPerThread = size_t{1} << 20;

size_t AddressSpace() {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

size_t Growth(size_t before, size_t now) { return now > before ? now - before : 0; }

// Point at which all threads and the test wait for each other.
class Meeting {
 public:
  void Arrive() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (++arrived_ == kThreads + 1) all_.notify_all();
    all_.wait(lock, [this] { return arrived_ == kThreads + 1; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_;
  int arrived_ = 0;
};

// Runs `work` in kThreads threads at once. Returns by how much it makes the address space grow
// while all of them live.
size_t GrowthWhileTheyLive(const std::function<void(int)>& work) {
  Meeting started;
  Meeting begin;
  Meeting done;
  Meeting end;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      // malloc reserves addresses for the first block of a thread.
      void* const volatile block = std::malloc(1000);  // volatile, or the compiler omits it
      std::free(block);
      started.Arrive();
      begin.Arrive();
      work(i);
      done.Arrive();
      end.Arrive();
    });
  }
  started.Arrive();
  const size_t before = AddressSpace();
  begin.Arrive();
  done.Arrive();
  const size_t growth = Growth(before, AddressSpace());
  end.Arrive();
  for (std::thread& thread : threads) thread.join();
  return growth;
}

std::string Key(int number) { return "k" + std::to_string(100'000 + number); }

TEST(ThreadAddressesTest, AThreadThatLooksUpAndScansTakesAMebibyteAtMostAndGivesItBack) {
  if (testing::kSanitized) GTEST_SKIP() << "the sanitizers' own memory of a thread is larger";
  ASSERT_EQ(winnow_rocksdb_register(), 0);
  const testing::TemporaryFolder folder;
  BlockBasedTableOptions table;
  table.filter_policy =
      testing::MakePolicyFrom("{id=winnow;bits_per_key=10;level_plan=auto;range_bits=15}");
  Options options;
  options.create_if_missing = true;
  options.prefix_extractor = NewRangeExtractor();
  options.listeners = {NewListener(table.filter_policy)};
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  const std::unique_ptr<DB> database = testing::OpenDatabase(options, folder / "database");
  for (int file = 0; file < 3; ++file) {
    for (int i = file; i < 3000; i += 3) {
      ASSERT_STATUS_OK(database->Put(WriteOptions(), Key(2 * i), std::string(2000, 'v')));
    }
    ASSERT_STATUS_OK(database->Flush(FlushOptions()));
  }
  const auto look_up = [&](int thread) {
    for (int i = 0; i < 300; ++i) {
      const int number = (thread * 37 + i * 11) % 6000;
      const bool is_there = number % 2 == 0;
      const std::string key = Key(number);
      std::string value;
      ASSERT_EQ(database->Get(ReadOptions(), key, &value).ok(), is_there);

      // Long keys are kept elsewhere than short ones.
      const std::vector<std::string> keys = {key, key + std::string(500, 'x'), Key(number + 1)};
      const std::vector<Slice> asked(keys.begin(), keys.end());
      std::vector<PinnableSlice> values(asked.size());
      std::vector<Status> found(asked.size());
      database->MultiGet(ReadOptions(), database->DefaultColumnFamily(), asked.size(), asked.data(),
                         values.data(), found.data());
      ASSERT_EQ(found[0].ok(), is_there);
      ASSERT_TRUE(found[1].IsNotFound());

      const std::string end = key + "\1";
      const Slice bound(end);
      ReadOptions read;
      read.iterate_upper_bound = &bound;
      const std::unique_ptr<Iterator> rows(database->NewIterator(read));
      rows->Seek(key);
      ASSERT_EQ(rows->Valid(), is_there);
    }
  };

  // The first round also fills the caches of the threads library, and the block cache, whose blocks
  // stay when the threads that have read them end.
  GrowthWhileTheyLive([](int) {});
  look_up(0);
  size_t before = 0;
  for (int round = 0; round < 4; ++round) {
    EXPECT_LE(GrowthWhileTheyLive(look_up), kThreads * kMostPerThread);
    if (round == 0) before = AddressSpace();
  }
  EXPECT_LE(Growth(before, AddressSpace()), kMostPerThread) << "all threads have ended";
  EXPECT_GT(CurrentLookupCounters().ranges_denied, 0u);
}

}  // namespace thread_addresses_test
}  // namespace winnow::plugin
