// Tests of a benchmark run beside other work in its process.

#include "db_bench_ext/read_amplification/program/run.h"

#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include <future>
#include <memory>
#include <vector>

#include "db_bench_ext/read_amplification/keys/generated_keys.h"
#include "db_bench_ext/read_amplification/lookups/workloads.h"
#include "tests/support/files.h"

namespace winnow::bench {
namespace run_test {

// Occupies one of RocksDB's compaction threads during its lifetime.
class BusyThread {
 public:
  BusyThread() {
    rocksdb::Env::Default()->Schedule(
        [](void* busy) {
          auto* self = static_cast<BusyThread*>(busy);
          self->may_end_.get_future().wait();
          self->ended_.set_value();
        },
        this, rocksdb::Env::Priority::LOW);
  }
  ~BusyThread() {
    may_end_.set_value();
    ended_.get_future().wait();
  }

 private:
  std::promise<void> may_end_, ended_;
};

TEST(RunTest, TreesAreMergedThoughAnotherDatabaseKeepsAThreadBusy) {
  const testing::TemporaryFolder folder;
  const auto keys = std::make_shared<GeneratedKeys>(10'000, 16);
  KeysOfRun of_run;
  of_run.range = keys;
  Benchmark benchmark{"readpresent", ""};
  benchmark.asks = AskedKeys::kPresent;
  LookupChoices choices;
  choices.reads = 100;
  const std::vector<Lookups> workloads = {MakeLookups(benchmark, of_run, choices)};
  const WriteSequence writes = WriteSequence::Once(keys->size(), 1);
  const WrittenKeys written(writes);
  RunOptions options;
  options.tree.growth = GrowthKind::kRocksDB;
  // About ten flushes: few enough that writes do not wait for a compaction.
  options.tree.write_buffer_size = 200'000;
  options.tree = ScaleTree(options.tree, keys->size(), keys->total_bytes());
  options.timed_rounds = 0;
  const auto work = *WorkFolder::Open(folder / "work", false);
  cli::ProgressLine progress("run_test");
  const std::atomic<bool> stop{false};

  const BusyThread busy;
  const auto results =
      bench::Run(options, {*MakePolicy("bloomfilter:10")}, {*keys, writes, written, workloads},
                 work.get(), &progress, &stop);
  ASSERT_TRUE(results.ok()) << results.status();
  const inspect::LevelShape& first = results->front().tree.front();
  EXPECT_TRUE(first.level != 0 || first.files < 4) << first.files << " files on level 0";
}

}  // namespace run_test
}  // namespace winnow::bench
