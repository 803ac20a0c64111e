#include "src/sst/table_blocks.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

namespace winnow::inspect {
namespace {

constexpr uint64_t kMaxBytes = 1 << 30;

struct Footer {
  BlockPlace metaindex;
  std::string problem;
};

Footer ParseFooter(std::string_view bytes, uint64_t file_bytes) {
  Footer footer;
  BlockDecoder decoder(bytes);
  decoder.Fixed(1);  // type of checksums
  BlockDecoder places(decoder.Bytes(40));
  const uint64_t version = decoder.Fixed(4);
  const uint64_t magic = decoder.Fixed(8);
  if (magic != kBlockBasedMagic || version < 2 || version > 7) {
    footer.problem =
        absl::StrCat("its file has the format version ", version, "; known are 2 to 7");
  } else if (version < 6) {
    footer.metaindex = places.Place();
  } else {
    places.Bytes(12);  // extended magic number, two checksums
    footer.metaindex.bytes = places.Fixed(4);
    // The metaindex is directly before the footer.
    footer.metaindex.offset =
        file_bytes - kFooterBytes - kBlockTrailerBytes - footer.metaindex.bytes;
  }
  return footer;
}

}  // namespace

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
  const std::optional<std::string> end =
      bytes_ < kFooterBytes ? std::nullopt : ReadBytes(bytes_ - kFooterBytes, kFooterBytes);
  if (!end) {
    problem_ = "the file's end is missing";
    return;
  }
  const Footer footer = ParseFooter(*end, bytes_);
  problem_ = footer.problem;
  if (problem_.empty()) {
    const std::optional<std::string> metaindex = Read(footer.metaindex);
    metaindex_ = metaindex.value_or(std::string());
    problem_ = metaindex ? "" : "the metaindex is not where the footer says";
  }
}

// Finds the block's entry in the metaindex, whose values are length-prefixed.
std::optional<BlockPlace> TableBlocks::Find(std::string_view wanted) const {
  std::optional<std::string> found;
  ForEachEntry(metaindex_, [&](const std::string& name, std::string_view value) {
    if (!found && name.compare(0, wanted.size(), wanted) == 0) found = std::string(value);
  });
  if (!found) return std::nullopt;
  BlockDecoder value(*found);
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
  std::optional<std::string> bytes = ReadBytes(place.offset, place.bytes + 1);
  if (!bytes || bytes->back() != 0) {
    return std::nullopt;
  }
  bytes->pop_back();
  return bytes;
}

}  // namespace winnow::inspect
