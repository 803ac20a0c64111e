#include "src/sst/range_deletions.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string_view>

#include "src/sst/internal_keys.h"
#include "src/sst/table_blocks.h"

namespace winnow::inspect {
namespace {

constexpr std::string_view kBlockName = "rocksdb.range_del";

// Returns the global sequence number of an ingested file, which replaces the 0 of its entries; 0
// for other files.
uint64_t GlobalSequence(const ROCKSDB_NAMESPACE::TableProperties& properties) {
  const auto found =
      properties.user_collected_properties.find("rocksdb.external_sst_file.global_seqno");
  return found == properties.user_collected_properties.end()
             ? 0
             : BlockDecoder(found->second).Fixed(sizeof(uint64_t));
}

// Parses the block of range deletions. Returns nullopt if it is malformed.
std::optional<std::vector<RangeDeletion>> Parse(std::string_view block, uint64_t global_sequence) {
  std::vector<RangeDeletion> ranges;
  bool has_keys = true;
  const bool is_whole = ForEachEntry(block, [&](const std::string& key, std::string_view end) {
    const std::optional<InternalKey> first = ParseInternalKey(key);
    has_keys = has_keys && first;
    if (!has_keys) return;
    ranges.push_back({std::string(first->user_key), std::string(end),
                      std::max(first->sequence, global_sequence)});
  });
  if (!is_whole || !has_keys) return std::nullopt;
  return ranges;
}

}  // namespace

RangeDeletions ReadRangeDeletions(const std::string& path,
                                  const ROCKSDB_NAMESPACE::TableProperties& properties) {
  RangeDeletions found;
  if (properties.num_range_deletions == 0) {
    return found;
  }
  TableBlocks blocks(path);
  const std::optional<BlockPlace> place = blocks.Find(kBlockName);
  const std::optional<std::string> block = place ? blocks.Read(*place) : std::nullopt;
  std::optional<std::vector<RangeDeletion>> ranges =
      block ? Parse(*block, GlobalSequence(properties)) : std::nullopt;
  if (!ranges) {
    found.problem =
        absl::StrCat("its ", properties.num_range_deletions, " range deletions can't be read",
                     blocks.problem().empty() ? "" : ": ", blocks.problem());
    return found;
  }
  found.ranges = std::move(*ranges);
  return found;
}

std::optional<uint64_t> NewestCovering(const RangeDeletions& deletions,
                                       const ROCKSDB_NAMESPACE::Comparator& comparator,
                                       const std::string& key) {
  std::optional<uint64_t> newest;
  for (const RangeDeletion& range : deletions.ranges) {
    if (comparator.CompareWithoutTimestamp(key, false, range.first, true) >= 0 &&
        comparator.CompareWithoutTimestamp(key, false, range.end, true) < 0) {
      newest = std::max(newest.value_or(0), range.sequence);
    }
  }
  return newest;
}

}  // namespace winnow::inspect
