#include "src/preload/add_ranges.h"

#include <rocksdb/memtablerep.h>
#include <rocksdb/table.h>

#include <map>
#include <memory>
#include <string_view>

#include "src/preload/add_policy.h"
#include "src/preload/family_notes.h"
#include "src/preload/interposed_policy.h"
#include "src/preload/request.h"
#include "src/rocksdb/engine.h"
#include "src/rocksdb/messages/family_lines.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/ranges/key_order.h"
#include "src/rocksdb/ranges/range_extractor.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::preload {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;

// Sets the extractor if there is no reason not to. Returns what the family gets, as the end of a
// sentence about it.
std::string AddTo(ColumnFamilyOptions* options) {
  const std::string reason = ReasonForNoRanges(*options);
  if (!reason.empty()) return "gets no range filters by WINNOW_RANGE_BITS: it " + reason;
  if (options->prefix_extractor == nullptr) options->prefix_extractor = NewRangeExtractor();
  return "gets range filters, of range_bits=" +
         plugin::PolicyOptionText("range_bits", RequestedPolicy().options);
}

// Returns whether the memtable is known to need no prefix extractor.
bool IsWithoutPrefixes(const ROCKSDB_NAMESPACE::MemTableRepFactory* memtable) {
  return memtable == nullptr || memtable->Name() == std::string_view("SkipListFactory") ||
         memtable->Name() == std::string_view("VectorRepFactory");
}

}  // namespace

std::string ReasonForNoRanges(const ColumnFamilyOptions& options) {
  if (!HasBlockBasedTables(options)) return "has tables of another format than the block-based one";
  const auto& table = *options.table_factory->GetOptions<BlockBasedTableOptions>();
  if (table.filter_policy == nullptr) return "has no filter policy";
  const FilterPolicy* const interposed = InterposedBehind(*table.filter_policy);
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
  if (!table.whole_key_filtering) return "has whole_key_filtering=false";
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

void AddRanges(const std::string& database, Families* families) {
  if (RequestedRangeBits() == 0) return;
  std::map<std::string, Names> said;
  for (ColumnFamilyDescriptor& family : *families) {
    said[AddTo(&family.options)].push_back(family.name);
  }
  if (!IsLogging() || Opening::IsOpen()) return;
  for (const auto& [what, names] : said) plugin::SayFamiliesOnStderr(database, names, what);
}

void AddRanges(const Names& families, const std::string& database, ColumnFamilyOptions* options) {
  if (RequestedRangeBits() == 0) return;
  const std::string what = AddTo(options);
  if (!IsLogging() || Opening::IsOpen()) return;
  plugin::SayFamiliesOnStderr(database, families, what);
}

}  // namespace winnow::preload
