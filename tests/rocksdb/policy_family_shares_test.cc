// level_plan=learned with filter_memory, which four column families share by their lookups,
// compared with level_plan=auto, which gives all keys equal shares. The trees are rewritten during
// lookups.
//
// WINNOW_FAMILY_KEYS=N uses N keys per column family instead of 12,000, and prints the table of
// docs/results/level-plans.md.

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/database_model.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/rocksdb_listener.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace policy_family_shares_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Options;
using testing::AbsentKey;
using testing::Key;

constexpr size_t kFamilies = 4;
using Traffic = std::array<unsigned, kFamilies>;

uint64_t KeysOfAFamily() {
  const char* const asked = std::getenv("WINNOW_FAMILY_KEYS");
  return asked == nullptr ? 12'000 : std::strtoull(asked, nullptr, 10);
}

bool IsLong() { return std::getenv("WINNOW_FAMILY_KEYS") != nullptr; }

struct Seen {
  double false_reads = 0;
  double mean_memory = 0;                // relative to filter_memory
  double most_memory = 0;                // relative to filter_memory, once trees have all keys
  std::array<double, kFamilies> bits{};  // per key, at the end
};

class PolicyFamilySharesTest : public ::testing::Test {
 protected:
  PolicyFamilySharesTest() { EXPECT_EQ(winnow_rocksdb_register(), 0); }

  // Runs a database with filter_memory for 6 bits per key. Each round rewrites a random sixth of
  // the keys.
  Seen Run(const std::string& plan, int rounds, const std::function<Traffic(int round)>& traffic) {
    const uint64_t keys = KeysOfAFamily();
    const auto memory = static_cast<double>(kFamilies * keys * 6 / 8);
    const std::string path = folder_ / ("database_" + plan + std::to_string(databases_++));
    BlockBasedTableOptions table;
    table.filter_policy = testing::MakePolicyFrom(
        "{id=winnow;filter_memory=" + std::to_string(kFamilies * keys * 6 / 8) +
        ";level_plan=" + plan + "}");
    Options options = testing::SmallLevels(table);
    options.create_missing_column_families = true;
    options.target_file_size_base = keys * 2;
    options.max_bytes_for_level_base = keys * 8;
    options.write_buffer_size = 64 << 20;
    options.listeners.push_back(NewListener(table.filter_policy));
    std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor> descriptors = {{"default", options}};
    for (size_t i = 1; i < kFamilies; ++i)
      descriptors.push_back({"family" + std::to_string(i), options});
    std::vector<ColumnFamilyHandle*> families;
    rocksdb_abi::OpenedDB opened{};
    EXPECT_TRUE(DB::Open(options, path, descriptors, &families, &opened).ok());
    const std::unique_ptr<DB> database = rocksdb_abi::Own(std::move(opened));
    std::mt19937_64 random(7);
    const auto put = [&](size_t family, uint64_t key) {
      ROCKSDB_NAMESPACE::WriteOptions write;
      write.disableWAL = true;
      EXPECT_TRUE(database->Put(write, families[family], Key(key), std::string(20, 'v')).ok());
    };
    const auto settle = [&] {
      for (ColumnFamilyHandle* family : families) {
        EXPECT_TRUE(database->Flush(ROCKSDB_NAMESPACE::FlushOptions(), family).ok());
      }
      testing::WaitForRest(database.get());
    };
    for (uint64_t key = 0; key < keys; ++key) {
      for (size_t family = 0; family < kFamilies; ++family) put(family, random() % keys);
      if (key % (keys / 6) == 0) settle();
    }
    settle();
    Seen seen;
    const auto false_reads = [&] {
      const auto* const tickers = options.statistics.get();
      return static_cast<double>(
          tickers->getTickerCount(ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_POSITIVE) -
          tickers->getTickerCount(ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_TRUE_POSITIVE));
    };
    const double before = false_reads();
    for (int round = 0; round < rounds; ++round) {
      const Traffic of_round = traffic(round);
      std::discrete_distribution<size_t> choose(of_round.begin(), of_round.end());
      for (uint64_t i = 0; i < keys; ++i) {
        const size_t family = choose(random);
        const uint64_t number = random() % keys;
        std::string value;
        const auto found = database->Get(ROCKSDB_NAMESPACE::ReadOptions(), families[family],
                                         AbsentKey(number), &value);
        EXPECT_TRUE(found.IsNotFound());
      }
      for (uint64_t i = 0; i < keys / 6; ++i) {
        for (size_t family = 0; family < kFamilies; ++family) put(family, random() % keys);
      }
      settle();
      double bytes = 0;
      for (size_t family = 0; family < kFamilies; ++family) {
        ROCKSDB_NAMESPACE::TablePropertiesCollection files;
        EXPECT_TRUE(database->GetPropertiesOfAllTables(families[family], &files).ok());
        double bytes_here = 0;
        double keys_here = 0;
        for (const auto& [name, file] : files) {
          bytes_here += static_cast<double>(file->filter_size);
          keys_here += static_cast<double>(file->num_entries);
        }
        seen.bits[family] = 8 * bytes_here / keys_here;
        bytes += bytes_here;
      }
      seen.mean_memory += bytes / memory / rounds;
      seen.most_memory = std::max(seen.most_memory, bytes / memory);
    }
    seen.false_reads = false_reads() - before;
    for (ColumnFamilyHandle* family : families) {
      EXPECT_TRUE(database->DestroyColumnFamilyHandle(family).ok());
    }
    return seen;
  }

  // Returns the mean ratio of `pairs` pairs of databases, since the timing of threads decides when
  // filters are built.
  double Ratio(const char* name, int rounds, const std::function<Traffic(int round)>& traffic,
               int pairs = 1) {
    double ratio = 0;
    for (int i = 0; i < pairs; ++i) ratio += RatioOfPair(name, rounds, traffic) / pairs;
    return ratio;
  }

  double RatioOfPair(const char* name, int rounds,
                     const std::function<Traffic(int round)>& traffic) {
    learned_ = Run("learned", rounds, traffic);
    const Seen by_keys = Run("auto", rounds, traffic);
    const double ratio = learned_.false_reads / by_keys.false_reads;
    std::printf("| %s | %.2f | %.1f, %.1f, %.1f, %.1f | %.2f, %.2f | %.2f, %.2f |\n", name, ratio,
                learned_.bits[0], learned_.bits[1], learned_.bits[2], learned_.bits[3],
                learned_.mean_memory, learned_.most_memory, by_keys.mean_memory,
                by_keys.most_memory);
    return ratio;
  }

  const testing::TemporaryFolder folder_;
  int databases_ = 0;
  Seen learned_;
};

Traffic Uneven(int) { return {1000, 100, 10, 1}; }
Traffic Even(int) { return {1, 1, 1, 1}; }

Traffic Turned(int times) {
  const Traffic traffic = Uneven(0);
  Traffic turned{};
  for (size_t i = 0; i < kFamilies; ++i) {
    turned[(i + static_cast<size_t>(times)) % kFamilies] = traffic[i];
  }
  return turned;
}

// Few keys make the ratio noisy, so short runs allow more.
TEST_F(PolicyFamilySharesTest, UnevenTrafficHasFewerFalseReads) {
  EXPECT_LT(Ratio("1,000 : 100 : 10 : 1", IsLong() ? 40 : 20, Uneven, IsLong() ? 1 : 2),
            IsLong() ? 0.6 : 0.8);
  EXPECT_LE(learned_.mean_memory, 1.03);
}

TEST_F(PolicyFamilySharesTest, EvenTrafficHasNoMore) {
  EXPECT_LT(Ratio("even", IsLong() ? 40 : 15, Even, IsLong() ? 1 : 3), IsLong() ? 1.05 : 1.15);
  EXPECT_LE(learned_.mean_memory, 1.05);
}

TEST_F(PolicyFamilySharesTest, TrafficThatTurnsHasNoMore) {
  for (const int every : IsLong() ? std::vector<int>{3, 10, 20} : std::vector<int>{8}) {
    const std::string name = "the same, turning every " + std::to_string(every) + " rounds";
    EXPECT_LT(Ratio(
                  name.c_str(), IsLong() ? 80 : 24,
                  [every](int round) { return Turned(round / every); }, IsLong() ? 1 : 3),
              IsLong() ? 1.05 : 1.15);
    EXPECT_LE(learned_.mean_memory, 1.05);
  }
}

}  // namespace policy_family_shares_test
}  // namespace winnow::plugin
