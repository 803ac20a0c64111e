// bulk_load compares a bulk load, written by SstFileWriter in several processes and ingested, with
// a tree that is written and compacted. It then ingests files above others under a level plan.
// Prints memory and false-positive rates of the filters; fails if they differ from
// docs/many-machines.md.

#include <absl/flags/flag.h>
#include <absl/flags/parse.h>
#include <absl/flags/usage.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/checkpoint.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/rocksdb_listener.h"
#include "winnow/rocksdb_policy.h"

ABSL_FLAG(uint64_t, keys, 200'000, "keys of the load");
ABSL_FLAG(uint32_t, writers, 4, "processes that write its files");
ABSL_FLAG(std::string, folder, "", "where files and databases are made; it is emptied first");
ABSL_FLAG(std::string, write_to, "",
          "of a writer, which the program starts: a path that its files begin with");
ABSL_FLAG(std::string, policy, "", "of a writer: its filter policy");
ABSL_FLAG(uint64_t, first, 0, "of a writer: its first key");
ABSL_FLAG(uint64_t, count, 0, "of a writer: how many");
ABSL_FLAG(uint64_t, step, 1, "of a writer: from one to the next");
ABSL_FLAG(uint64_t, file_size, 64 << 20, "of a writer: bytes of a file");

namespace {

namespace fs = std::filesystem;

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::PinnableSlice;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

constexpr char kUniform[] = "{id=winnow;bits_per_key=10;level_plan=uniform}";
constexpr char kPlan[] = "{id=winnow;bits_per_key=10;level_plan=auto}";
constexpr char kValue[] = "a value";
constexpr uint64_t kManyKeys = 1'000'000;

void Check(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

void Require(bool holds, const std::string& what) {
  std::printf("  %s: %s\n", holds ? "holds" : "DOES NOT HOLD", what.c_str());
  if (!holds) throw std::runtime_error(what);
}

std::string KeyOf(uint64_t i) {
  char key[32];
  std::snprintf(key, sizeof key, "%016llu", static_cast<unsigned long long>(i));
  return key;
}

std::string Text(const char* format, double a, double b = 0, double c = 0) {
  char text[200];
  std::snprintf(text, sizeof text, format, a, b, c);
  return text;
}

uint64_t FileSize() {
  return absl::GetFlag(FLAGS_keys) >= kManyKeys ? uint64_t{64} << 20 : uint64_t{512} << 10;
}

Options OptionsWith(const char* policy_text) {
  BlockBasedTableOptions table;
  Check(ROCKSDB_NAMESPACE::FilterPolicy::CreateFromString(winnow::testing::StrictConfig(),
                                                          policy_text, &table.filter_policy));
  Options options = winnow::testing::MakeOptions(table);
  options.compression = ROCKSDB_NAMESPACE::kNoCompression;
  options.level_compaction_dynamic_level_bytes = true;
  options.target_file_size_base = FileSize();
  options.listeners.push_back(winnow::NewListener(table.filter_policy));
  return options;
}

// ---- A writer

void Write() {
  const uint64_t first = absl::GetFlag(FLAGS_first);
  const uint64_t step = absl::GetFlag(FLAGS_step);
  const Options options = OptionsWith(absl::GetFlag(FLAGS_policy).c_str());
  std::unique_ptr<ROCKSDB_NAMESPACE::SstFileWriter> writer;
  int files = 0;
  for (uint64_t i = 0; i < absl::GetFlag(FLAGS_count); ++i) {
    if (writer == nullptr) {
      writer = std::make_unique<ROCKSDB_NAMESPACE::SstFileWriter>(ROCKSDB_NAMESPACE::EnvOptions(),
                                                                  options);
      Check(writer->Open(absl::GetFlag(FLAGS_write_to) + std::to_string(files++) + ".sst"));
    }
    Check(writer->Put(KeyOf(first + i * step), kValue));
    if (writer->FileSize() < absl::GetFlag(FLAGS_file_size)) continue;
    Check(writer->Finish());
    writer.reset();
  }
  if (writer != nullptr) Check(writer->Finish());
}

// Starts processes that write `count` keys to `folder`, each a part of the range. Returns their
// files.
std::vector<std::string> WriteFiles(const fs::path& folder, uint64_t count, uint64_t step,
                                    const std::string& policy = kUniform) {
  fs::create_directories(folder);
  const uint64_t writers = absl::GetFlag(FLAGS_writers);
  const std::string program = fs::read_symlink("/proc/self/exe").string();
  std::vector<winnow::testing::ChildResult> results(writers);
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < writers; ++i) {
    const uint64_t from = count * i / writers;
    const uint64_t to = count * (i + 1) / writers;
    const std::vector<std::string> command = {
        program,
        "--write_to=" + (folder / (std::to_string(i) + "_")).string(),
        "--policy=" + policy,
        "--first=" + std::to_string(from * step),
        "--count=" + std::to_string(to - from),
        "--step=" + std::to_string(step),
        "--file_size=" + std::to_string(FileSize())};
    threads.emplace_back(
        [command, &result = results[i]] { result = winnow::testing::RunProgram(command); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) {
    if (result.status != 0) throw std::runtime_error("a writer failed: " + result.errors);
  }
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

// ---- A database

std::unique_ptr<DB> Open(const Options& options, const std::string& path) {
  winnow::rocksdb_abi::OpenedDB opened{};
  Check(DB::Open(options, path, &opened));
  return winnow::rocksdb_abi::Own(std::move(opened));
}

void Ingest(DB* database, const std::vector<std::string>& files) {
  ROCKSDB_NAMESPACE::IngestExternalFileOptions options;
  options.move_files = true;
  Check(database->IngestExternalFile(files, options));
}

struct Measured {
  double bits_a_key = 0;
  double false_reads = 0;  // per lookup of an absent key
  double counted = 0;      // number of false reads
};

std::string LevelsOf(DB* database) {
  ROCKSDB_NAMESPACE::ColumnFamilyMetaData family;
  database->GetColumnFamilyMetaData(&family);
  std::string text;
  for (const auto& level : family.levels) {
    if (level.files.empty()) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(level.files.size()) + " on level " +
            std::to_string(level.level);
  }
  return text;
}

Measured Measure(DB* database, const char* name) {
  const uint64_t keys = absl::GetFlag(FLAGS_keys);
  ROCKSDB_NAMESPACE::TablePropertiesCollection tables;
  Check(database->GetPropertiesOfAllTables(&tables));
  double bytes = 0;
  double entries = 0;
  for (const auto& [path, table] : tables) {
    bytes += static_cast<double>(table->filter_size);
    entries += static_cast<double>(table->num_entries);
  }
  ROCKSDB_NAMESPACE::Statistics& statistics = *database->GetDBOptions().statistics;
  const auto in_vain = [&statistics] {
    return static_cast<double>(
        statistics.getTickerCount(ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_POSITIVE) -
        statistics.getTickerCount(ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_TRUE_POSITIVE));
  };
  const uint64_t lookups = std::clamp<uint64_t>(keys / 5, 200'000, 2'000'000);
  std::mt19937_64 random(7);
  PinnableSlice value;
  const double before = in_vain();
  const ROCKSDB_NAMESPACE::ReadOptions read;
  for (uint64_t i = 0; i < lookups; ++i) {
    // The lookup key sorts between two adjacent keys.
    const std::string key = KeyOf(random() % (keys - 1)) + "." + std::to_string(random());
    value.Reset();
    if (!database->Get(read, database->DefaultColumnFamily(), key, &value).IsNotFound()) {
      throw std::runtime_error("found a key that is not there: " + key);
    }
  }
  Measured measured;
  measured.counted = in_vain() - before;
  measured.false_reads = measured.counted / static_cast<double>(lookups);
  measured.bits_a_key = 8 * bytes / entries;
  std::printf("%s: %s; %.3f bits per key, %.5f false reads a lookup\n", name,
              LevelsOf(database).c_str(), measured.bits_a_key, measured.false_reads);
  std::fflush(stdout);
  return measured;
}

void FindAll(DB* database) {
  PinnableSlice value;
  const uint64_t keys = absl::GetFlag(FLAGS_keys);
  for (uint64_t i = 0; i < keys; ++i) {
    value.Reset();
    Check(database->Get(ROCKSDB_NAMESPACE::ReadOptions(), database->DefaultColumnFamily(), KeyOf(i),
                        &value));
    if (value != kValue) throw std::runtime_error("another value than was written: " + KeyOf(i));
  }
  Require(true, "every one of " + std::to_string(keys) + " keys is found");
}

void CompactAll(DB* database) {
  ROCKSDB_NAMESPACE::CompactRangeOptions options;
  options.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
  Check(database->CompactRange(options, nullptr, nullptr));
}

// Compacts the level's files into the same level.
void RewriteLevel(DB* database, int level) {
  ROCKSDB_NAMESPACE::ColumnFamilyMetaData family;
  database->GetColumnFamilyMetaData(&family);
  std::vector<std::string> files;
  for (const auto& file : family.levels[static_cast<size_t>(level)].files) {
    files.push_back(file.name);
  }
  Check(database->CompactFiles(ROCKSDB_NAMESPACE::CompactionOptions(), files, level));
}

// ---- What it shows

void CompareWithTree(const fs::path& folder) {
  const uint64_t keys = absl::GetFlag(FLAGS_keys);
  const auto loaded = Open(OptionsWith(kUniform), folder / "loaded");
  Ingest(loaded.get(), WriteFiles(folder / "files", keys, 1));
  const Measured by_writers = Measure(loaded.get(), "written by processes and ingested");
  FindAll(loaded.get());

  Options options = OptionsWith(kUniform);
  options.disable_auto_compactions = false;
  const auto tree = Open(options, folder / "tree");
  std::vector<uint64_t> order(keys);
  for (uint64_t i = 0; i < keys; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  ROCKSDB_NAMESPACE::WriteOptions write;
  write.disableWAL = true;
  for (const uint64_t key : order) Check(tree->Put(write, KeyOf(key), kValue));
  Check(tree->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  CompactAll(tree.get());
  const Measured by_tree = Measure(tree.get(), "put in random order and compacted");

  // The last file may have any size, which matters if files are small.
  const double bits_apart = keys >= kManyKeys ? 0.01 : 0.03;
  const double chance = 4 * std::sqrt(1 / by_writers.counted + 1 / by_tree.counted);
  const double bits = by_writers.bits_a_key / by_tree.bits_a_key;
  const double reads = by_writers.false_reads / by_tree.false_reads;
  Require(std::abs(bits - 1) <= bits_apart, Text("bits are %.4f of the tree's", bits));
  Require(std::abs(reads - 1) <= 0.05 + (keys >= kManyKeys ? 0 : chance),
          Text("false reads are %.4f of the tree's (by chance, up to %.3f apart)", reads, chance));
}

void IngestAbove(const fs::path& folder) {
  const uint64_t keys = absl::GetFlag(FLAGS_keys);
  const std::string path = folder / "plan";
  Options options = OptionsWith(kPlan);
  // A small base leaves free levels above the last one for ingestion.
  options.max_bytes_for_level_base = keys / 4;
  auto database = Open(options, path);
  Ingest(database.get(), WriteFiles(folder / "below", keys, 1));
  Measure(database.get(), "with winnow:10, ingested into an empty database");
  // These filters have fewer bits per key than the policy's.
  Ingest(database.get(), WriteFiles(folder / "above", keys / 20, 20, "winnow:8"));
  const Measured above = Measure(database.get(), "then a twentieth of them again, above");
  FindAll(database.get());
  ROCKSDB_NAMESPACE::Checkpoint* made = nullptr;
  Check(ROCKSDB_NAMESPACE::Checkpoint::Create(database.get(), &made));
  const std::unique_ptr<ROCKSDB_NAMESPACE::Checkpoint> checkpoint(made);
  for (const char* const copy : {"rewritten", "compacted"}) {
    Check(checkpoint->CreateCheckpoint(folder / copy));
  }
  database.reset();
  options = OptionsWith(kPlan);
  options.max_bytes_for_level_base = keys / 4;
  database = Open(options, folder / "rewritten");
  // The policy learns the tree's files from a flush.
  Check(database->Put(ROCKSDB_NAMESPACE::WriteOptions(), KeyOf(0), kValue));
  Check(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  RewriteLevel(database.get(), 5);
  const Measured planned = Measure(database.get(), "a copy, whose level 5 the plan wrote anew");
  const double more = above.false_reads - planned.false_reads;
  Require(more > 0, Text("they cost %.5f false reads", more));
  options = OptionsWith(kPlan);
  database = Open(options, folder / "compacted");
  CompactAll(database.get());
  const Measured compacted = Measure(database.get(), "a copy after CompactRange with kForce");
  Require(compacted.false_reads < above.false_reads - more / 2, "CompactRange mends it");
}

}  // namespace

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "loads data by SstFileWriter in several processes, and says what the filters take");
  absl::ParseCommandLine(argc, argv);
  try {
    if (winnow_rocksdb_register() != 0) return 1;
    if (!absl::GetFlag(FLAGS_write_to).empty()) {
      Write();
      return 0;
    }
    const fs::path folder = absl::GetFlag(FLAGS_folder);
    if (folder.empty()) throw std::runtime_error("--folder=DIR, please");
    fs::remove_all(folder);
    fs::create_directories(folder);
    CompareWithTree(folder);
    IngestAbove(folder);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bulk_load: %s\n", error.what());
    return 1;
  }
}
