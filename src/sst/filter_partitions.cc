#include "src/sst/filter_partitions.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/slice.h>

#include <algorithm>
#include <utility>

#include "src/sst/known_comparator.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::Slice;

constexpr std::string_view kPartitionedFilter = "partitionedfilter.";

// Returns true if a partition that ends with `last` ends before the key.
bool IsBefore(const std::string& last, bool internal_keys, const Comparator* comparator,
              const InternalKey& key) {
  const Slice wanted(key.user_key.data(), key.user_key.size());
  if (!internal_keys) {
    return comparator->Compare(last, wanted) < 0;
  }
  const InternalKey end = *ParseInternalKey(last);
  const int order = comparator->Compare(Slice(end.user_key.data(), end.user_key.size()), wanted);
  // Entries of one user key are sorted from the newest to the oldest.
  return order != 0
             ? order < 0
             : end.sequence > key.sequence || (end.sequence == key.sequence && end.type > key.type);
}

}  // namespace

bool HasNextPrefixes(const ROCKSDB_NAMESPACE::TableProperties& properties) noexcept {
  return properties.file_creation_time > 0 || !properties.db_session_id.empty();
}

std::optional<std::vector<FilterPartition>> ParseIndexBlock(std::string_view block,
                                                            bool delta_encoded) {
  const std::optional<std::string_view> entries = EntriesOf(block);
  if (!entries) {
    return std::nullopt;
  }
  std::vector<FilterPartition> partitions;
  BlockDecoder decoder(*entries);
  FilterPartition current;
  while (!decoder.AtEnd()) {
    const uint64_t shared = decoder.Varint();
    const uint64_t own = decoder.Varint();
    const uint64_t value_bytes = delta_encoded ? 0 : decoder.Varint();
    if (!decoder.ok() || shared > current.last.size()) {
      return std::nullopt;
    }
    current.last.resize(shared);
    current.last.append(decoder.Bytes(own));
    if (delta_encoded && shared > 0) {
      // The partition follows the previous one, and the delta of sizes is encoded.
      current.place.offset += current.place.bytes + kBlockTrailerBytes;
      current.place.bytes += static_cast<uint64_t>(decoder.SignedVarint());
    } else if (delta_encoded) {
      current.place = decoder.Place();
    } else {
      BlockDecoder value(decoder.Bytes(value_bytes));
      current.place = value.Place();
      if (!value.ok()) {
        return std::nullopt;
      }
    }
    if (!decoder.ok()) {
      return std::nullopt;
    }
    partitions.push_back(current);
  }
  return partitions;
}

FilterPartitions ReadFilterPartitions(const std::string& path,
                                      const ROCKSDB_NAMESPACE::TableProperties& properties) {
  FilterPartitions found;
  TableBlocks blocks(path);
  if (!blocks.problem().empty()) {
    found.problem = absl::StrCat("the filter's index can't be read: ", blocks.problem());
    return found;
  }
  const std::optional<BlockPlace> place = blocks.Find(kPartitionedFilter);
  const std::optional<std::string> index = place ? blocks.Read(*place) : std::nullopt;
  std::optional<std::vector<FilterPartition>> partitions;
  if (index) {
    partitions = ParseIndexBlock(*index, properties.index_value_is_delta_encoded != 0);
  }
  if (!partitions || partitions->empty()) {
    found.problem = absl::StrCat("the filter's index over its partitions can't be read: ",
                                 !place   ? "the metaindex names no partitioned filter"
                                 : !index ? "it is not where the metaindex says"
                                          : "it has entries that no builder writes");
    return found;
  }
  found.internal_keys = properties.index_key_is_user_key == 0;
  const Comparator* const comparator = ComparatorOfKeys(properties);
  const size_t timestamp_bytes = comparator == nullptr ? 0 : comparator->timestamp_size();
  const bool can_be_compared =
      std::all_of(partitions->begin(), partitions->end(), [&](const FilterPartition& each) {
        const std::optional<InternalKey> key =
            found.internal_keys ? ParseInternalKey(each.last) : InternalKey{each.last, 0, 0};
        return key && key->user_key.size() >= timestamp_bytes;
      });
  if (can_be_compared) {
    found.partitions = std::move(*partitions);
  } else {
    found.problem = "the filter's index over its partitions has a key that is too short";
  }
  return found;
}

FilterPartitions PartitionsOfBlocks(const std::string& path, const RawSst& sst) {
  FilterPartitions found = ReadFilterPartitions(path, *sst.properties);
  const bool fits = std::equal(sst.blocks.begin(), sst.blocks.end(), found.partitions.begin(),
                               found.partitions.end(),
                               [](const std::string& block, const FilterPartition& partition) {
                                 return block.size() == partition.place.bytes;
                               });
  if (found.problem.empty() && !fits) {
    found.problem = absl::StrCat("the filter's index names ", found.partitions.size(),
                                 " partitions, but RocksDB reads ", sst.blocks.size(),
                                 ", or they are of other sizes");
    found.partitions.clear();
  }
  return found;
}

size_t FindPartition(const FilterPartitions& partitions, const Comparator* comparator,
                     const InternalKey& key) {
  const std::vector<FilterPartition>& all = partitions.partitions;
  const auto found =
      std::partition_point(all.begin(), all.end(), [&](const FilterPartition& partition) {
        return IsBefore(partition.last, partitions.internal_keys, comparator, key);
      });
  return std::min(static_cast<size_t>(found - all.begin()), all.size() - 1);
}

size_t PartitionWalk::PartitionOf(const InternalKey& key) {
  const std::vector<FilterPartition>& all = partitions_.partitions;
  while (current_ + 1 < all.size() &&
         IsBefore(all[current_].last, partitions_.internal_keys, comparator_, key)) {
    ++current_;
  }
  return current_;
}

}  // namespace winnow::inspect
