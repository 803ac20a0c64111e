#include "src/sst/table_blocks.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "third_party/rocksdb_abi/checksum.h"

namespace winnow::inspect {
namespace {

constexpr uint64_t kMaxBytes = 1 << 30;
constexpr size_t kPlacesBytes = 40;
constexpr std::string_view kGlobalSequence = "rocksdb.external_sst_file.global_seqno";

// Parses a footer at this offset. Returns a clause if it is none, else an empty text.
std::string ParseFooter(std::string_view bytes, uint64_t offset, TableFooter* footer) {
  BlockDecoder decoder(bytes);
  footer->checksum_type = static_cast<int>(decoder.Fixed(1));
  BlockDecoder places(decoder.Bytes(kPlacesBytes));
  footer->version = static_cast<uint32_t>(decoder.Fixed(4));
  if (decoder.Fixed(8) != kBlockBasedMagic) {
    return "it is no block-based table, or it is encrypted: its last 8 bytes are not those of one";
  }
  if (footer->version < 2 || footer->version > 7) {
    return absl::StrCat("its file has the format version ", footer->version, "; known are 2 to 7");
  }
  if (footer->checksum_type > ROCKSDB_NAMESPACE::kXXH3) {
    return absl::StrCat("its checksums are of type ", footer->checksum_type,
                        ", which this program does not know");
  }
  if (footer->version < kFirstWithContext) {
    footer->metaindex = places.Place();
    footer->index = places.Place();
    return places.ok() ? "" : "its footer is damaged";
  }
  const bool is_extended = places.Bytes(kExtendedMagic.size()) == kExtendedMagic;
  const uint64_t checksum = places.Fixed(4);
  footer->base_context = static_cast<uint32_t>(places.Fixed(4));
  footer->metaindex.bytes = places.Fixed(4);
  places.Bytes(16);
  if (places.Fixed(8) != 0) return "its footer has a feature that is not known";
  std::string without(bytes);
  std::fill_n(without.begin() + kFooterChecksumAt, 4, '\0');
  const bool is_right = footer->checksum_type == ROCKSDB_NAMESPACE::kNoChecksum ||
                        ChecksumAt(*footer, without, offset) == checksum;
  // The metaindex is directly before the footer.
  const uint64_t metaindex = footer->metaindex.bytes + kBlockTrailerBytes;
  if (!is_extended || !is_right || metaindex > offset) return "its footer is damaged";
  footer->metaindex.offset = offset - metaindex;
  return "";
}

// Returns a block as it was before its file was ingested: that writes a global sequence number into
// properties, whose checksum stays.
std::string BeforeIngestion(std::string_view block) {
  std::string before(block);
  ForEachEntry(block.substr(0, block.size() - 1),
               [&](const std::string& name, std::string_view value) {
                 if (name != kGlobalSequence) return;
                 std::fill_n(before.begin() + (value.data() - block.data()), value.size(), '\0');
               });
  return before;
}

}  // namespace

uint32_t ChecksumAt(const TableFooter& footer, std::string_view bytes, uint64_t offset) {
  const auto type = static_cast<ROCKSDB_NAMESPACE::ChecksumType>(footer.checksum_type);
  const auto place = static_cast<uint32_t>(offset) + static_cast<uint32_t>(offset >> 32);
  return ROCKSDB_NAMESPACE::ComputeBuiltinChecksum(type, bytes.data(), bytes.size()) +
         (footer.base_context == 0 ? 0 : footer.base_context ^ place);
}

std::optional<std::string_view> EntriesOf(std::string_view block) {
  if (block.size() < 4) {
    return std::nullopt;
  }
  const uint64_t restarts = BlockDecoder(block.substr(block.size() - 4)).Fixed(4);
  if (restarts > block.size() / 4 - 1) {
    return std::nullopt;
  }
  return block.substr(0, block.size() - 4 * (restarts + 1));
}

TableBlocks::TableBlocks(const std::string& path)
    : stream_(path, std::ios::binary | std::ios::ate) {
  bytes_ = stream_ ? static_cast<uint64_t>(std::max<std::streamoff>(stream_.tellg(), 0)) : 0;
  ReadEnd();
}

void TableBlocks::ReadEnd() {
  const std::optional<std::string> end =
      bytes_ < kFooterBytes ? std::nullopt : ReadBytes(bytes_ - kFooterBytes, kFooterBytes);
  problem_ = end ? ParseFooter(*end, bytes_ - kFooterBytes, &footer_) : "the file's end is missing";
  if (!problem_.empty()) return;
  const std::optional<std::string> metaindex = Read(footer_.metaindex);
  const bool is_whole =
      metaindex && ForEachEntry(*metaindex, [&](const std::string& name, std::string_view value) {
        metaindex_[name] = std::string(value);
      });
  if (!is_whole) problem_ = "the metaindex is not where the footer says, or it is damaged";
}

std::optional<BlockPlace> TableBlocks::Find(std::string_view name) const {
  const auto found = metaindex_.lower_bound(std::string(name));
  if (found == metaindex_.end() || found->first.compare(0, name.size(), name) != 0) {
    return std::nullopt;
  }
  BlockDecoder value(found->second);
  const BlockPlace place = value.Place();
  return value.ok() ? std::optional(place) : std::nullopt;
}

// Returns nullopt if the file ends before.
std::optional<std::string> TableBlocks::ReadBytes(uint64_t offset, uint64_t size) {
  if (size > kMaxBytes || offset > bytes_ || size > bytes_ - offset) {
    return std::nullopt;
  }
  std::string bytes(size, '\0');
  stream_.clear();
  stream_.seekg(static_cast<std::streamoff>(offset));
  stream_.read(bytes.data(), static_cast<std::streamsize>(size));
  return stream_ ? std::optional(std::move(bytes)) : std::nullopt;
}

std::optional<std::string> TableBlocks::Read(BlockPlace place) {
  if (place.bytes > kMaxBytes) {
    return std::nullopt;
  }
  std::optional<std::string> bytes = ReadBytes(place.offset, place.bytes + kBlockTrailerBytes);
  if (!bytes || (*bytes)[place.bytes] != 0) {
    return std::nullopt;
  }
  const uint64_t checksum = BlockDecoder(std::string_view(*bytes).substr(place.bytes + 1)).Fixed(4);
  bytes->resize(place.bytes + 1);
  const bool is_right = footer_.checksum_type == ROCKSDB_NAMESPACE::kNoChecksum ||
                        ChecksumAt(footer_, *bytes, place.offset) == checksum ||
                        ChecksumAt(footer_, BeforeIngestion(*bytes), place.offset) == checksum;
  bytes->pop_back();
  return is_right ? bytes : std::nullopt;
}

}  // namespace winnow::inspect
