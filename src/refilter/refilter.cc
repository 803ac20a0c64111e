#include "src/refilter/refilter.h"

#include <absl/status/status.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>

#include "src/database/new_ends.h"
#include "src/refilter/prepared_ends.h"
#include "src/refilter/refilter_plan.h"
#include "src/rocksdb/ranges/range_extractor.h"
#include "src/sst/classify_block.h"
#include "src/sst/filter_blocks.h"
#include "src/sst/sst_filters.h"
#include "src/sst/table_tail.h"
#include "src/text/numbers.h"
#include "src/text/printable.h"

namespace winnow::inspect {
namespace {

using Clock = std::chrono::steady_clock;
using ROCKSDB_NAMESPACE::Env;

// A batch has at most so many files, and so many bytes of data, but for level 0.
constexpr size_t kMostFiles = 256;
constexpr uint64_t kMostBytes = uint64_t{1} << 30;

// Bytes of an end beside its filter: properties, metaindex, footer.
constexpr double kBytesOfEnd = 16 << 10;

// Takes the database's LOCK, until the pointer goes.
using Lock = std::shared_ptr<ROCKSDB_NAMESPACE::FileLock>;
absl::StatusOr<Lock> TakeLock(Env* env, const std::string& database) {
  const std::string path = database + "/LOCK";
  if (IsSymbolicLink(path)) return Refused("LOCK is a symbolic link, as RocksDB makes none");
  const bool was_there = env->FileExists(path).ok();
  ROCKSDB_NAMESPACE::FileLock* lock = nullptr;
  const ROCKSDB_NAMESPACE::Status status = env->LockFile(path, &lock);
  if (!was_there) TakeOwner(path, database + "/CURRENT");
  if (status.ok()) {
    return Lock(lock, [env](auto* taken) { env->UnlockFile(taken).PermitUncheckedError(); });
  }
  return Refused(absl::StrCat(
      "the database is open in another process, or its LOCK can't be taken: ", status.ToString(),
      ". Close the database first"));
}

// Counts what is read, and waits so that it is not more a second than allowed. Thread-safe.
class Reading {
 public:
  Reading(const RefilterOptions& options, const std::atomic<bool>& stop,
          const std::function<void(const RefilterProgress&)>& show)
      : options_(options), stop_(stop), show_(show) {}

  // Returns false if it is to end.
  bool Read(uint64_t bytes) {
    double wait = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      progress_.bytes += bytes;
      show_(progress_);
      if (options_.bytes_a_second > 0) {
        const std::chrono::duration<double> since = Clock::now() - begin_;
        wait = static_cast<double>(progress_.bytes) / options_.bytes_a_second - since.count();
      }
    }
    const Clock::time_point end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(std::max(wait, 0.0)));
    while (!stop_ && Clock::now() < end) std::this_thread::sleep_for(kPause);
    return !stop_;
  }
  void EndFile() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++progress_.files;
    show_(progress_);
  }
  RefilterProgress& progress() { return progress_; }  // of one thread
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  static constexpr std::chrono::milliseconds kPause{10};

  const RefilterOptions& options_;
  const std::atomic<bool>& stop_;
  const std::function<void(const RefilterProgress&)>& show_;
  const Clock::time_point begin_ = Clock::now();
  std::mutex mutex_;
  RefilterProgress progress_;
};

// `entries` are the keys and prefixes in the blocks.
FilterWeight WeightOf(const std::vector<std::string>& blocks, uint64_t entries) {
  FilterWeight weight;
  if (blocks.empty()) return weight;
  double sum = 0;
  for (const std::string& block : blocks) {
    weight.bytes += block.size();
    sum += ClassifyBlock(block, entries / blocks.size()).expected_fpr.value_or(1);
  }
  weight.rate = sum / static_cast<double>(blocks.size());
  return weight;
}

struct Outcome {
  absl::Status status;
  BuiltEnd end;
};

class Run {
 public:
  Run(const EndsToWrite& where, const RefilterOptions& options, RefilterDatabase* database,
      Reading* reading)
      : env_(where.env),
        options_(options),
        database_(*database),
        reading_(*reading),
        where_(where),
        plan_(PlanFilters(*database)) {
    where_.folders = database->folders;
    where_.copies_all = database->copies_all || options.copies_all;
  }

  absl::Status All(const std::atomic<bool>& stop, RefilterResult* result) {
    const std::vector<Batch> batches = Batches(result);
    absl::Status status = CheckRoom(batches);
    for (size_t i = 0; status.ok() && i < batches.size() && !result->was_interrupted; ++i) {
      const std::vector<Outcome> outcomes = Build(batches[i]);
      result->was_interrupted = stop;
      if (!stop) status = Write(batches[i], outcomes, result);
    }
    return status;
  }

 private:
  using Batch = std::vector<const RefilterFile*>;

  // Returns the files by batches: those of level 0 of a family in one, as their order follows from
  // their numbers.
  std::vector<Batch> Batches(RefilterResult* result) {
    std::map<uint32_t, Batch> level_0;
    std::vector<Batch> batches;
    uint64_t bytes = 0;
    for (const RefilterFile& file : database_.files) {
      if (options_.request.level && file.level != *options_.request.level) continue;
      ++result->files;
      reading_.progress().all_bytes += file.data_bytes;
      if (file.level == 0) {
        level_0[file.family].push_back(&file);
        continue;
      }
      bytes += file.data_bytes;
      if (batches.empty() || batches.back().size() == kMostFiles || bytes > kMostBytes) {
        batches.emplace_back();
        bytes = file.data_bytes;
      }
      batches.back().push_back(&file);
    }
    for (auto& [family, files] : level_0) batches.push_back(std::move(files));
    reading_.progress().all_files = result->files;
    return batches;
  }

  // Returns an error if the file systems are too small for ends and copies.
  absl::Status CheckRoom(const std::vector<Batch>& batches) const {
    if (options_.is_dry) return absl::OkStatus();
    std::map<std::string, double> needed;
    std::map<std::string, double> copied_at_once;  // of files that have one name, and then go
    for (const Batch& batch : batches) {
      std::map<std::string, double> copied;
      for (const RefilterFile* const file : batch) {
        const RefilterFamily& family = database_.families.at(file->family);
        const double bits =
            family.winnow ? family.winnow->bits_per_key + 2 + family.winnow->range_bits : 20;
        double& sum = needed[options_.prepares ? where_.database : file->folder];
        sum += static_cast<double>(file->keys) * bits / 8 + kBytesOfEnd;
        if (options_.prepares) continue;
        const auto bytes = static_cast<double>(file->bytes);
        if (HasOtherNames(env_, file->path())) {
          sum += bytes;
        } else if (where_.copies_all) {
          copied[file->folder] += bytes;
        }
      }
      for (const auto& [folder, bytes] : copied) {
        copied_at_once[folder] = std::max(copied_at_once[folder], bytes);
      }
    }
    for (const auto& [folder, bytes] : copied_at_once) needed[folder] += bytes;
    for (const auto& [folder, bytes] : needed) {
      uint64_t free = 0;
      if (!env_->GetFreeSpace(folder, &free).ok() || static_cast<double>(free) >= bytes) continue;
      return Refused(
          absl::StrCat(Printable(folder), " has ", ByteSize(static_cast<double>(free)),
                       " free, and up to ", ByteSize(bytes),
                       " are needed for new ends and copies: make room, or begin with some "
                       "files by --level=N or --cf=NAME"));
    }
    return absl::OkStatus();
  }

  std::vector<Outcome> Build(const Batch& batch) {
    std::vector<Outcome> outcomes(batch.size());
    std::atomic<size_t> next{0};
    const auto work = [&] {
      for (size_t i = next++; i < batch.size(); i = next++) {
        outcomes[i] = BuildOne(*batch[i]);
        reading_.EndFile();
      }
    };
    std::vector<std::thread> threads;
    const size_t jobs = std::min<size_t>(static_cast<size_t>(options_.jobs), batch.size());
    try {
      for (size_t i = 1; i < jobs; ++i) threads.emplace_back(work);
    } catch (const std::system_error&) {
      // There may be no more threads: fewer do the work.
    }
    work();
    for (std::thread& thread : threads) thread.join();
    return outcomes;
  }

  Outcome BuildOne(const RefilterFile& file) {
    Outcome outcome;
    try {
      outcome.status = TryToBuild(file, &outcome.end);
    } catch (const std::exception& exception) {
      outcome.status = absl::InternalError(exception.what());
    }
    return outcome;
  }

  // Takes the end that was prepared, or builds it, and keeps it if it is to be prepared.
  absl::Status TryToBuild(const RefilterFile& file, BuiltEnd* end) {
    const RefilterFamily& family = database_.families.at(file.family);
    FilterToWrite filter;
    filter.policy = family.made->Name();
    filter.compatibility = family.made->CompatibilityName();
    filter.whole_keys = family.table.whole_key_filtering;
    if (family.prefixes != nullptr) filter.extractor = family.prefixes->AsString();
    // The text of winnow.range is different each time.
    const bool is_range = plugin::IsRangeExtractor(family.prefixes.get());
    const absl::StatusOr<TableTail> tail = ReadTableTail(file.path());
    if (!tail.ok()) return tail.status();
    const std::optional<uint64_t> end_hash = HashOfEnd(env_, file.path(), file.bytes);
    if (!end_hash) return absl::UnavailableError("its end can't be read");
    const EndName name(where_.database, file.number, *tail, *end_hash, family.policy,
                       filter.whole_keys,
                       is_range ? plugin::RangeExtractor::kName : filter.extractor);
    if (std::optional<BuiltEnd> kept = KeptEnd(env_, name)) {
      *end = std::move(*kept);
      return absl::OkStatus();
    }
    const absl::Status built = BuildEnd(file, *tail, family, &filter, end);
    if (!built.ok() || !options_.prepares) return built;
    return KeepEnd(env_, name, *end);
  }

  absl::Status BuildEnd(const RefilterFile& file, const TableTail& tail,
                        const RefilterFamily& family, FilterToWrite* filter, BuiltEnd* end) {
    const std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> builder =
        NewBuilderFor(family, plan_.at(file.number), tail.has_partitions());
    if (builder != nullptr) {
      const absl::Status built = BuildFilterBlocks(
          file.path(), tail, family.options.comparator, {filter->whole_keys, family.prefixes, ""},
          builder.get(), [this](uint64_t bytes) { return reading_.Read(bytes); }, filter);
      if (!built.ok()) return built;
    }
    std::string error;
    const std::vector<std::string> before = ReadFilterBlocks(file.path(), &error);
    const uint64_t entries = tail.Number("rocksdb.num.filter_entries");  // since RocksDB 6.23
    end->before = WeightOf(before, entries > 0 ? entries : tail.keys());
    end->after = WeightOf(filter->blocks, filter->entries);
    // A single range filter stands beside one that lets all keys through.
    const bool has_ranges = family.winnow && family.winnow->range_bits > 0;
    if (!filter->blocks.empty() && tail.keys() > 0 && end->after.rate == 1 && !has_ranges) {
      return absl::ResourceExhaustedError("there is no memory for its filter");
    }
    const bool is_same =
        error.empty() && before == filter->blocks && HasTheseProperties(tail, *filter);
    if (!is_same) end->bytes = NewEndOf(tail, *filter);
    return absl::OkStatus();
  }

  // Returns whether RocksDB would ask the file's filter as the new one.
  static bool HasTheseProperties(const TableTail& tail, const FilterToWrite& filter) {
    const std::string extractor = tail.Text("rocksdb.prefix.extractor.name");
    const bool is_range =
        plugin::IsRangeExtractorText(extractor) && plugin::IsRangeExtractorText(filter.extractor);
    const std::string whole_keys = tail.Text("rocksdb.block.based.table.whole.key.filtering");
    return (is_range || extractor == filter.extractor) &&
           whole_keys == (filter.whole_keys ? "1" : "0") &&
           (filter.blocks.empty() || (tail.Text("rocksdb.filter.policy") == filter.policy &&
                                      absl::EndsWith(tail.filter, "." + filter.compatibility)));
  }

  absl::Status Write(const Batch& batch, const std::vector<Outcome>& outcomes,
                     RefilterResult* result) {
    const bool is_level_0 = batch.front()->level == 0;
    bool has_failed = false;
    uint64_t changed = 0;
    std::vector<NewEnd> ends;
    for (size_t i = 0; i < batch.size(); ++i) {
      const RefilterFile& file = *batch[i];
      const auto& [status, end] = outcomes[i];
      if (!status.ok()) {
        // While the database is open, compactions remove files.
        if (options_.prepares && !env_->FileExists(file.path()).ok()) continue;
        result->failed.emplace_back(file.path(), status.message());
        has_failed = true;
        continue;
      }
      ++(end.bytes ? changed : result->same);
      if (end.bytes || is_level_0) {
        ends.push_back({file.number, file.folder, end.bytes.value_or("")});
      }
      const double reached = plan_.at(file.number).reached;
      result->filter_bytes_before += end.before.bytes;
      result->filter_bytes_after += end.after.bytes;
      result->false_reads_before += reached * end.before.rate;
      result->false_reads_after += reached * end.after.rate;
    }
    if (is_level_0 && has_failed && changed > 0) {
      result->remarks.push_back(
          "files of level 0 stay as they are, as one of them can't be read: they get numbers "
          "together, or none");
      changed = 0;
    }
    result->changed += changed;
    if (options_.is_dry || options_.prepares || changed == 0) return absl::OkStatus();
    const absl::StatusOr<WrittenEnds> written =
        WriteEnds(where_, std::move(ends), &database_.manifest);
    if (!written.ok()) return written.status();
    result->bytes_written += written->bytes_written;
    result->files_copied += written->files_copied;
    return absl::OkStatus();
  }

  Env* const env_;
  const RefilterOptions& options_;
  RefilterDatabase& database_;
  Reading& reading_;
  EndsToWrite where_;
  const std::map<uint64_t, PlannedFilter> plan_;  // by number at the beginning
};

// Refuses folders with two files of a name: which of them is the database's, nothing tells.
absl::Status CheckNames(Env* env, const EndsToWrite& where) {
  std::map<std::string, std::string> folders;  // by name of a file
  for (const std::string& folder : std::set(where.folders.begin(), where.folders.end())) {
    std::vector<std::string> names;
    const ROCKSDB_NAMESPACE::Status listed = env->GetChildren(folder, &names);
    if (!listed.ok()) return FileStatus(folder, listed);
    for (const std::string& name : names) {
      if (!absl::EndsWith(name, ".sst")) continue;
      const auto [other, is_only] = folders.emplace(name, folder);
      if (is_only) continue;
      return Refused(absl::StrCat(name, " is in ", other->second, " and in ", folder,
                                  ", and only one of them is the database's: move the other one "
                                  "away, and name by --path only folders of the database"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<RefilterResult> TryToRefilter(
    Env* env, const RefilterOptions& options, const std::atomic<bool>& stop,
    const std::function<void(const RefilterProgress&)>& show) {
  RefilterResult result;
  Reading reading(options, stop, show);
  const std::string& folder = options.request.database;
  if (!env->FileExists(folder + "/CURRENT").ok()) {
    return Refused(absl::StrCat(Printable(folder), " is no database: it has no file CURRENT"));
  }
  const bool only_reads = options.is_dry || options.prepares;
  EndsToWrite where{env, folder, {folder}};
  where.folders.insert(where.folders.end(), options.request.folders.begin(),
                       options.request.folders.end());
  absl::StatusOr<Lock> lock;
  if (!options.prepares) {
    lock = TakeLock(env, folder);
    if (!lock.ok()) return lock.status();
  }
  if (absl::Status names = CheckNames(env, where); !names.ok()) return names;
  if (only_reads && HasRefilterJournal(env, folder)) {
    return Refused(
        "a killed winnow refilter left a batch to end: close the database, and run it "
        "without --dry_run and --prepare first");
  }
  if (!only_reads) {
    const absl::StatusOr<bool> ended = FinishOrUndo(where);
    if (!ended.ok()) return ended.status();
    result.ended_former = *ended;
  }
  absl::StatusOr<RefilterDatabase> database =
      ReadForRefilter(env, options.request, options.prepares);
  if (!database.ok()) return database.status();
  result.remarks = database->remarks;
  const auto remove_kept_ends = [&](const std::set<uint64_t>& stay) {
    if (const absl::Status removed = RemoveKeptEnds(env, folder, stay); !removed.ok()) {
      result.remarks.push_back(
          absl::StrCat("what was prepared can't be removed: ", removed.message()));
    }
  };
  const auto live = [&] {
    std::set<uint64_t> numbers;
    for (const auto& [number, file] : database->manifest.files) numbers.insert(number);
    return numbers;
  };
  if (options.prepares) remove_kept_ends(live());  // of files that are gone
  Run run(where, options, &*database, &reading);
  if (const absl::Status done = run.All(stop, &result); !done.ok()) return done;
  if (!only_reads && !result.was_interrupted) {
    const bool is_part = options.request.level || !options.request.families.empty();
    remove_kept_ends(is_part ? live() : std::set<uint64_t>());
  }
  result.bytes_read = reading.progress().bytes;
  result.seconds = reading.seconds();
  return result;
}

}  // namespace

absl::StatusOr<RefilterResult> Refilter(Env* env, const RefilterOptions& options,
                                        const std::atomic<bool>& stop,
                                        const std::function<void(const RefilterProgress&)>& show) {
  try {
    return TryToRefilter(env, options, stop, show);
  } catch (const std::exception& exception) {
    return absl::InternalError(absl::StrCat("it ended by an exception: ", exception.what(),
                                            ". Run winnow refilter again"));
  }
}

}  // namespace winnow::inspect
