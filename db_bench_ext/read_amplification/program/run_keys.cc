#include "db_bench_ext/read_amplification/program/run_keys.h"

#include <absl/status/status.h>

#include <cstdio>
#include <utility>

#include "db_bench_ext/read_amplification/keys/database_keys.h"
#include "db_bench_ext/read_amplification/keys/generated_keys.h"
#include "db_bench_ext/read_amplification/keys/key_table.h"
#include "db_bench_ext/read_amplification/keys/near_misses.h"
#include "src/database/lookup_trace.h"
#include "src/text/key_list.h"

namespace winnow::bench {
namespace {

constexpr uint64_t kNearMissSalt = 0x6e656172;

absl::StatusOr<KeyTable> ReadList(const std::string& path, inspect::KeyFormat format) {
  KeyTable keys;
  const absl::StatusOr<inspect::KeyListNotes> notes =
      inspect::ForEachKey(path, format, [&](std::string_view key) { keys.Add(key); });
  if (!notes.ok()) return notes.status();
  if (const std::string note = notes->Sentence(); !note.empty()) {
    std::fprintf(stderr, "db_bench_ext: %s: %s\n", path.c_str(), note.c_str());
  }
  return keys;
}

// Reads the trace of the column family `default`; others are not read.
absl::StatusOr<KeyTable> ReadTrace(const std::string& path) {
  KeyTable keys;
  inspect::TraceNotes notes;
  const std::string problem = inspect::VisitTrace(
      path, /*family=*/0,
      [&](absl::string_view key) {
        keys.Add({key.data(), key.size()});
      },
      &notes);
  if (!problem.empty()) return absl::InvalidArgumentError(problem);
  if (const std::string note = notes.Sentence(); !note.empty()) {
    std::fprintf(stderr, "db_bench_ext: %s: %s\n", path.c_str(), note.c_str());
  }
  if (notes.lookups == 0) {
    return absl::InvalidArgumentError(path + " has no lookups of the column family 'default'");
  }
  return keys;
}

RunKeys Generated(const KeysRequest& request) {
  RunKeys run;
  auto keys = std::make_shared<GeneratedKeys>(request.num, request.key_size);
  run.keys.longer = std::make_shared<LongerKeys>(keys);
  run.keys.range = std::move(keys);
  run.from = "the generator";
  return run;
}

RunKeys OfTable(std::shared_ptr<const KeyTable> table) {
  RunKeys run;
  run.keys.longer = std::make_shared<LongerKeys>(table);
  run.keys.longer_are_absent = false;
  run.keys.range = table;
  run.table = std::move(table);
  return run;
}

absl::StatusOr<RunKeys> OfList(const KeysRequest& request) {
  absl::StatusOr<KeyTable> all = ReadList(request.list, request.format);
  if (!all.ok()) return all.status();
  const uint64_t given = all->size();
  auto table = std::make_shared<KeyTable>(DropDuplicates(*all));
  *all = KeyTable();
  if (request.ordered) *table = Sorted(*table);
  RunKeys run = OfTable(table);
  run.from = request.list == "-" ? "standard input" : request.list;
  run.duplicates = given - table->size();
  return run;
}

absl::StatusOr<RunKeys> OfDatabase(const KeysRequest& request, cli::ProgressLine* progress,
                                   const std::atomic<bool>* stop) {
  absl::StatusOr<DatabaseKeys> read = ReadDatabaseKeys(request.from_db, progress, stop);
  if (!read.ok()) return read.status();
  auto table = std::make_shared<KeyTable>(std::move(read->keys));
  const uint64_t keys = table->size();
  RunKeys run = OfTable(std::move(table));
  run.from = request.from_db;
  run.duplicates = read->duplicates;
  run.note = read->note;
  run.value_size = (read->value_bytes + keys / 2) / keys;
  return run;
}

}  // namespace

absl::StatusOr<RunKeys> MakeRunKeys(const KeysRequest& request, cli::ProgressLine* progress,
                                    const std::atomic<bool>* stop) {
  if (!request.list.empty()) return OfList(request);
  if (!request.from_db.empty()) return OfDatabase(request, progress, stop);
  if (request.shape != KeyShape::kNumbers) {
    progress->Set("making keys", 0, 1);
    RunKeys run = OfTable(
        std::make_shared<KeyTable>(MakeShapedKeys(request.shape, request.num, request.seed)));
    run.from = "the generator";
    return run;
  }
  return Generated(request);
}

absl::Status AddAbsentKeys(const KeysRequest& request, RunKeys* keys, cli::ProgressLine* progress,
                           const std::atomic<bool>* stop) {
  if (keys->table == nullptr) {
    keys->keys.absent =
        std::make_shared<GeneratedKeys>(GeneratedKeys::Absent(request.num, request.key_size));
    return absl::OkStatus();
  }
  absl::StatusOr<NearMisses> absent = NearMisses::Of(
      keys->table, request.absent_draws, request.seed ^ kNearMissSalt, [&](uint64_t found) {
        progress->Set("drawing absent keys", found, request.absent_draws);
        return !*stop;
      });
  if (!absent.ok()) return absent.status();
  progress->Set("drawing absent keys", 1, 1);
  keys->keys.absent = std::make_shared<NearMisses>(*std::move(absent));
  keys->keys.absent_drawn = true;
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const KeySet>> RecordedLookups(const KeysRequest& request) {
  if (request.lookups.empty()) return std::shared_ptr<const KeySet>();
  absl::StatusOr<KeyTable> keys = inspect::IsTraceFile(request.lookups)
                                      ? ReadTrace(request.lookups)
                                      : ReadList(request.lookups, request.format);
  if (!keys.ok()) return keys.status();
  return std::shared_ptr<const KeySet>(std::make_shared<KeyTable>(*std::move(keys)));
}

uint64_t KeyMemory(const KeysRequest& request, uint64_t keys, uint64_t key_bytes, bool drawn) {
  const uint64_t written = drawn ? keys / 8 : 0;
  if (request.list.empty() && request.from_db.empty() && request.shape == KeyShape::kNumbers) {
    return written;
  }
  // Bytes and end offset of each key, with the spare capacity of a growing vector; a set of all
  // keys while absent ones are drawn; and two bytes for each absent key.
  return written + (key_bytes + 8 * keys) * 3 / 2 + 40 * keys + 2 * request.absent_draws;
}

}  // namespace winnow::bench
