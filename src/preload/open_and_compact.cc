#include "src/preload/open_and_compact.h"

#include <memory>
#include <utility>

#include "src/preload/family_options.h"
#include "src/preload/interposed_policy.h"
#include "src/preload/request.h"
#include "src/rocksdb/builders/last_built_filter.h"
#include "src/rocksdb/engine.h"
#include "src/rocksdb/messages/info_log.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/ranges/range_extractor.h"
#include "src/rocksdb/remote/job_options.h"
#include "src/rocksdb/remote/remote_compaction.h"
#include "winnow/rocksdb_policy.h"
#include "winnow/rocksdb_remote_compaction.h"

namespace winnow::preload {
namespace {

thread_local const WorkerCompaction* current_worker = nullptr;

// Returns whether files that are built with these options get Winnow's filters, if the policy
// builds any.
bool BuildsOurs(const CompactionOverride& options) {
  const FilterPolicy* const policy = PolicyOf(options.table_factory);
  const plugin::Engine* const engine = policy == nullptr ? nullptr : EngineBehind(*policy);
  return engine != nullptr && engine->BuildsOurs();
}

// Returns the options that the database's own process would use.
Status OptionsOfJob(const std::string& name, const std::string& input,
                    const CompactionOverride& given, CompactionOverride* own) {
  *own = given;
  own->table_factory = nullptr;
  return PrepareOpenAndCompact(name, input, std::string(), own);
}

std::string TextOf(const FilterPolicy* policy) {
  return policy == nullptr ? "no filter policy"
                           : "the filter policy " + plugin::Quoted(policy->GetId());
}

}  // namespace

WorkerCompaction::WorkerCompaction(const std::string& name, const std::string& input,
                                   const CompactionOverride& given)
    : name_(name),
      input_(input),
      given_(given),
      outer_(current_worker),
      outer_job_(plugin::SetJobHere({})) {
  current_worker = this;
  try {
    status_ = Prepare();
    if (!status_.ok()) return;
    fault_ = FaultOfPolicy();
    if (!fault_.empty()) {
      plugin::SayOnceOnStderr(fault_);
    } else if (IsLogging()) {
      SayWhatIsInForce();
    }
  } catch (...) {
    // Out of memory. Without a table factory, RocksDB would terminate the process.
    if (options().table_factory == nullptr) {
      status_ = Status::MemoryLimit("no memory to prepare a compaction");
    }
  }
}

WorkerCompaction::~WorkerCompaction() {
  plugin::SetJobHere(std::move(outer_job_));
  current_worker = outer_;
}

const WorkerCompaction* WorkerCompaction::Current() noexcept { return current_worker; }

void WorkerCompaction::WriteTo(DB& database) const noexcept {
  try {
    if (!fault_.empty()) plugin::WarnOnceInLog(database.GetDBOptions().info_log.get(), fault_);
  } catch (...) {
    // A missing line is better than a failed compaction.
  }
}

Status WorkerCompaction::Prepare() {
  if (given_.table_factory == nullptr) {
    CompactionOverride own;
    const Status status = OptionsOfJob(name_, input_, given_, &own);
    if (!status.ok()) {
      return Status(status.code(), status.subcode(), status.severity(),
                    "DB::OpenAndCompact has no table_factory in its "
                    "CompactionServiceOptionsOverride, by which RocksDB ends the process, and the "
                    "database's own can't be made: " +
                        Sentence(status));
    }
    changed_ = std::move(own);
  }
  if (!IsInterposing()) return Status::OK();
  const FilterPolicy* const policy = PolicyOf(options().table_factory);
  if (!CheckedPolicy().complaint.empty() &&
      (IsAdding() || (policy != nullptr && IsNamedAsBuiltin(*policy)))) {
    return Status::InvalidArgument(CheckedPolicy().complaint);
  }
  plugin::JobOptions job;
  const bool is_known = plugin::ReadJobOptions(options().env, name_, input_, &job).ok();
  const std::string extractor =
      is_known ? plugin::ObjectText(job.family_options, "prefix_extractor") : std::string();
  const bool has_ranges = plugin::IsRangeExtractorText(extractor);
  // A prefix extractor that only the database's own options have counts, too.
  if (IsAdding() && is_known && (extractor.empty() || has_ranges)) AddPolicy(job.family);
  // If the database's own process has this extractor, it is needed to read range filters.
  if (AddsRanges() && has_ranges && options().prefix_extractor == nullptr) {
    changed().prefix_extractor = NewRangeExtractor();
  }
  TellOfTree(job);
  return Status::OK();
}

void WorkerCompaction::AddPolicy(const std::string& name) {
  ColumnFamilyOptions family;
  family.table_factory = options().table_factory;
  family.comparator = options().comparator;
  family.prefix_extractor = options().prefix_extractor;
  if (!ReasonNotToAdd(family).empty()) return;
  FamilyChanges changes(name_);
  changes.AddPolicy(name, &family);
  changes.Say();
  changed().table_factory = family.table_factory;
}

// Tells the policy about the tree, unless PrepareOpenAndCompact made its factory and has done so.
// If the options can't be read, the family is empty, and no tree matches.
void WorkerCompaction::TellOfTree(const plugin::JobOptions& job) const {
  const FilterPolicy* const given = PolicyOf(options().table_factory);
  const FilterPolicy* const interposed = given == nullptr ? nullptr : InterposedBehind(*given);
  if (interposed == nullptr || given_.table_factory == nullptr) return;
  plugin::TellOfTree(plugin::EngineOf(interposed), std::string(), job.family);
  // The policy may be shared with other jobs; this job's compaction runs in this thread.
  plugin::OrderOfJob order;
  order.Set(job.family, plugin::OrderOf(job, options().comparator));
  plugin::SetJobHere(std::move(order));
}

std::string WorkerCompaction::FaultOfPolicy() const {
  if (BuildsOurs(options())) return {};
  const FilterPolicy* const policy = PolicyOf(options().table_factory);
  const std::string found =
      "table_factory of CompactionServiceOptionsOverride has " + TextOf(policy);
  CompactionOverride own;
  const Status status = OptionsOfJob(name_, input_, given_, &own);
  if (!status.ok()) {
    return "it can't be told whether compactions that this process does for another one lose "
           "Winnow's filters: " +
           found + ", and the database's own options can't be had: " + Sentence(status) +
           (IsAdding() && policy == nullptr ? "; WINNOW_ADD adds no policy then" : "") +
           "; before DB::OpenAndCompact, call winnow::PrepareOpenAndCompact "
           "(winnow/rocksdb_remote_compaction.h), which fails then, and let the service answer "
           "kUseLocal";
  }
  if (!BuildsOurs(own)) return {};
  return "compactions that this process does for another one lose Winnow's filters: " + found +
         ", and the database's own options have " + TextOf(PolicyOf(own.table_factory)) +
         "; before DB::OpenAndCompact, call winnow::PrepareOpenAndCompact "
         "(winnow/rocksdb_remote_compaction.h), or leave table_factory null: it is made of the "
         "database's own options then";
}

void WorkerCompaction::SayWhatIsInForce() const {
  const FilterPolicy* const policy = PolicyOf(options().table_factory);
  plugin::SayOnceOnStderr(
      "compactions of " + name_ + " for another process have " +
      (given_.table_factory == nullptr
           ? "no table_factory and get that of the database's own options, with "
           : "a table_factory with ") +
      TextOf(policy) +
      (BuildsOurs(options()) ? ", which builds Winnow's filters"
                             : ": none of Winnow's filters is built"));
}

}  // namespace winnow::preload
