// A RocksDB program without knowledge of Winnow: one of several replicas that write the same keys
// in the same order, each at its own time, and look them up.
//
//   replica DB          checks all keys, says "serving", then writes and looks up until SIGTERM
//   replica DB KEYS     checks all keys, then writes until there are so many, and ends
//
// Each tenth key is deleted once a thousand others were written. Filters are bloomfilter:10. Prints
// a line with what it found; exit status: 0, 1 if a key was lost or a deleted one is back, 2 if the
// database or the command line is at fault.

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "third_party/rocksdb_abi/versions.h"

namespace {

using rocksdb::DB;
using rocksdb::ReadOptions;
using rocksdb::Status;

constexpr char kCounter[] = "~written";  // after all keys
constexpr uint64_t kBatch = 50;
constexpr uint64_t kDeletedAfter = 1000;

volatile std::sig_atomic_t is_told_to_end = 0;

[[noreturn]] void Fail(int status, const std::string& problem) {
  std::fprintf(stderr, "replica: %s\n", problem.c_str());
  std::exit(status);
}

void Check(const Status& status) {
  if (!status.ok()) Fail(2, status.ToString());
}

// Returns a key that is spread over the range.
std::string KeyOf(uint64_t i) {
  char text[40];
  std::snprintf(text, sizeof text, "%016llx/%llu",
                static_cast<unsigned long long>(i * 0x9E3779B97F4A7C15),
                static_cast<unsigned long long>(i));
  return text;
}

std::string ValueOf(uint64_t i) { return std::string(40, 'v') + std::to_string(i); }

bool IsDeleted(uint64_t i, uint64_t written) { return i % 10 == 0 && i + kDeletedAfter < written; }

void LookUp(DB* database, uint64_t i, uint64_t written) {
  std::string value;
  const Status status = database->Get(ReadOptions(), KeyOf(i), &value);
  if (i >= written || IsDeleted(i, written)) {
    if (!status.IsNotFound()) Fail(1, "key " + KeyOf(i) + " is there: " + status.ToString());
  } else if (!status.ok() || value != ValueOf(i)) {
    Fail(1, "key " + KeyOf(i) + " is lost: " + status.ToString());
  }
}

void CheckAll(DB* database, uint64_t written) {
  uint64_t expected = 0;
  for (uint64_t i = 0; i < written; ++i) {
    LookUp(database, i, written);
    if (!IsDeleted(i, written)) ++expected;
  }
  uint64_t found = 0;
  const std::unique_ptr<rocksdb::Iterator> all(database->NewIterator(ReadOptions()));
  for (all->SeekToFirst(); all->Valid() && all->key() != kCounter; all->Next()) ++found;
  Check(all->status());
  if (found != expected) {
    Fail(1, "expected " + std::to_string(expected) + " keys, found " + std::to_string(found));
  }
}

void WriteBatch(DB* database, uint64_t written) {
  rocksdb::WriteBatch batch;
  for (uint64_t i = written; i < written + kBatch; ++i) {
    Check(batch.Put(KeyOf(i), ValueOf(i)));
    if (i > kDeletedAfter && IsDeleted(i - kDeletedAfter - 1, i)) {
      Check(batch.Delete(KeyOf(i - kDeletedAfter - 1)));
    }
  }
  Check(batch.Put(kCounter, std::to_string(written + kBatch)));
  Check(database->Write(rocksdb::WriteOptions(), &batch));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) Fail(2, "expected DB [KEYS]");
  const uint64_t most = argc == 3 ? std::strtoull(argv[2], nullptr, 10) : UINT64_MAX;
  std::signal(SIGTERM, [](int) { is_told_to_end = 1; });
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 256 << 10;
  options.target_file_size_base = 256 << 10;
  options.max_bytes_for_level_base = 1 << 20;
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  winnow::rocksdb_abi::OpenedDB opened{};
  Check(DB::Open(options, argv[1], &opened));
  const std::unique_ptr<DB> database = winnow::rocksdb_abi::Own(std::move(opened));
  std::string counter = "0";
  const Status status = database->Get(ReadOptions(), kCounter, &counter);
  if (!status.IsNotFound()) Check(status);
  const uint64_t first = std::strtoull(counter.c_str(), nullptr, 10);
  CheckAll(database.get(), first);
  std::puts("serving");
  std::fflush(stdout);
  std::mt19937_64 random(first);
  uint64_t written = first;
  uint64_t lookups = 0;
  while (is_told_to_end == 0 && written < most) {
    WriteBatch(database.get(), written);
    written += kBatch;
    for (int i = 0; i < 40; ++i, ++lookups) {
      LookUp(database.get(), random() % (2 * written), written);
    }
    if (argc == 2) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  Check(database->Close());
  std::printf("%s: %llu keys checked, %llu written, %llu lookups\n", argv[1],
              static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(written - first),
              static_cast<unsigned long long>(lookups));
  return 0;
}
