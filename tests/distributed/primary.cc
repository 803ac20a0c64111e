#include "tests/distributed/primary.h"

#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/options.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "tests/distributed/built_anew.h"
#include "tests/distributed/events.h"
#include "tests/distributed/folder_service.h"
#include "tests/stress/blame/blame.h"
#include "tests/stress/counts.h"
#include "tests/stress/database.h"
#include "tests/stress/merge_operator.h"
#include "tests/stress/part.h"
#include "tests/stress/reads.h"
#include "tests/stress/timestamps.h"
#include "tests/stress/writes.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/rocksdb_listener.h"

namespace winnow::distributed {
namespace {

namespace fs = std::filesystem;
using ROCKSDB_NAMESPACE::FilterPolicy;
using stress::Counts;
using stress::Database;
using stress::DifferenceFound;
using stress::Extractor;
using stress::Fault;
using stress::Finding;
using stress::Part;
using stress::Random;
using stress::Reads;
using stress::Require;
using stress::Settings;

// Returns options whose file size gives several levels for this number of keys, at about 100 bytes
// per key.
Settings SettingsFor(const PrimaryPlan& plan, const std::shared_ptr<const FilterPolicy>& policy,
                     const std::shared_ptr<FolderService>& service) {
  const uint64_t file_bytes =
      std::clamp<uint64_t>(plan.threads * plan.keys * 100 / 32, 64 << 10, 2 << 20);
  Settings settings;
  settings.options.create_if_missing = true;
  settings.options.create_missing_column_families = true;
  settings.options.compaction_service = service;
  settings.options.listeners.push_back(NewListener(policy));
  // More jobs than workers, so that all workers are busy.
  settings.options.max_background_jobs = 8;
  settings.options.max_subcompactions = 2;
  settings.options.keep_log_file_num = 1000;
  settings.options.stats_dump_period_sec = 0;
  settings.options.stats_persist_period_sec = 0;
  for (stress::FamilySettings& family : settings.families) {
    family.policy = plan.policy;
    family.kept = policy;
    family.options.num_levels = 5;
    family.options.write_buffer_size = file_bytes;
    family.options.target_file_size_base = file_bytes;
    family.options.max_bytes_for_level_base = 4 * file_bytes;
    family.options.max_bytes_for_level_multiplier = 4;
    family.options.level_compaction_dynamic_level_bytes = true;
    family.options.compression = ROCKSDB_NAMESPACE::kNoCompression;
    family.options.merge_operator = stress::NewConcatenation();
  }
  settings.families[1].extractor = {Extractor::Kind::kFixed, 5};
  settings.families[1].options.prefix_extractor = settings.families[1].extractor.Make();
  // Nothing is written to this column family: a worker opens the default family with the options of
  // the job's family, and RocksDB refuses that if the comparators differ.
  settings.families[stress::kTimedFamily].options.comparator = stress::TimestampComparator();
  settings.families[stress::kTimedFamily].options.merge_operator = nullptr;
  return settings;
}

class Primary {
 public:
  explicit Primary(const PrimaryPlan& plan)
      : plan_(plan),
        random_(plan.seed),
        counts_(CountsIn(plan.folder)),
        events_(EventsIn(plan.folder)),
        policy_(stress::MakePolicy(plan.policy)),
        recipe_(RecipeOf(*policy_)),
        service_(std::make_shared<FolderService>(JobsIn(plan.folder), &events_, policy_,
                                                 std::chrono::milliseconds(plan.patience),
                                                 Planted(recipe_, plan))),
        settings_(SettingsFor(plan, policy_, service_)) {
    for (unsigned owner = 0; owner < plan.threads; ++owner) {
      parts_.push_back(std::make_unique<Part>(plan.folder, stress::KeySpace(owner, plan.keys)));
    }
  }

  int Run() {
    uint64_t sessions = 0;
    do {
      if (const int status = RunOnce(/*is_last=*/false); status != 0) return status;
    } while (!IsOver(++sessions));
    return RunOnce(/*is_last=*/true);
  }

 private:
  static Recipe Planted(Recipe recipe, const PrimaryPlan& plan) {
    recipe.with_another_key = plan.with_another_key;
    return recipe;
  }

  bool IsOver(uint64_t sessions) const {
    return plan_.sessions > 0 ? sessions >= plan_.sessions : fs::exists(StopIn(plan_.folder));
  }

  int RunOnce(bool is_last) {
    std::unique_ptr<Database> database;
    std::optional<Finding> finding;
    try {
      database = std::make_unique<Database>(DatabaseIn(plan_.folder), settings_, Fault::kNone);
      events_.Add(Event::kOpened, "");
      counts_.Add(stress::Count::kReopenings);
      for (const auto& part : parts_) part->Settle(*database, &random_, &counts_);
      finding = Work(*database, is_last);
      if (!finding && is_last) LookAtAll(*database);
    } catch (const DifferenceFound& found) {
      if (database == nullptr) {
        std::printf("RocksDB could not %s: %s\n", found.difference.operation.c_str(),
                    found.difference.status.c_str());
        return static_cast<int>(stress::Verdict::kUnexplained);
      }
      finding = stress::LookCloser(found.difference, *database);
    }
    if (!finding) return 0;
    const stress::Blame blame =
        stress::FindBlame(*finding, *database, plan_.folder + "/evidence", plan_.program);
    std::printf("%s", blame.report.c_str());
    return static_cast<int>(blame.verdict);
  }

  // Runs a thread for each part. The last opening only reads.
  std::optional<Finding> Work(const Database& database, bool is_last) {
    std::mutex mutex;
    std::optional<Finding> finding;
    std::atomic<bool> stop{false};
    const auto work = [&](Part* part, uint64_t seed) {
      Random random(seed);
      try {
        Reads({&database, &part->keys(), &part->model()}, &random, &counts_).All();
        if (!is_last) Write(database, part, &random, stop);
      } catch (const DifferenceFound& found) {
        stop = true;
        const std::lock_guard<std::mutex> lock(mutex);
        if (!finding) finding = stress::LookCloser(found.difference, database);
      }
    };
    std::vector<std::thread> threads;
    for (const auto& part : parts_) threads.emplace_back(work, part.get(), random_.Next());
    for (std::thread& thread : threads) thread.join();
    return finding;
  }

  void Write(const Database& database, Part* part, Random* random, const std::atomic<bool>& stop) {
    stress::WriteOperations writes(database, part, /*with_merges=*/true, random, &counts_);
    // Puts all keys, unless a former life already did so before a kill.
    const size_t last = part->model().families[stress::kFamilies - 1].size();
    if (last < part->keys().keys() / 4) writes.PutAll();
    for (uint64_t i = 0; i < plan_.operations && !stop; ++i) {
      counts_.Add(stress::Count::kOperations);
      const uint64_t kind = random->Below(1000);
      if (kind == 0) {
        Compact(database, *part, random);
      } else if (kind < 300) {
        Reads({&database, &part->keys(), &part->model()}, random, &counts_).Any();
      } else {
        writes.Any();
      }
    }
  }

  // Compacts all keys of the part in one column family, mostly in several workers.
  void Compact(const Database& database, const Part& part, Random* random) {
    auto* const family = database.family(random->Below(stress::kFamilies));
    const std::string begin = part.keys().Begin();
    const std::string end = part.keys().End();
    const ROCKSDB_NAMESPACE::Slice begin_slice = begin;
    const ROCKSDB_NAMESPACE::Slice end_slice = end;
    ROCKSDB_NAMESPACE::CompactRangeOptions options;
    options.exclusive_manual_compaction = false;
    counts_.Add(stress::Count::kCompactions);
    Require(database.db().CompactRange(options, family, &begin_slice, &end_slice), "CompactRange");
  }

  // Checks all files at the end, whoever wrote them.
  void LookAtAll(const Database& database) {
    testing::WaitForRest(&database.db());
    Require(database.db().DisableFileDeletions(), "DisableFileDeletions");
    std::vector<ROCKSDB_NAMESPACE::LiveFileMetaData> files;
    database.db().GetLiveFilesMetaData(&files);
    const std::vector<std::string> said = SaidInLogs();
    for (const std::string& line : said) events_.Add(Event::kSaid, line);
    for (const auto& file : files) {
      const std::string name = fs::path(file.name).filename();
      const FilterCheck check = CheckFilter(DatabaseIn(plan_.folder) + "/" + name, recipe_);
      if (check.is == FilterCheck::Is::kNeedless) continue;
      const bool is_named = std::any_of(said.begin(), said.end(), [&name](const std::string& line) {
        return line.find(name) != std::string::npos;
      });
      events_.Add(check.is == FilterCheck::Is::kEqual ? Event::kRight
                  : is_named                          ? Event::kNamed
                                                      : Event::kUnnamed,
                  name + " " + check.what);
    }
  }

  // Returns Winnow's lines in the LOGs about files that workers wrote.
  std::vector<std::string> SaidInLogs() const {
    std::vector<std::string> lines;
    for (const fs::directory_entry& entry : fs::directory_iterator(DatabaseIn(plan_.folder))) {
      if (entry.path().filename().string().rfind("LOG", 0) != 0) continue;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) {
        if (line.find("PrepareOpenAndCompact") != std::string::npos) lines.push_back(line);
      }
    }
    return lines;
  }

  const PrimaryPlan plan_;
  Random random_;
  Counts counts_;
  Events events_;
  const std::shared_ptr<const FilterPolicy> policy_;
  const Recipe recipe_;
  const std::shared_ptr<FolderService> service_;
  const Settings settings_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace

int RunPrimary(const PrimaryPlan& plan) { return Primary(plan).Run(); }

}  // namespace winnow::distributed
