#include "src/preload/family_options.h"

#include <pthread.h>
#include <rocksdb/comparator.h>
#include <rocksdb/memtablerep.h>

#include <climits>
#include <string_view>

#include "src/preload/interposed_policy.h"
#include "src/preload/request.h"
#include "src/preload/stock_functions.h"
#include "src/rocksdb/engine.h"
#include "src/rocksdb/messages/family_lines.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/ranges/key_order.h"
#include "src/rocksdb/ranges/range_extractor.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::preload {
namespace {

constexpr char kPrefixExtractor[] =
    "a prefix extractor, with which a filter would hide rows from scans with neither "
    "auto_prefix_mode nor total_order_seek";

// The value of a pthread key, not thread_local: static TLS is scarce in libraries that are loaded
// by dlopen().
pthread_key_t OpeningKey() {
  static const pthread_key_t key = [] {
    pthread_key_t made;
    return ::pthread_key_create(&made, nullptr) == 0 ? made : PTHREAD_KEYS_MAX;
  }();
  return key;
}

bool IsOpening() noexcept { return ::pthread_getspecific(OpeningKey()) != nullptr; }

// Returns null unless this is RocksDB's own block-based factory: replacing a wrapper of it would
// remove the wrapper's functions.
const BlockBasedTableOptions* OwnTableOf(const ColumnFamilyOptions& options) {
  const std::shared_ptr<TableFactory>& factory = options.table_factory;
  const bool is_own = factory != nullptr &&
                      factory->Name() == std::string_view(TableFactory::kBlockBasedTableName());
  return is_own ? TableOf(factory) : nullptr;
}

// Returns whether SetOptions reaches the interposer; false only if the RocksDB in use is known to
// bypass it. If there is no hook at all, there is nothing to see.
bool SeesSetOptions() {
  static const bool sees =
      StockFunction(Hook::kOpen) == nullptr || IsReplaced(Hook::kSetOptions).value_or(false);
  return sees;
}

// Returns whether the memtable is known to need no prefix extractor.
bool IsWithoutPrefixes(const ROCKSDB_NAMESPACE::MemTableRepFactory* memtable) {
  return memtable == nullptr || memtable->Name() == std::string_view("SkipListFactory") ||
         memtable->Name() == std::string_view("VectorRepFactory");
}

// Returns the reason why a family with these options, which have the added policy, gets no range
// filters. It gets them if an interposed policy builds Winnow's filters for it, and if winnow.range
// does not change its behavior: its keys are in bytewise order, it has no prefix extractor, and no
// memtable or filter that needs prefixes.
std::string ReasonForNoRanges(const ColumnFamilyOptions& options) {
  const BlockBasedTableOptions* const table = OwnTableOf(options);
  if (table == nullptr) return "has tables of another format than the block-based one";
  if (table->filter_policy == nullptr) return "has no filter policy";
  const FilterPolicy* const interposed = InterposedBehind(*table->filter_policy);
  if (interposed == nullptr || !plugin::EngineOf(interposed)->BuildsOurs()) {
    return "has a filter policy that WINNOW_POLICY does not replace";
  }
  if (options.comparator == nullptr ||
      plugin::OrderOf(options.comparator->Name()) != plugin::KeyOrder::kBytewise) {
    return "has a comparator that does not order keys by their bytes";
  }
  if (plugin::IsRangeExtractor(options.prefix_extractor.get())) return {};
  if (options.prefix_extractor != nullptr) {
    return "has a prefix extractor, and can have one alone";
  }
  if (!table->whole_key_filtering) return "has whole_key_filtering=false";
  if (options.memtable_prefix_bloom_size_ratio > 0) {
    return "has memtable_prefix_bloom_size_ratio, by which its memtables would have a filter of "
           "no use";
  }
  if (!IsWithoutPrefixes(options.memtable_factory.get())) {
    return "has the memtable " + plugin::Quoted(options.memtable_factory->Name()) +
           ", which may go by prefixes";
  }
  return {};
}

std::string NoteOnPolicy(const FilterPolicy& policy) {
  if (!IsInterposing() || policy.Name() == std::string_view("winnow.Filter")) return {};
  if (!IsNamedAsBuiltin(policy)) {
    return "has a filter policy that is not RocksDB's, " + plugin::Quoted(policy.Name()) +
           ", and keeps it: WINNOW_POLICY has no effect there";
  }
  return WasMissed(policy) ? "has RocksDB's filter policy " + plugin::Quoted(policy.GetId()) +
                                 ", which was made where the interposer does not see it: "
                                 "WINNOW_POLICY has no effect there"
                           : std::string();
}

// Returns the note on a column family without a policy of the program; empty if Winnow adds one.
std::string NoteOnNone(const ColumnFamilyOptions& options) {
  const std::string reason = ReasonNotToAdd(options);
  if (IsInterposing() && IsAdding()) {
    return reason.empty() ? reason : "gets no filter policy: it " + reason;
  }
  if (OwnTableOf(options) == nullptr) return reason + ", which no filter policy is for";
  const std::string missing =
      "has no filter policy: files get no filters, and those that files have are not used; ";
  if (!reason.empty()) {
    return missing + "WINNOW_ADD=1 would not give it one, as it " + reason;
  }
  return missing + (IsInterposing() ? "WINNOW_ADD=1 gives it one"
                                    : "WINNOW_POLICY=winnow with WINNOW_ADD=1 gives it one");
}

}  // namespace

const BlockBasedTableOptions* TableOf(const std::shared_ptr<TableFactory>& factory) {
  return factory == nullptr ? nullptr : factory->GetOptions<BlockBasedTableOptions>();
}

const FilterPolicy* PolicyOf(const std::shared_ptr<TableFactory>& factory) {
  const BlockBasedTableOptions* const table = TableOf(factory);
  return table == nullptr ? nullptr : table->filter_policy.get();
}

std::string ReasonToLeave(const ColumnFamilyOptions& options) {
  const BlockBasedTableOptions* const table = OwnTableOf(options);
  if (table == nullptr) return "has tables of another format than the block-based one";
  if (table->filter_policy != nullptr) return "has a filter policy";
  if (options.comparator == nullptr ||
      options.comparator->CanKeysWithDifferentByteContentsBeEqual()) {
    return "has a comparator by which keys of different bytes may be equal";
  }
  // The extractor winnow.range does not change what iterators return.
  if (options.prefix_extractor != nullptr &&
      !plugin::IsRangeExtractor(options.prefix_extractor.get())) {
    return std::string("has ") + kPrefixExtractor;
  }
  return {};
}

std::string ReasonNotToAdd(const ColumnFamilyOptions& options) {
  const std::string reason = ReasonToLeave(options);
  return reason.empty() && !SeesSetOptions()
             ? std::string(
                   "is of a RocksDB that does not let the interposer see SetOptions, by "
                   "which it may get ") +
                   kPrefixExtractor
             : reason;
}

std::string NoteOn(const ColumnFamilyOptions& options) {
  const FilterPolicy* const policy = PolicyOf(options.table_factory);
  return policy != nullptr ? NoteOnPolicy(*policy) : NoteOnNone(options);
}

Opening::Opening() noexcept : is_inner_(IsOpening()) { ::pthread_setspecific(OpeningKey(), this); }

Opening::~Opening() {
  if (!is_inner_) ::pthread_setspecific(OpeningKey(), nullptr);
}

FamilyChanges::FamilyChanges(const std::string& database)
    : database_(database),
      adds_policies_(IsInterposing() && IsAdding()),
      adds_ranges_(AddsRanges()) {}

void FamilyChanges::Make(const std::string& family, ColumnFamilyOptions* options) {
  if (adds_policies_) AddPolicy(family, options);
  if (adds_ranges_) AddRanges(family, options);
}

void FamilyChanges::AddPolicy(const std::string& family, ColumnFamilyOptions* options) {
  if (!ReasonNotToAdd(*options).empty()) return;
  std::shared_ptr<TableFactory>& replacement = replacements_[options->table_factory.get()];
  if (replacement == nullptr) {
    BlockBasedTableOptions table = *OwnTableOf(*options);
    table.filter_policy = NewAddedPolicy();
    replacement.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  }
  options->table_factory = replacement;
  added_.push_back(family);
}

void FamilyChanges::AddRanges(const std::string& family, ColumnFamilyOptions* options) {
  const std::string reason = ReasonForNoRanges(*options);
  if (reason.empty() && options->prefix_extractor == nullptr) {
    options->prefix_extractor = NewRangeExtractor();
  }
  ranges_[reason.empty() ? "gets range filters, of range_bits=" +
                               plugin::PolicyOptionText("range_bits", RequestedPolicy().options)
                         : "gets no range filters by WINNOW_RANGE_BITS: it " + reason]
      .push_back(family);
}

void FamilyChanges::Say() const {
  if (!IsLogging()) return;
  plugin::SayFamiliesOnStderr(
      database_, added_,
      std::string("has no filter policy and gets one") +
          (RequestedPolicy().only_reads ? " that reads filters and builds none" : ""));
  if (IsOpening()) return;
  for (const auto& [what, names] : ranges_) plugin::SayFamiliesOnStderr(database_, names, what);
}

void SayNotes(DB& database, const std::string& name, const Families& families) noexcept {
  try {
    if (IsOpening() || !(IsInterposing() || IsLogging())) return;
    std::map<std::string, Names> notes;
    for (const ColumnFamilyDescriptor& family : families) {
      notes[NoteOn(family.options)].push_back(family.name);
    }
    const std::shared_ptr<ROCKSDB_NAMESPACE::Logger> log =
        IsInterposing() ? database.GetDBOptions().info_log : nullptr;
    for (const auto& [note, names] : notes) {
      if (note.empty()) continue;
      if (IsLogging()) plugin::SayFamiliesOnStderr(name, names, note);
      plugin::WarnOfFamiliesInLog(log.get(), names, note);
    }
  } catch (...) {
    // A missing line is better than a failed open.
  }
}

void BeforeSetOptions(DB& database, ColumnFamilyHandle* family, const OptionTexts& options) {
  const auto extractor = options.find("prefix_extractor");
  ColumnFamilyDescriptor descriptor;
  if (extractor == options.end() || extractor->second == "nullptr" ||
      plugin::IsRangeExtractorText(extractor->second) || family == nullptr ||
      !family->GetDescriptor(&descriptor).ok() ||
      !StopIfAdded(PolicyOf(descriptor.options.table_factory))) {
    return;
  }
  const std::string line =
      std::string("gets no more filters of WINNOW_ADD and uses none: SetOptions gives it ") +
      kPrefixExtractor;
  plugin::WarnOfFamiliesInLog(database.GetDBOptions().info_log.get(), {descriptor.name}, line);
  if (IsLogging()) plugin::SayFamiliesOnStderr(database.GetName(), {descriptor.name}, line);
}

}  // namespace winnow::preload
