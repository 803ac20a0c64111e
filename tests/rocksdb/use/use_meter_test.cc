#include "src/rocksdb/use/use_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "src/rocksdb/bits_reader.h"
#include "src/rocksdb/lookups/counted_asks.h"
#include "src/rocksdb/lookups/kept_key.h"
#include "src/rocksdb/use/use_cell.h"
#include "src/rocksdb/use/use_text.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/builder.h"
#include "winnow/filter.h"

namespace winnow::plugin {
namespace use_meter_test {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;

std::string BlockOf(int level, double bits, size_t keys) {
  FilterOptions options;
  options.level = level;
  options.bits_per_key = bits;
  FilterBuilder builder(options);
  for (size_t i = 0; i < keys; ++i) builder.Add("key " + std::to_string(i));
  const FilterBlock block = builder.Finish();
  return std::string(block.bytes());
}

class UseMeterTest : public ::testing::Test {
 protected:
  UseMeterTest() { EXPECT_TRUE(NewBuiltinReader(&builtin_).ok()); }
  ~UseMeterTest() override { SetMeanGap(kNoSetGap); }

  std::unique_ptr<FilterBitsReader> Reader(const std::string& block,
                                           const std::shared_ptr<NamedUse>& use,
                                           OwnedReader owned = {}) {
    return std::unique_ptr<FilterBitsReader>(
        NewBitsReader(block, *builtin_, std::move(owned), use.get()));
  }
  std::unique_ptr<FilterBitsReader> Reader(const std::string& block) { return Reader(block, use_); }

  // Returns the sums of this test's meter only.
  UseSums SumsOf(int level) const { return use_->Read(false)[{"", level}]; }

  const int log_ = 0;
  const std::string block_ = BlockOf(6, 7, 100);
  std::shared_ptr<const FilterPolicy> builtin_;
  UseMeter meter_;
  const std::shared_ptr<NamedUse> use_ = meter_.Named("bits_per_key=10");
};

// Runs `work` in a new thread, which samples with the mean gap set before.
void InThread(const std::function<void()>& work) { std::thread(work).join(); }

size_t AskAll(FilterBitsReader* reader, std::vector<std::string> keys, bool together) {
  size_t denied = 0;
  if (!together) {
    for (const std::string& key : keys) denied += reader->MayMatch(key) ? 0 : 1;
    return denied;
  }
  std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<Slice*> pointers;
  for (Slice& slice : slices) pointers.push_back(&slice);
  const std::unique_ptr<bool[]> may_match(new bool[keys.size()]);
  reader->MayMatch(static_cast<int>(keys.size()), pointers.data(), may_match.get());
  for (size_t i = 0; i < keys.size(); ++i) denied += may_match[i] ? 0 : 1;
  return denied;
}

std::vector<std::string> Keys(size_t n, size_t length, bool present) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < n; ++i) {
    std::string key = (present ? "key " : "absent ") + std::to_string(i);
    if (!present) key.resize(std::max(key.size(), length), '.');
    keys.push_back(std::move(key));
  }
  return keys;
}

// All paths of a lookup: short, medium and long keys, computed and shared hashes, single keys and
// batches. A filter's file counts the same checks.
TEST_F(UseMeterTest, CountsEachAskWhereTheGapIsOne) {
  SetMeanGap(1);
  const std::string block = BlockOf(3, 10, 1000);
  for (const bool has_file : {false, true}) {
    const auto tree = std::make_shared<TreeRecord>();
    const auto file = std::make_shared<family::LiveFile>();
    file->bits = 60;  // asked() is then the number of denied checks
    const auto reader = Reader(block, use_, has_file ? OwnedReader(tree, file) : OwnedReader());
    for (const size_t length : {8, 40, 70, 200, 600, 2000}) {
      for (const bool together : {false, true}) {
        for (const int repeats : {1, 3}) {
          InThread([&] {
            const UseSums before = SumsOf(3);
            const double counted = file->asked();
            const LookupCounts lookups = CurrentLookupCounts();
            size_t denied = 0;
            for (size_t batch = 0; batch < 20; ++batch) {
              const auto keys = Keys(31, length, batch % 2 == 0);
              for (int i = 0; together && i < repeats; ++i) {
                denied += AskAll(reader.get(), keys, true);
              }
              if (together) continue;
              for (const std::string& key : keys) {
                for (int i = 0; i < repeats; ++i) denied += AskAll(reader.get(), {key}, false);
              }
            }
            const UseSums after = SumsOf(3);
            const size_t asked = 20 * 31 * static_cast<size_t>(repeats);
            const LookupCounts now = CurrentLookupCounts();
            EXPECT_EQ(now.computed + now.shared - lookups.computed - lookups.shared, asked);
            EXPECT_EQ(after.asks - before.asks, asked)
                << length << " bytes, together " << together << ", repeats " << repeats << ", file "
                << has_file;
            EXPECT_EQ(after.asks_counted - before.asks_counted, asked);
            EXPECT_EQ(after.denied - before.denied, denied);
            EXPECT_NEAR(file->asked() - counted, has_file ? static_cast<double>(denied) : 0, 1e-3)
                << length << " bytes, together " << together;
            EXPECT_GT(denied, 0u);
          });
        }
      }
    }
  }
}

// Counts are unbiased for a hot key, and for readers that are called in turn.
TEST_F(UseMeterTest, CountsAsksWhateverTheirKey) {
  constexpr uint32_t kGap = 16;
  constexpr size_t kAsks = 400'000;
  SetMeanGap(kGap);
  std::vector<std::string> blocks;
  std::vector<std::unique_ptr<FilterBitsReader>> readers;
  for (int level = 0; level < 4; ++level) {
    blocks.push_back(BlockOf(level, 10, 100));
  }
  for (const std::string& block : blocks) readers.push_back(Reader(block));
  InThread([&] {
    const std::string hot = "absent and hot";
    std::string cold = "absent and cold 0000000";
    for (size_t i = 0; i < kAsks; ++i) {
      cold.replace(16, 7, std::to_string(1'000'000 + i));
      for (const auto& reader : readers) reader->MayMatch(i % 4 != 0 ? hot : cold);
    }
  });
  for (int level = 0; level < 4; ++level) {
    const UseSums sums = SumsOf(level);
    // The tolerance is five standard deviations of a count with mean kAsks / kGap.
    const double deviation = std::sqrt(kAsks * (1.0 / kGap) * (1 - 1.0 / kGap)) * kGap;
    EXPECT_NEAR(static_cast<double>(sums.asks), kAsks, 5 * deviation) << "level " << level;
    EXPECT_NEAR(static_cast<double>(sums.denied), kAsks, 6 * deviation);
  }
}

TEST_F(UseMeterTest, MoreThreadsThanSlotsLoseNothingAndNothingFalls) {
  SetMeanGap(1);
  constexpr size_t kThreads = 1500;
  constexpr size_t kEach = 200;
  const std::string block = BlockOf(2, 10, 1000);
  const auto reader = Reader(block);
  std::mutex mutex;
  std::condition_variable all_are_there;
  size_t there = 0;
  std::atomic<bool> is_done{false};
  std::thread watcher([&] {
    UseSums before;
    while (!is_done.load(std::memory_order_relaxed)) {
      const UseSums now = SumsOf(2);
      EXPECT_GE(now.asks, before.asks);
      EXPECT_GE(now.denied, before.denied);
      EXPECT_GE(now.false_positives, before.false_positives);
      before = now;
    }
  });
  std::vector<std::thread> threads;
  std::atomic<size_t> denied{0};
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      reader->MayMatch("key 1");
      {
        std::unique_lock<std::mutex> lock(mutex);
        if (++there == kThreads) all_are_there.notify_all();
        all_are_there.wait(lock, [&] { return there == kThreads; });
      }
      size_t no = 0;
      for (size_t j = 1; j < kEach; ++j) {
        no += reader->MayMatch("absent " + std::to_string(i * kEach + j)) ? 0 : 1;
      }
      denied += no;
    });
  }
  for (std::thread& thread : threads) thread.join();
  is_done = true;
  watcher.join();
  const UseSums sums = SumsOf(2);
  EXPECT_EQ(sums.asks, kThreads * kEach);
  EXPECT_EQ(sums.denied, denied);
  EXPECT_GT(denied, kThreads * (kEach - 1) * 9 / 10);
}

// Threads share slots; they do so concurrently here.
TEST(UseCellTest, ThreadsWithOneSlotLoseNothing) {
  constexpr uint64_t kEach = 500'000;
  auto* const cell = new UseCell;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([cell] {
      for (uint64_t j = 0; j < kEach; ++j) {
        cell->Note({2, 3}, 0.5, j % 2 == 0);
        cell->NoteRange(3, j % 4 == 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const UseSums sums = cell->Read();
  EXPECT_EQ(sums.asks_counted, 4 * kEach);
  EXPECT_EQ(sums.asks, 2 * 4 * kEach);
  EXPECT_EQ(sums.denied_counted, 2 * kEach);
  EXPECT_EQ(sums.denied, 2 * 2 * kEach);
  EXPECT_EQ(sums.false_positives, 2.0 * 2 * kEach);
  EXPECT_EQ(sums.ranges_asked, 4 * kEach);
  EXPECT_EQ(sums.ranges_denied, 3 * kEach);
  cell->GiveBack();
}

TEST_F(UseMeterTest, KnowsTheFiltersThatHaveReaders) {
  const std::string one = BlockOf(5, 10, 2000);
  const std::string other = BlockOf(5, 6, 3000);
  const std::string elsewhere = BlockOf(6, 10, 100);
  {
    const auto first = Reader(one);
    const auto second = Reader(other);
    const auto third = Reader(elsewhere);
    EXPECT_EQ(SumsOf(5).filters, 2u);
    EXPECT_EQ(SumsOf(5).keys, 5000u);
    EXPECT_EQ(SumsOf(5).bytes, one.size() + other.size());
    EXPECT_EQ(SumsOf(6).keys, 100u);
  }
  EXPECT_EQ(SumsOf(5).filters, 0u);
  EXPECT_EQ(SumsOf(5).keys, 0u);
  EXPECT_EQ(SumsOf(5).bytes, 0u);
}

// The level of a damaged block is ignored.
TEST_F(UseMeterTest, DamagedBlocksHaveNoLevel) {
  SetMeanGap(1);
  const std::string whole = BlockOf(4, 10, 1000);
  size_t damaged = 0;
  for (size_t at = whole.size() - 64; at < whole.size(); ++at) {
    std::string block = whole;
    block[at] = static_cast<char>(block[at] ^ 0x55);
    const auto use = std::make_shared<NamedUse>("bits_per_key=10");
    const auto reader = Reader(block, use);
    const bool is_usable = FilterView(block).fault() == Fault::kNone;
    InThread([&] { AskAll(reader.get(), Keys(100, 20, false), false); });
    if (!is_usable) {
      ++damaged;
      NamedUse::Sums sums = use->Read(true);
      const UseSums none = sums[{"", -1}];
      EXPECT_EQ((sums[{"", 4}].filters), 0u) << at;
      EXPECT_EQ(none.asks, none.filters * 100) << at;
      EXPECT_EQ(none.denied, 0u);
      EXPECT_EQ(none.false_positives, 0);
    }
  }
  EXPECT_GT(damaged, 10u);
}

TEST_F(UseMeterTest, LevelsThatNoFilterCanStateAreNone) {
  for (const int level : {-2, 128, 1 << 30, INT32_MIN, INT32_MAX}) {
    UseCell* const cell = use_->Keep(level);
    EXPECT_EQ(cell, use_->Keep(-1)) << level;
    cell->GiveBack();
    cell->GiveBack();
  }
  UseCell* const last = use_->Keep(127);
  UseCell* const none = use_->Keep(-1);
  EXPECT_NE(last, none);
  last->GiveBack();
  none->GiveBack();
}

// A reader in a cache may outlive its policy.
TEST_F(UseMeterTest, ReadersOutliveTheirMeter) {
  SetMeanGap(1);
  auto meter = std::make_unique<UseMeter>();
  const auto reader = Reader(block_, meter->Named("bits_per_key=10"));
  meter.reset();
  InThread([&] { EXPECT_TRUE(reader->MayMatch("key 7")); });
}

TEST_F(UseMeterTest, RowsSayWhoseTheyAre) {
  const int other_log = 0;
  const int database = 0;
  for (const char* const family : {"default", "orders"}) meter_.NoteFamily(&log_, family);
  meter_.Opened(&database, "/data/db", &log_);
  const auto reader = Reader(block_, meter_.Named("bits_per_key=7"));
  const std::vector<UseRow> rows = UseMeter::ReadAll(&log_);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].policy, "bits_per_key=7");
  EXPECT_THAT(rows[0].families, ::testing::ElementsAre("default", "orders"));
  EXPECT_THAT(rows[0].databases, ::testing::ElementsAre("/data/db"));
  EXPECT_EQ(rows[0].level, 6);
  EXPECT_EQ(rows[0].sums.keys, 100u);
  EXPECT_TRUE(UseMeter::ReadAll(&other_log).empty());
  meter_.Closed(&database);
  EXPECT_TRUE(UseMeter::ReadAll(&log_).empty()) << "another database may have a log here";
  EXPECT_EQ(UseMeter::ReadAll(nullptr).size(), 1u) << "its figures stay";
}

// A tree without a logger has no name yet, and one of a closed database keeps its sums.
TEST_F(UseMeterTest, RowsAreOfTheFamilyOnceItIsKnown) {
  for (const char* const family : {"default", "orders"}) meter_.NoteFamily(&log_, family);
  SetMeanGap(1);
  using Asks = std::map<std::string, uint64_t>;
  const auto asks = [&] {
    Asks by_family;
    for (const UseRow& row : UseMeter::ReadAll(&log_)) {
      by_family[Joined(row.families)] += row.sums.asks;
      EXPECT_EQ(row.level, 6);
    }
    return by_family;
  };
  const auto ask = [&](const std::shared_ptr<TreeRecord>& tree) {
    const auto reader =
        Reader(block_, use_, OwnedReader(tree, std::make_shared<family::LiveFile>()));
    InThread([&] { reader->MayMatch("absent"); });
  };
  auto tree = std::make_shared<TreeRecord>();
  ask(tree);
  EXPECT_EQ(asks(), (Asks{{"default, orders", 1}}));
  tree->name->Set("orders");
  EXPECT_EQ(asks(), (Asks{{"orders", 1}}));
  for (size_t i = 0; i < 200; ++i) {
    tree = std::make_shared<TreeRecord>();
    tree->name->Set(i % 2 == 0 ? "orders" : "default");
    ask(tree);
  }
  EXPECT_EQ(asks(), (Asks{{"default", 100}, {"orders", 101}}));
  EXPECT_EQ(SumsOf(6).asks, 201u) << "over all families, for metrics";
}

// SetOptions gives a policy, or its successor, another name.
TEST_F(UseMeterTest, FiltersCountUnderTheNameThatTheirPolicyHadWhenTheyWereRead) {
  meter_.NoteFamily(&log_, "orders");
  const auto former = Reader(block_, meter_.Named("bits_per_key=7"));
  const auto latter = Reader(block_, meter_.Named("bits_per_key=8"));
  const auto again = Reader(block_, meter_.Named("bits_per_key=7"));
  std::map<std::string, uint64_t> filters;
  for (const UseRow& row : UseMeter::ReadAll(&log_)) filters[row.policy] += row.sums.filters;
  EXPECT_EQ(filters,
            (std::map<std::string, uint64_t>{{"bits_per_key=7", 2}, {"bits_per_key=8", 1}}));
}

// The names of policies that ended do not gather without limit, but those in use stay.
TEST_F(UseMeterTest, HasALimitedNumberOfNames) {
  meter_.NoteFamily(&log_, "orders");
  const auto reader = Reader(block_, meter_.Named("in use"));
  for (size_t i = 0; i < 2 * UseMeter::kMostNames; ++i) {
    Reader(block_, meter_.Named("ended " + std::to_string(i)));
  }
  size_t names = 0;
  size_t in_use = 0;
  for (const UseRow& row : UseMeter::ReadWithIdle()) {
    names += row.policy.rfind("ended ", 0) == 0 ? 1 : 0;
    in_use += row.policy == "in use" ? row.sums.filters : 0;
  }
  EXPECT_LE(names, UseMeter::kMostNames);
  EXPECT_GE(names, UseMeter::kMostNames - 2);
  EXPECT_EQ(in_use, 1u);
}

// A new policy has counters of its own also where all names are in use.
TEST_F(UseMeterTest, HasMoreNamesWhereAllAreInUse) {
  std::vector<std::shared_ptr<NamedUse>> in_use;
  for (size_t i = 0; i < UseMeter::kMostNames; ++i) {
    in_use.push_back(meter_.Named("in use " + std::to_string(i)));
  }
  EXPECT_EQ(meter_.Named("new")->policy(), "new");
  EXPECT_EQ(meter_.Named("in use 0"), in_use[0]);
}

TEST_F(UseMeterTest, MetricsHaveThePolicyOfADatabaseForAsLongAsItLives) {
  const std::string policy = "bits_per_key=7.25";
  auto meter = std::make_unique<UseMeter>();
  std::shared_ptr<NamedUse> use = meter->Named(policy);
  // Returns the level and the number of filters of each row.
  const auto rows = [&](const std::vector<UseRow>& all) {
    std::vector<std::pair<int, uint64_t>> found;
    for (const UseRow& row : all) {
      if (row.policy == policy) found.emplace_back(row.level, row.sums.filters);
    }
    return found;
  };
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  using ::testing::Pair;
  EXPECT_THAT(rows(UseMeter::ReadWithIdle()), IsEmpty()) << "of no database";
  meter->NoteDatabase();
  EXPECT_THAT(rows(UseMeter::ReadWithIdle()), ElementsAre(Pair(-1, 0))) << "no filter yet";
  EXPECT_THAT(rows(UseMeter::ReadAll()), IsEmpty());
  {
    const auto reader = Reader(block_, use);
    EXPECT_THAT(rows(UseMeter::ReadWithIdle()), ElementsAre(Pair(6, 1)));
  }
  EXPECT_THAT(rows(UseMeter::ReadWithIdle()), ElementsAre(Pair(6, 0))) << "dropped from a cache";
  meter.reset();
  EXPECT_THAT(rows(UseMeter::ReadWithIdle()), IsEmpty());
}

TEST(CountedAsksTest, GapsHaveTheirMean) {
  for (const uint32_t mean : {1u, 2u, 16u, 2048u, 10'000u}) {
    uint64_t random = 0x5eed;
    double sum = 0;
    uint32_t least = UINT32_MAX;
    constexpr int kGaps = 200'000;
    for (int i = 0; i < kGaps; ++i) {
      const uint32_t gap = NextGap(mean, &random);
      least = std::min(least, gap);
      sum += gap;
    }
    EXPECT_NEAR(sum / kGaps, mean, 5.0 * mean / std::sqrt(kGaps));
    EXPECT_EQ(least, mean == 10'000u ? least : 1u);
  }
  uint64_t random = 1;
  EXPECT_GT(NextGap(0, &random), 1u << 20);
}

TEST(CountedAsksTest, FastThreadsHaveLongGapsAndSlowOnesShort) {
  EXPECT_EQ(NextMeanGap(256, kPace / 2), 512u);
  EXPECT_EQ(NextMeanGap(256, kPace), 256u);
  EXPECT_EQ(NextMeanGap(256, 3 * kPace), 128u);
  EXPECT_EQ(NextMeanGap(kMeanGap, kPace / 2), kMeanGap);
  EXPECT_EQ(NextMeanGap(kLeastMeanGap, 3 * kPace), kLeastMeanGap);
}

}  // namespace use_meter_test
}  // namespace winnow::plugin
