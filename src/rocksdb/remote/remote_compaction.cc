#include "src/rocksdb/remote/remote_compaction.h"

#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "src/base/c_locale.h"
#include "src/core/sizing.h"
#include "src/rocksdb/builders/memory_budget.h"
#include "src/rocksdb/engine.h"
#include "src/rocksdb/messages/size_text.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/remote/family_text.h"
#include "src/rocksdb/remote/job_options.h"
#include "src/rocksdb/version_guard.h"
#include "winnow/rocksdb_remote_compaction.h"

namespace winnow {
namespace plugin {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::CompactionServiceOptionsOverride;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::SliceTransform;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TableFactory;

namespace {

Status WithContext(const Status& status, const std::string& context) {
  const std::string state = status.getState() == nullptr ? "" : status.getState();
  return Status(status.code(), status.subcode(), status.severity(), context + ": " + state);
}

// Returns a config with which unknown objects are errors, not null pointers.
ConfigOptions Strict(Env* env) {
  ConfigOptions config;
  config.env = env;
  config.ignore_unknown_options = false;
  config.ignore_unsupported_options = false;
  return config;
}

// Returns an object's name from the text that RocksDB saves, which is only the name, or has
// options, too.
std::string IdIn(const std::string& text) {
  OptionTexts texts;
  if (text.empty() || text.front() != '{') return text;
  return ROCKSDB_NAMESPACE::StringToMap(text, &texts).ok() ? texts["id"] : text;
}

// Checks options that can only be set in code.
Status CheckComparator(const JobOptions& job, const CompactionServiceOptionsOverride& given) {
  const std::string needed = IdIn(ObjectText(job.family_options, "comparator"));
  const std::string found = given.comparator == nullptr ? "none" : given.comparator->Name();
  if (needed.empty() || needed == found) return Status::OK();
  return Status::InvalidArgument("the column family " + Quoted(job.family) +
                                     " has the comparator " + Quoted(needed) + ", and not " +
                                     Quoted(found),
                                 "set comparator of CompactionServiceOptionsOverride to it");
}

Status MakePrefixExtractor(const JobOptions& job, const ConfigOptions& config,
                           std::shared_ptr<const SliceTransform>* made) {
  const std::string needed = ObjectText(job.family_options, "prefix_extractor");
  if (*made != nullptr || needed.empty()) return Status::OK();
  const Status status = SliceTransform::CreateFromString(config, needed, made);
  if (status.ok() && *made != nullptr) return status;
  return Status::InvalidArgument(
      "the column family " + Quoted(job.family) + " has the prefix extractor " + Quoted(needed) +
          ", which RocksDB's registry doesn't know here",
      "set prefix_extractor of CompactionServiceOptionsOverride to it: without it, filters have no "
      "prefixes");
}

Status MakeTableOptions(const JobOptions& job, const ConfigOptions& config,
                        const std::shared_ptr<TableFactory>& given, BlockBasedTableOptions* made) {
  BlockBasedTableOptions base;
  if (given != nullptr && given->GetOptions<BlockBasedTableOptions>() != nullptr) {
    base = *given->GetOptions<BlockBasedTableOptions>();
  }
  base.filter_policy = nullptr;
  const std::string where =
      "the table options of the column family " + Quoted(job.family) + " in " + Quoted(job.file);
  const Status status =
      ROCKSDB_NAMESPACE::GetBlockBasedTableOptionsFromMap(config, base, job.table_options, made);
  if (!status.ok()) {
    return WithContext(status, where +
                                   " can't be read as a whole; a worker needs the RocksDB and the "
                                   "filter policies of the database's own process");
  }
  const auto asked = job.table_options.find("filter_policy");
  const bool has_policy = asked != job.table_options.end() && asked->second != "nullptr";
  if (has_policy && made->filter_policy == nullptr) {
    return Status::NotSupported(
        where + " name the filter policy " + Quoted(asked->second) + ", which is not known here",
        "load its library in the worker");
  }
  return Status::OK();
}

// Makes the worker keep no filters in memory. For a job, RocksDB opens all files of the database,
// and reads and keeps their filters, although no lookup uses them. It does not if filters belong in
// the block cache.
void KeepNoFilters(BlockBasedTableOptions* table) {
  using ROCKSDB_NAMESPACE::PinningTier;
  if (table->no_block_cache) return;
  table->cache_index_and_filter_blocks = true;
  table->pin_l0_filter_and_index_blocks_in_cache = false;
  table->metadata_cache_options.top_level_index_pinning = PinningTier::kNone;
  table->metadata_cache_options.partition_pinning = PinningTier::kNone;
  table->metadata_cache_options.unpartitioned_pinning = PinningTier::kNone;
}

// Returns the options that a policy would see when a database is opened.
ColumnFamilyOptions FamilyOptionsFor(const JobOptions& job, const ConfigOptions& config,
                                     const CompactionServiceOptionsOverride& given) {
  OptionTexts known;
  for (const char* const name : {"max_bytes_for_level_multiplier", "optimize_filters_for_hits",
                                 "compaction_style", "level_compaction_dynamic_level_bytes"}) {
    const auto found = job.family_options.find(name);
    if (found != job.family_options.end()) known.insert(*found);
  }
  ColumnFamilyOptions options;
  ColumnFamilyOptions base;
  base.comparator = given.comparator;
  const Status status =
      ROCKSDB_NAMESPACE::GetColumnFamilyOptionsFromMap(config, base, known, &options);
  return status.ok() ? options : base;
}

Status Prepare(const std::string& name, const std::string& input, const std::string& learned,
               CompactionServiceOptionsOverride* given) {
  const base::CLocale c;  // RocksDB parses numbers by the locale
  Env* const env = given->env != nullptr ? given->env : Env::Default();
  JobOptions job;
  Status status = ReadJobOptions(env, name, input, &job);
  if (status.ok()) status = CheckComparator(job, *given);
  if (!status.ok()) return status;
  const ConfigOptions config = Strict(env);
  std::shared_ptr<const SliceTransform> prefix_extractor = given->prefix_extractor;
  status = MakePrefixExtractor(job, config, &prefix_extractor);
  if (!status.ok()) return status;
  std::shared_ptr<TableFactory> factory = given->table_factory;
  if (job.table_kind == TableFactory::kBlockBasedTableName()) {
    BlockBasedTableOptions table;
    status = MakeTableOptions(job, config, factory, &table);
    if (status.ok() && table.filter_policy != nullptr) {
      status =
          table.filter_policy->ValidateOptions(DBOptions(), FamilyOptionsFor(job, config, *given));
    }
    if (!status.ok()) return status;
    if (Engine* const engine = EngineOf(table.filter_policy.get())) {
      engine->SetJob(job.family, OrderOf(job, given->comparator));
      TellOfTree(engine, learned, job.family);
    }
    KeepNoFilters(&table);
    factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  } else if (factory == nullptr) {
    return Status::InvalidArgument(
        "the column family " + Quoted(job.family) + " has tables of the kind " +
            Quoted(job.table_kind),
        "set table_factory of CompactionServiceOptionsOverride to a factory of these");
  }
  given->prefix_extractor = std::move(prefix_extractor);
  given->table_factory = std::move(factory);
  return Status::OK();
}

// Returns the bits of a filter with log2(n / k) = 0; nothing if the tree is not known.
std::optional<double> OffsetOf(const PolicyOptions& policy, const KnownTrees::Chosen& chosen,
                               KnownTrees* trees) {
  if (chosen.record == nullptr) return std::nullopt;
  const KnownTotals totals = trees->Totals();
  if (policy.filter_memory > 0 && totals.knows_all_files) {
    const SharedMemory memory = MemoryOf(policy, chosen.facts, chosen.tree, totals.files);
    return -trees->Log2LambdaNow(chosen.record.get(), memory.bits, memory.most_bits);
  }
  if (PlanInForce(policy.level_plan) == LevelPlan::kUniform) return std::nullopt;
  return chosen.record->family.OffsetFor(core::RateBits(policy.bits_per_key));
}

std::string Export(const Engine& engine, const std::string& family, const std::string& db_name) {
  KnownTrees& trees = engine.known()->trees;
  const FileName database = db_name.empty() ? FileName() : FileName::Of(db_name, 0);
  const KnownTrees::Chosen chosen = trees.Choose(database, family);
  // If SetOptions made a policy to replace this one, its options count. If there is none, those of
  // the tree may be older than this policy's: they change with the next file.
  const PolicyOptions own = engine.InForceNow().value_or(chosen.policy);
  const PolicyOptions latest = engine.known()->engines == 1 ? own : chosen.policy;
  if (!GoesByTrees(own) && !GoesByTrees(latest)) return {};
  const std::optional<double> offset = OffsetOf(GoesByTrees(latest) ? latest : own, chosen, &trees);
  for (size_t most_files = kMostCarriedFiles;; most_files /= 2) {
    const bool has_files = chosen.record != nullptr && most_files > 0;
    WorkersRule rule = trees.Carry(chosen, family, has_files);
    if (has_files) CarryFiles(*chosen.record->family.Look(), most_files, &rule);
    rule.offset = offset;
    std::string text = TextOfRule(rule);
    if (text.size() <= kMostLearnedBytes) return text;
    if (most_files == 0) return {};
  }
}

}  // namespace

KeyOrder OrderOf(const JobOptions& job, const ROCKSDB_NAMESPACE::Comparator* given) {
  const std::string needed = IdIn(ObjectText(job.family_options, "comparator"));
  return given == nullptr || given->Name() != needed ? KeyOrder::kUnknown : OrderOf(needed);
}

JobLine RestoreTree(const PolicyOptions& options, const std::string& texts,
                    const std::string& family, KnownTrees* trees) {
  JobLine line;
  line.text = "this compaction for another process builds filters by " + ToString(options);
  if (!GoesByTrees(options)) return line;
  WorkersRule rule;
  rule.family = family;
  const std::string problem = FindRule(texts, &rule);
  if (problem.empty()) {
    line.text += ", with what was learned of " + Counted(rule.files.size(), "file");
  }
  trees->Restore(std::move(rule));
  if (problem.empty()) return line;
  line.is_warning = true;
  line.text += ", without what was learned of its tree (" + problem +
               "): they do not have the sizes that the database's own process would give them";
  if (options.filter_memory > 0) {
    line.text += ", but those of bits_per_key=" + PolicyOptionText("bits_per_key", options);
  }
  if (!texts.empty()) SayOnceOnStderr(line.text);
  return line;
}

void TellOfTree(Engine* engine, const std::string& texts, const std::string& family) {
  const std::optional<PolicyOptions> options =
      engine == nullptr ? std::nullopt : engine->InForceNow();
  if (!options || !engine->BeginsJob()) return;
  KnownTrees& trees = engine->known()->trees;
  trees.SetPolicy(*options);
  const JobLine line = RestoreTree(*options, texts, family, &trees);
  engine->log_line().AddToFirst(line.text, line.is_warning);
}

}  // namespace plugin

std::string ExportLearned(const ROCKSDB_NAMESPACE::FilterPolicy& policy, const std::string& family,
                          const std::string& db_name) noexcept {
  try {
    if (!plugin::VersionProblem().empty()) return {};
    const plugin::Engine* const engine = plugin::EngineOf(&policy);
    return engine == nullptr ? std::string() : plugin::Export(*engine, family, db_name);
  } catch (...) {
    return {};
  }
}

ROCKSDB_NAMESPACE::Status PrepareOpenAndCompact(
    const std::string& name, const std::string& input, const std::string& learned,
    ROCKSDB_NAMESPACE::CompactionServiceOptionsOverride* override_options) noexcept {
  using ROCKSDB_NAMESPACE::Status;
  try {
    if (const std::string& problem = plugin::VersionProblem(); !problem.empty()) {
      return Status::NotSupported(problem);
    }
    if (override_options == nullptr) {
      return Status::InvalidArgument("PrepareOpenAndCompact has no options to fill");
    }
    return plugin::Prepare(name, input, learned, override_options);
  } catch (const std::exception& problem) {
    // RocksDB's parsers throw for some errors, mainly in numbers.
    return Status::InvalidArgument("the compaction's options can't be read", problem.what());
  } catch (...) {
    return Status::InvalidArgument("the compaction's options can't be read");
  }
}

}  // namespace winnow
