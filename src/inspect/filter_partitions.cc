#include "src/inspect/filter_partitions.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/slice.h>

#include <algorithm>
#include <fstream>

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::Slice;

constexpr uint64_t kBlockBasedMagic = 0x88e241b785f4cff7;
constexpr size_t kFooterBytes = 53;  // checksum type, 40 bytes of places, version, magic
constexpr size_t kTrailerBytes = 5;  // behind a block: compression type, checksum
constexpr std::string_view kPartitionedFilter = "partitionedfilter.";
constexpr uint64_t kMostIndexBytes = 1 << 30;

// Takes numbers from the front of bytes that may end too early.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool AtEnd() const { return bytes_.empty(); }

  uint64_t Fixed(size_t size) {
    uint64_t number = 0;
    const std::string_view bytes = Bytes(size);
    for (size_t i = 0; i < bytes.size(); ++i) {
      number |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    return number;
  }

  uint64_t Varint() {
    uint64_t number = 0;
    for (int shift = 0; shift < 64 && ok_; shift += 7) {
      const uint64_t byte = Fixed(1);
      number |= (byte & 127) << shift;
      if (byte < 128) {
        return number;
      }
    }
    ok_ = false;
    return 0;
  }

  // Zigzag: 0, -1, 1, -2, …
  int64_t SignedVarint() {
    const uint64_t number = Varint();
    return static_cast<int64_t>((number >> 1) ^ (~(number & 1) + 1));
  }

  BlockPlace Place() {
    BlockPlace place;
    place.offset = Varint();
    place.bytes = Varint();
    return place;
  }

  // Empty, and not ok from then on, where fewer are left.
  std::string_view Bytes(size_t size) {
    ok_ = ok_ && size <= bytes_.size();
    const std::string_view bytes = ok_ ? bytes_.substr(0, size) : std::string_view();
    bytes_.remove_prefix(bytes.size());
    return bytes;
  }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

// A block without the numbers at its end that say where its restarts are.
std::optional<std::string_view> EntriesOf(std::string_view block) {
  if (block.size() < 4) {
    return std::nullopt;
  }
  const uint64_t restarts = Decoder(block.substr(block.size() - 4)).Fixed(4);
  if (restarts > block.size() / 4 - 1) {
    return std::nullopt;
  }
  return block.substr(0, block.size() - 4 * (restarts + 1));
}

struct Footer {
  BlockPlace metaindex;
  std::string problem;
};

Footer ParseFooter(std::string_view bytes, uint64_t file_bytes) {
  Footer footer;
  Decoder decoder(bytes);
  decoder.Fixed(1);  // the type of checksums
  Decoder places(decoder.Bytes(40));
  const uint64_t version = decoder.Fixed(4);
  const uint64_t magic = decoder.Fixed(8);
  if (magic != kBlockBasedMagic || version < 2 || version > 7) {
    footer.problem =
        absl::StrCat("the filter's index can't be read: its file has the format version ", version,
                     "; known are 2 to 7");
  } else if (version < 6) {
    footer.metaindex = places.Place();
  } else {
    places.Bytes(12);  // extended magic, two checksums
    footer.metaindex.bytes = places.Fixed(4);
    footer.metaindex.offset =
        file_bytes - kFooterBytes - kTrailerBytes - footer.metaindex.bytes;  // right before it
  }
  return footer;
}

class File {
 public:
  explicit File(const std::string& path) : stream_(path, std::ios::binary | std::ios::ate) {
    bytes_ = stream_ ? static_cast<uint64_t>(std::max<std::streamoff>(stream_.tellg(), 0)) : 0;
  }

  uint64_t bytes() const { return bytes_; }

  // Nothing where the file has not so many bytes there.
  std::optional<std::string> Read(uint64_t offset, uint64_t size) {
    if (size > kMostIndexBytes || offset > bytes_ || size > bytes_ - offset) {
      return std::nullopt;
    }
    std::string bytes(size, '\0');
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(bytes.data(), static_cast<std::streamsize>(size));
    return stream_ ? std::optional(std::move(bytes)) : std::nullopt;
  }

  // A block that is not compressed, as metaindexes and indexes over filters are in all versions.
  std::optional<std::string> ReadBlock(BlockPlace place) {
    std::optional<std::string> bytes = Read(place.offset, place.bytes + 1);
    if (!bytes || bytes->back() != 0) {
      return std::nullopt;
    }
    bytes->pop_back();
    return bytes;
  }

 private:
  std::ifstream stream_;
  uint64_t bytes_ = 0;
};

// The metaindex names its blocks; values have their length before them there.
std::optional<BlockPlace> FindFilterIndex(std::string_view metaindex) {
  const std::optional<std::string_view> entries = EntriesOf(metaindex);
  if (!entries) {
    return std::nullopt;
  }
  Decoder decoder(*entries);
  std::string name;
  while (decoder.ok() && !decoder.AtEnd()) {
    const uint64_t shared = decoder.Varint();
    const uint64_t own = decoder.Varint();
    const uint64_t value_bytes = decoder.Varint();
    name.resize(std::min<uint64_t>(shared, name.size()));
    name.append(decoder.Bytes(own));
    Decoder value(decoder.Bytes(value_bytes));
    if (decoder.ok() && name.compare(0, kPartitionedFilter.size(), kPartitionedFilter) == 0) {
      const BlockPlace place = value.Place();
      return value.ok() ? std::optional(place) : std::nullopt;
    }
  }
  return std::nullopt;
}

// Whether a partition that ends with `last` ends before the key.
bool IsBefore(const std::string& last, bool internal_keys, const Comparator* comparator,
              const InternalKey& key) {
  const Slice wanted(key.user_key.data(), key.user_key.size());
  if (!internal_keys) {
    return comparator->Compare(last, wanted) < 0;
  }
  const InternalKey end = *ParseInternalKey(last);
  const int order = comparator->Compare(Slice(end.user_key.data(), end.user_key.size()), wanted);
  // Of one user key the newest comes first.
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
  Decoder decoder(*entries);
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
      // Right behind the partition before, with so many more bytes.
      current.place.offset += current.place.bytes + kTrailerBytes;
      current.place.bytes += static_cast<uint64_t>(decoder.SignedVarint());
    } else if (delta_encoded) {
      current.place = decoder.Place();
    } else {
      Decoder value(decoder.Bytes(value_bytes));
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
  File file(path);
  const std::optional<std::string> end = file.bytes() < kFooterBytes
                                             ? std::nullopt
                                             : file.Read(file.bytes() - kFooterBytes, kFooterBytes);
  if (!end) {
    found.problem = "the filter's index can't be read: the file's end is missing";
    return found;
  }
  const Footer footer = ParseFooter(*end, file.bytes());
  found.problem = footer.problem;
  if (!found.problem.empty()) {
    return found;
  }
  const std::optional<std::string> metaindex = file.ReadBlock(footer.metaindex);
  const std::optional<BlockPlace> place = metaindex ? FindFilterIndex(*metaindex) : std::nullopt;
  const std::optional<std::string> index = place ? file.ReadBlock(*place) : std::nullopt;
  std::optional<std::vector<FilterPartition>> partitions;
  if (index) {
    partitions = ParseIndexBlock(*index, properties.index_value_is_delta_encoded != 0);
  }
  if (!partitions || partitions->empty()) {
    found.problem = absl::StrCat("the filter's index over its partitions can't be read: ",
                                 !metaindex ? "the metaindex is not where the footer says"
                                 : !place   ? "the metaindex names no partitioned filter"
                                 : !index   ? "it is not where the metaindex says"
                                            : "it has entries that no builder writes");
    return found;
  }
  found.partitions = std::move(*partitions);
  found.internal_keys = properties.index_key_is_user_key == 0;
  const bool too_short =
      found.internal_keys &&
      std::any_of(found.partitions.begin(), found.partitions.end(),
                  [](const FilterPartition& each) { return !ParseInternalKey(each.last); });
  if (too_short) {
    found.problem = "the filter's index over its partitions has a key that is no internal key";
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
