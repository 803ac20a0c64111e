#include "src/preload/open_and_compact.h"

#include <rocksdb/table.h>

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

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;

thread_local const WorkerCompaction* current_worker = nullptr;

const FilterPolicy* PolicyOf(const CompactionOverride& options) {
  const auto* const table = options.table_factory == nullptr
                                ? nullptr
                                : options.table_factory->GetOptions<BlockBasedTableOptions>();
  return table == nullptr ? nullptr : table->filter_policy.get();
}

// Returns whether files that are built with these options get Winnow's filters, if the policy
// builds any.
bool BuildsOurs(const CompactionOverride& options) {
  if (PolicyOf(options) == nullptr) return false;
  const plugin::Engine* const engine = EngineBehind(*PolicyOf(options));
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

std::string StateOf(const Status& status) {
  return status.getState() == nullptr ? "" : status.getState();
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
    TellOfTree();
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
                        StateOf(status));
    }
    changed_ = std::move(own);
  }
  if (!IsInterposing()) return Status::OK();
  const FilterPolicy* const policy = PolicyOf(options());
  if (!CheckedPolicy().complaint.empty() &&
      (IsAdding() || (policy != nullptr && IsNamedAsBuiltin(*policy)))) {
    return Status::InvalidArgument(CheckedPolicy().complaint);
  }
  if (IsAdding()) AddPolicy();
  if (RequestedRangeBits() > 0 && options().prefix_extractor == nullptr) AddRangeExtractor();
  return Status::OK();
}

// Adds the extractor if the database's own process has it, as it is needed to read range filters.
void WorkerCompaction::AddRangeExtractor() {
  plugin::JobOptions job;
  if (!plugin::ReadJobOptions(options().env, name_, input_, &job).ok() ||
      !plugin::IsRangeExtractorText(job.Object("prefix_extractor"))) {
    return;
  }
  if (!changed_) changed_ = given_;
  changed_->prefix_extractor = NewRangeExtractor();
}

void WorkerCompaction::AddPolicy() {
  ColumnFamilyOptions family;
  family.table_factory = options().table_factory;
  family.comparator = options().comparator;
  family.prefix_extractor = options().prefix_extractor;
  if (!ReasonNotToAdd(family).empty()) return;
  plugin::JobOptions job;
  // A prefix extractor that only the database's own options have counts, too.
  if (!plugin::ReadJobOptions(options().env, name_, input_, &job).ok() ||
      !(job.Object("prefix_extractor").empty() ||
        plugin::IsRangeExtractorText(job.Object("prefix_extractor")))) {
    return;
  }
  FamilyChanges changes(name_);
  changes.AddPolicy({job.family}, &family);
  changes.Say();
  if (!changed_) changed_ = given_;
  changed_->table_factory = family.table_factory;
}

// Tells the policy about the tree, unless PrepareOpenAndCompact made its factory and has done so.
void WorkerCompaction::TellOfTree() const {
  const FilterPolicy* const given = PolicyOf(options());
  const FilterPolicy* const interposed = given == nullptr ? nullptr : InterposedBehind(*given);
  if (interposed == nullptr || given_.table_factory == nullptr) return;
  plugin::JobOptions job;
  // If the options can't be read, the family is empty, and no tree matches.
  static_cast<void>(plugin::ReadJobOptions(options().env, name_, input_, &job));
  plugin::TellOfTree(plugin::EngineOf(interposed), std::string(), job.family);
  // The policy may be shared with other jobs; this job's compaction runs in this thread.
  plugin::OrderOfJob order;
  order.Set(job.family, plugin::OrderOf(job, options().comparator));
  plugin::SetJobHere(std::move(order));
}

std::string WorkerCompaction::FaultOfPolicy() const {
  if (BuildsOurs(options())) return {};
  const FilterPolicy* const policy = PolicyOf(options());
  const std::string found =
      "table_factory of CompactionServiceOptionsOverride has " + TextOf(policy);
  CompactionOverride own;
  const Status status = OptionsOfJob(name_, input_, given_, &own);
  if (!status.ok()) {
    return "it can't be told whether compactions that this process does for another one lose "
           "Winnow's filters: " +
           found + ", and the database's own options can't be had: " + StateOf(status) +
           (IsAdding() && policy == nullptr ? "; WINNOW_ADD adds no policy then" : "") +
           "; before DB::OpenAndCompact, call winnow::PrepareOpenAndCompact "
           "(winnow/rocksdb_remote_compaction.h), which fails then, and let the service answer "
           "kUseLocal";
  }
  if (!BuildsOurs(own)) return {};
  return "compactions that this process does for another one lose Winnow's filters: " + found +
         ", and the database's own options have " + TextOf(PolicyOf(own)) +
         "; before DB::OpenAndCompact, call winnow::PrepareOpenAndCompact "
         "(winnow/rocksdb_remote_compaction.h), or leave table_factory null: it is made of the "
         "database's own options then";
}

void WorkerCompaction::SayWhatIsInForce() const {
  const FilterPolicy* const policy = PolicyOf(options());
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
