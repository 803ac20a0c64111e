#include "tests/stress/life.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "tests/stress/blame/blame.h"
#include "tests/stress/database.h"
#include "tests/stress/part.h"
#include "tests/stress/reads.h"
#include "tests/stress/session.h"
#include "tests/stress/settings.h"
#include "tests/stress/writes.h"

namespace winnow::stress {
namespace {

using Clock = std::chrono::steady_clock;

// Sets the policy of all column families but the one with timestamps, whose comparator differs:
// mostly the previous policy, sometimes RocksDB's filters for one session or a new policy.
void SharePolicy(std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* kept, Random* random,
                 Settings* settings) {
  const std::string learned = "{id=winnow;bits_per_key=10;level_plan=learned;range_bits=10}";
  const uint64_t kind = random->Below(6);
  const bool is_builtin = kind == 0 && *kept != nullptr;
  if (*kept == nullptr || kind == 1) *kept = MakePolicy(learned);
  for (size_t i = 0; i < kFamilies; ++i) {
    FamilySettings& family = settings->families[i];
    family.policy = is_builtin ? "bloomfilter:10:false" : learned;
    family.kept = is_builtin ? nullptr : *kept;
    family.is_watched = false;
  }
}

Settings ChooseSettings(const LifePlan& plan, Random* random) {
  Settings settings = RandomSettings(random);
  if (plan.fault == Fault::kNone) return settings;
  // Few files with many keys, all of whose filters have the fault.
  settings.kind = DatabaseKind::kPlain;
  for (FamilySettings& family : settings.families) {
    family.policy = plan.fault == Fault::kDeniedByBuiltin
                        ? "bloomfilter:16:false"
                        : "{id=winnow;bits_per_key=16;ribbon_min_keys=1000}";
    family.is_watched = true;
    if (plan.fault == Fault::kDeniedRange) {
      family.policy = "{id=winnow;bits_per_key=16;range_bits=15}";
      family.extractor = {Extractor::Kind::kRanges, 0};
      family.options.prefix_extractor = family.extractor.Make();
    }
    family.table.whole_key_filtering = plan.fault != Fault::kDeniedRange;
    family.table.partition_filters = plan.fault == Fault::kDeniedInOne;
    family.table.index_type = family.table.partition_filters
                                  ? ROCKSDB_NAMESPACE::BlockBasedTableOptions::kTwoLevelIndexSearch
                                  : ROCKSDB_NAMESPACE::BlockBasedTableOptions::kBinarySearch;
    family.options.optimize_filters_for_hits = false;
    family.options.write_buffer_size = 4 << 20;
    family.options.target_file_size_base = 8 << 20;
  }
  return settings;
}

class Life {
 public:
  Life(const LifePlan& plan, Counts* counts) : plan_(plan), random_(plan.seed), counts_(counts) {
    for (unsigned owner = 0; owner <= plan.threads; ++owner) {
      parts_.push_back(std::make_unique<Part>(plan.folder, KeySpace(owner, plan.keys)));
    }
  }

  int Run() {
    const auto end = Clock::now() + std::chrono::duration<double>(plan_.seconds);
    for (uint64_t session = 0; plan_.sessions > 0 ? session < plan_.sessions : Clock::now() < end;
         ++session) {
      if (const int status = RunOnce(session == 0); status != 0) return status;
    }
    return 0;
  }

 private:
  int RunOnce(bool is_first) {
    std::unique_ptr<Database> database;
    std::optional<Finding> finding;
    Settings settings = ChooseSettings(plan_, &random_);
    if (plan_.plans) SharePolicy(&kept_, &random_, &settings);
    try {
      database = std::make_unique<Database>(plan_.folder + "/db", settings, plan_.fault);
      counts_->Add(Count::kReopenings);
      for (const auto& part : parts_) part->Settle(*database, &random_, counts_);
      if (plan_.fault != Fault::kNone && is_first) {
        WriteOperations(*database, parts_[0].get(), false, &random_, counts_).PutAll();
      }
      // The first session reads everything, including what a kill left.
      if (is_first || random_.Below(3) == 0) ReadAll(*database);
      Session session(database.get(), plan_, counts_, random_.Next());
      finding = session.Run(parts_);
      const bool reads_all = random_.Below(3) == 0 || plan_.fault != Fault::kNone;
      if (!finding && reads_all) ReadAll(*database);
    } catch (const DifferenceFound& found) {
      if (database == nullptr) {
        std::printf(
            "RocksDB could not %s: %s\n  with %s\nunexplained: ours until shown otherwise\n",
            found.difference.operation.c_str(), found.difference.status.c_str(),
            settings.ToString().c_str());
        return static_cast<int>(Verdict::kUnexplained);
      }
      finding = LookCloser(found.difference, *database);
    }
    counts_->SetFromPlugin();
    counts_->Set(Count::kWatched, Watch::Compared());
    counts_->Set(Count::kBySingle, Watch::ComparedBySingle());
    if (!finding) return 0;
    const Blame blame = FindBlame(*finding, *database, plan_.folder + "/evidence", plan_.program);
    std::printf("%s", blame.report.c_str());
    if (blame.verdict == Verdict::kWinnowFilter || blame.verdict == Verdict::kSharedHash) {
      counts_->Add(Count::kFalseNegatives);
    }
    return static_cast<int>(blame.verdict);
  }

  void ReadAll(const Database& database) {
    for (const auto& part : parts_) {
      Reads({&database, &part->keys(), &part->model()}, &random_, counts_).All();
      ThrowIfWatchedReaderWasWrong();
    }
  }

  const LifePlan plan_;
  Random random_;
  Counts* const counts_;
  std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> kept_;  // shared policy, with --plans
  std::vector<std::unique_ptr<Part>> parts_;  // the last one is only written between sessions
};

}  // namespace

int RunLife(const LifePlan& plan, Counts* counts) { return Life(plan, counts).Run(); }

}  // namespace winnow::stress
