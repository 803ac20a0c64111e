#include "src/sst/table_tail.h"

#include <absl/status/status.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "third_party/rocksdb_abi/checksum.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::Slice;
using Entries = std::map<std::string, std::string>;

constexpr size_t kPlacesAt = 1;  // behind the type of checksums
constexpr size_t kVersionAt = 41;
constexpr std::string_view kExtendedMagic("\x3e\x00\x7a\x00", 4);
constexpr uint32_t kFirstWithContext = 6;
constexpr uint64_t kMostBytes = 1 << 30;  // of a block
constexpr char kProperties[] = "rocksdb.properties";
constexpr char kGlobalSequence[] = "rocksdb.external_sst_file.global_seqno";

absl::Status Damaged(const std::string& what) { return absl::DataLossError(what); }

std::string EncodedPlace(BlockPlace place) {
  return VarintText(place.offset) + VarintText(place.bytes);
}

uint32_t ContextOf(uint32_t base, uint64_t offset) {
  return base == 0 ? 0
                   : base ^ (static_cast<uint32_t>(offset) + static_cast<uint32_t>(offset >> 32));
}

// Returns the checksum of a block with its compression type, or of a footer, at this offset.
uint32_t ChecksumAt(const TableTail& tail, std::string_view bytes, uint64_t offset) {
  const auto type = static_cast<ROCKSDB_NAMESPACE::ChecksumType>(tail.checksum_type);
  return ROCKSDB_NAMESPACE::ComputeBuiltinChecksum(type, bytes.data(), bytes.size()) +
         ContextOf(tail.base_context, offset);
}

// Reader of a file's blocks.
class Blocks {
 public:
  Blocks(std::unique_ptr<ROCKSDB_NAMESPACE::RandomAccessFile> file, uint64_t bytes)
      : file_(std::move(file)), bytes_(bytes) {}

  absl::StatusOr<std::string> Bytes(uint64_t offset, uint64_t size, const char* what) const {
    if (size > kMostBytes || offset > bytes_ || size > bytes_ - offset) {
      return Damaged(absl::StrCat("its ", what, " lies outside of the file"));
    }
    std::string bytes(size, '\0');
    Slice read;
    const ROCKSDB_NAMESPACE::Status status = file_->Read(offset, size, &read, bytes.data());
    if (!status.ok() || read.size() != size) {
      return Damaged(absl::StrCat("its ", what, " can't be read: ",
                                  status.ok() ? "the file is shorter" : status.ToString()));
    }
    if (read.data() != bytes.data()) bytes.assign(read.data(), read.size());
    return bytes;
  }

  // Returns a block without its trailer; is_right(block with compression type, checksum) tells
  // whether the checksum is right.
  template <typename IsRight>
  absl::StatusOr<std::string> Block(BlockPlace place, const char* what, IsRight is_right) const {
    if (place.bytes > bytes_) return Damaged(absl::StrCat("its ", what, " is not in the file"));
    absl::StatusOr<std::string> bytes = Bytes(place.offset, place.bytes + kBlockTrailerBytes, what);
    if (!bytes.ok()) return bytes;
    const auto checksum = static_cast<uint32_t>(
        BlockDecoder(std::string_view(*bytes).substr(place.bytes + 1)).Fixed(4));
    bytes->resize(place.bytes + 1);
    if (!is_right(*bytes, checksum)) {
      return Damaged(absl::StrCat("the checksum of its ", what, " is wrong"));
    }
    if (bytes->back() != 0) return Damaged(absl::StrCat("its ", what, " is compressed"));
    bytes->pop_back();
    return bytes;
  }

 private:
  const std::unique_ptr<ROCKSDB_NAMESPACE::RandomAccessFile> file_;
  const uint64_t bytes_;
};

// Returns a block of these entries. `is_packed`: names share the bytes that they have in common
// with the one before, and only the first is a restart point, as in properties.
std::string BlockOf(const Entries& entries, bool is_packed) {
  std::string block;
  std::vector<size_t> restarts{0};
  std::string_view before;
  for (const auto& [name, value] : entries) {
    size_t shared = 0;
    if (is_packed) {
      const size_t most = std::min(before.size(), name.size());
      shared = static_cast<size_t>(
          std::mismatch(name.begin(), name.begin() + static_cast<ptrdiff_t>(most), before.begin())
              .first -
          name.begin());
    } else if (!block.empty()) {
      restarts.push_back(block.size());
    }
    PutVarint(shared, &block);
    PutVarint(name.size() - shared, &block);
    PutVarint(value.size(), &block);
    block.append(name, shared).append(value);
    before = name;
  }
  for (const size_t restart : restarts) PutFixed(restart, 4, &block);
  PutFixed(restarts.size(), 4, &block);
  return block;
}

absl::Status ParseFooter(std::string_view footer, uint64_t offset, TableTail* tail,
                         BlockPlace* metaindex) {
  BlockDecoder decoder(footer);
  tail->checksum_type = static_cast<int>(decoder.Fixed(1));
  BlockDecoder places(decoder.Bytes(kVersionAt - kPlacesAt));
  tail->format_version = static_cast<uint32_t>(decoder.Fixed(4));
  if (decoder.Fixed(8) != kBlockBasedMagic) {
    return Damaged(
        "it is no block-based table, or it is encrypted: its last 8 bytes are not those of one");
  }
  if (tail->format_version < 2 || tail->format_version > 7) {
    return Damaged(
        absl::StrCat("its format version is ", tail->format_version, "; known are 2 to 7"));
  }
  if (tail->checksum_type > ROCKSDB_NAMESPACE::kXXH3) {
    return Damaged(absl::StrCat("its checksums are of type ", tail->checksum_type,
                                ", which this program does not know"));
  }
  if (tail->format_version < kFirstWithContext) {
    *metaindex = places.Place();
    tail->index = places.Place();
    return places.ok() ? absl::OkStatus() : Damaged("its footer is damaged");
  }
  if (places.Bytes(4) != kExtendedMagic) return Damaged("its footer is damaged");
  const auto checksum = static_cast<uint32_t>(places.Fixed(4));
  tail->base_context = static_cast<uint32_t>(places.Fixed(4));
  metaindex->bytes = places.Fixed(4);
  places.Bytes(16);
  if (places.Fixed(8) != 0) return Damaged("its footer has a feature that is not known");
  std::string without(footer);
  std::fill_n(without.begin() + kPlacesAt + 4, 4, '\0');
  if (tail->checksum_type != ROCKSDB_NAMESPACE::kNoChecksum &&
      ChecksumAt(*tail, without, offset) != checksum) {
    return Damaged("the checksum of its footer is wrong");
  }
  if (metaindex->bytes + kBlockTrailerBytes > offset) return Damaged("its footer is damaged");
  metaindex->offset = offset - kBlockTrailerBytes - metaindex->bytes;
  return absl::OkStatus();
}

std::string FooterOf(const TableTail& tail, BlockPlace metaindex, uint64_t offset) {
  std::string footer(1, static_cast<char>(tail.checksum_type));
  if (tail.format_version < kFirstWithContext) {
    footer += EncodedPlace(metaindex) + EncodedPlace(tail.index);
  } else {
    footer += kExtendedMagic;
    PutFixed(0, 4, &footer);  // its checksum
    PutFixed(tail.base_context, 4, &footer);
    PutFixed(metaindex.bytes, 4, &footer);
  }
  footer.resize(kVersionAt, '\0');
  PutFixed(tail.format_version, 4, &footer);
  PutFixed(kBlockBasedMagic, 8, &footer);
  if (tail.format_version >= kFirstWithContext) {
    std::string checksum;
    PutFixed(ChecksumAt(tail, footer, offset), 4, &checksum);
    footer.replace(kPlacesAt + kExtendedMagic.size(), 4, checksum);
  }
  return footer;
}

// Returns the properties block, whose checksum may be that of a global sequence number of zero:
// ingestion writes the number later.
absl::StatusOr<std::string> ReadProperties(const TableTail& tail, const Blocks& blocks,
                                           BlockPlace place) {
  return blocks.Block(place, "properties", [&](std::string_view bytes, uint32_t checksum) {
    if (tail.checksum_type == ROCKSDB_NAMESPACE::kNoChecksum) return true;
    if (ChecksumAt(tail, bytes, place.offset) == checksum) return true;
    std::string without(bytes);
    ForEachEntry(bytes.substr(0, bytes.size() - 1),
                 [&](const std::string& name, std::string_view value) {
                   if (name == kGlobalSequence) {
                     without.replace(static_cast<size_t>(value.data() - bytes.data()), value.size(),
                                     value.size(), '\0');
                   }
                 });
    return ChecksumAt(tail, without, place.offset) == checksum;
  });
}

// Appends blocks behind a file's bytes.
class End {
 public:
  explicit End(const TableTail& tail) : tail_(tail) {}

  uint64_t offset() const { return tail_.bytes + bytes_.size(); }
  BlockPlace Add(std::string_view block) {
    const BlockPlace place{offset(), block.size()};
    std::string with_type(block);
    with_type.push_back('\0');  // not compressed
    const uint32_t checksum = ChecksumAt(tail_, with_type, place.offset);
    bytes_ += with_type;
    PutFixed(checksum, 4, &bytes_);
    return place;
  }
  std::string WithFooter(BlockPlace metaindex) && {
    const std::string footer = FooterOf(tail_, metaindex, offset());
    return std::move(bytes_) + footer;
  }

 private:
  const TableTail& tail_;
  std::string bytes_;
};

// Adds the partitions, and returns the block of their index: each entry is a restart point.
std::string AddPartitions(const TableTail& tail, const std::vector<std::string>& blocks, End* end) {
  const bool is_delta_encoded = tail.Number("rocksdb.index.value.is.delta.encoded") != 0;
  std::string index;
  std::string restarts;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const std::string place = EncodedPlace(end->Add(blocks[i]));
    const std::string& last = tail.partitions[i].last;
    PutFixed(index.size(), 4, &restarts);
    PutVarint(0, &index);
    PutVarint(last.size(), &index);
    if (!is_delta_encoded) PutVarint(place.size(), &index);
    index.append(last).append(place);
  }
  PutFixed(blocks.size(), 4, &restarts);
  return index + restarts;
}

}  // namespace

uint64_t TableTail::Number(const std::string& property) const {
  return BlockDecoder(Text(property)).Varint();
}

std::string TableTail::Text(const std::string& property) const {
  const auto found = properties.find(property);
  return found == properties.end() ? std::string() : found->second;
}

absl::StatusOr<TableTail> ReadTableTail(Env* env, const std::string& path, uint64_t bytes) {
  std::unique_ptr<ROCKSDB_NAMESPACE::RandomAccessFile> file;
  const ROCKSDB_NAMESPACE::Status status =
      env->NewRandomAccessFile(path, &file, ROCKSDB_NAMESPACE::EnvOptions());
  if (!status.ok()) return absl::NotFoundError(status.ToString());
  if (bytes < kFooterBytes) return Damaged("it is too short for a table");
  const Blocks blocks(std::move(file), bytes);
  TableTail tail;
  tail.bytes = bytes;
  const uint64_t footer_at = bytes - kFooterBytes;
  const absl::StatusOr<std::string> footer = blocks.Bytes(footer_at, kFooterBytes, "footer");
  if (!footer.ok()) return footer.status();
  BlockPlace metaindex_at;
  if (const auto parsed = ParseFooter(*footer, footer_at, &tail, &metaindex_at); !parsed.ok()) {
    return parsed;
  }
  const auto read = [&](BlockPlace place, const char* what) {
    return blocks.Block(place, what, [&](std::string_view block, uint32_t checksum) {
      return tail.checksum_type == ROCKSDB_NAMESPACE::kNoChecksum ||
             ChecksumAt(tail, block, place.offset) == checksum;
    });
  };
  const absl::StatusOr<std::string> metaindex = read(metaindex_at, "metaindex");
  if (!metaindex.ok()) return metaindex.status();
  bool has_block_filter = false;
  const bool is_whole =
      ForEachEntry(*metaindex, [&](const std::string& name, std::string_view value) {
        tail.metaindex[name] = std::string(value);
        has_block_filter = has_block_filter || absl::StartsWith(name, "filter.");
        if (absl::StartsWith(name, "fullfilter.") || absl::StartsWith(name, "partitionedfilter.")) {
          tail.filter = name;
        }
      });
  const auto properties_at = tail.metaindex.find(kProperties);
  if (!is_whole || properties_at == tail.metaindex.end()) {
    return Damaged("its metaindex is damaged, or names no properties");
  }
  if (has_block_filter) {
    return Damaged("it has an obsolete block-based filter: a compaction gives it another one");
  }
  const absl::StatusOr<std::string> properties =
      ReadProperties(tail, blocks, BlockDecoder(properties_at->second).Place());
  if (!properties.ok()) return properties.status();
  if (!ForEachEntry(*properties, [&](const std::string& name, std::string_view value) {
        tail.properties[name] = std::string(value);
      })) {
    return Damaged("its properties are damaged");
  }
  if (absl::StartsWith(tail.filter, "partitionedfilter.")) {
    const absl::StatusOr<std::string> index =
        read(BlockDecoder(tail.metaindex[tail.filter]).Place(), "index of filter partitions");
    if (!index.ok()) return index.status();
    std::optional<std::vector<FilterPartition>> partitions =
        ParseIndexBlock(*index, tail.Number("rocksdb.index.value.is.delta.encoded") != 0);
    if (!partitions || partitions->empty() ||
        !CanBeCompared(*partitions, !tail.has_user_keys(), nullptr)) {
      return Damaged("its index of filter partitions is damaged");
    }
    tail.partitions = std::move(*partitions);
  }
  return tail;
}

std::string NewEndOf(const TableTail& tail, const FilterToWrite& filter) {
  End end(tail);
  Entries metaindex = tail.metaindex;
  metaindex.erase(tail.filter);
  const bool is_partitioned = !tail.partitions.empty();
  uint64_t bytes = 0;
  for (const std::string& block : filter.blocks) bytes += block.size();
  if (!filter.blocks.empty()) {
    std::string index;
    if (is_partitioned) {
      index = AddPartitions(tail, filter.blocks, &end);
      bytes += index.size();
    }
    const BlockPlace place = end.Add(is_partitioned ? index : filter.blocks.front());
    metaindex[(is_partitioned ? "partitionedfilter." : "fullfilter.") + filter.compatibility] =
        EncodedPlace(place);
  }
  Entries properties = tail.properties;
  properties["rocksdb.filter.size"] = VarintText(bytes);
  properties["rocksdb.filter.policy"] = filter.blocks.empty() ? std::string() : filter.policy;
  if (const auto entries = properties.find("rocksdb.num.filter_entries");
      entries != properties.end()) {
    entries->second = VarintText(filter.entries);
  }
  properties["rocksdb.block.based.table.whole.key.filtering"] = filter.whole_keys ? "1" : "0";
  properties["rocksdb.block.based.table.prefix.filtering"] =
      filter.extractor == "nullptr" ? "0" : "1";
  properties["rocksdb.prefix.extractor.name"] = filter.extractor;
  metaindex[kProperties] = EncodedPlace(end.Add(BlockOf(properties, /*is_packed=*/true)));
  const BlockPlace metaindex_at = end.Add(BlockOf(metaindex, /*is_packed=*/false));
  return std::move(end).WithFooter(metaindex_at);
}

}  // namespace winnow::inspect
