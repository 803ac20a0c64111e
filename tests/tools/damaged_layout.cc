#include "tests/tools/damaged_layout.h"

#include <algorithm>
#include <stdexcept>

#include "src/sst/filter_partitions.h"

namespace winnow::testing {
namespace {

constexpr size_t kPlacesBytes = 40;

uint64_t Fixed(std::string_view bytes, size_t at, size_t size) {
  uint64_t number = 0;
  for (size_t i = 0; i < size; ++i) {
    number |= static_cast<uint64_t>(static_cast<unsigned char>(bytes.at(at + i))) << (8 * i);
  }
  return number;
}

// Returns 0 if the bytes end too early.
uint64_t Varint(std::string_view bytes, size_t* at) {
  uint64_t number = 0;
  for (int shift = 0; shift < 64 && *at < bytes.size(); shift += 7) {
    const uint64_t byte = static_cast<unsigned char>(bytes[(*at)++]);
    number |= (byte & 127) << shift;
    if (byte < 128) {
      return number;
    }
  }
  return 0;
}

struct NamedValue {
  std::string name;
  size_t offset = 0;  // offset of the value in the file
  size_t bytes = 0;
};

// Returns the entries of an uncompressed block of names and values.
std::vector<NamedValue> EntriesOf(std::string_view file, size_t offset, size_t bytes) {
  const std::string_view block = file.substr(offset, bytes);
  const size_t end = bytes - 4 * (Fixed(block, bytes - 4, 4) + 1);
  std::vector<NamedValue> entries;
  std::string name;
  for (size_t at = 0; at < end;) {
    const uint64_t shared = Varint(block, &at);
    const uint64_t own = Varint(block, &at);
    const uint64_t value_bytes = Varint(block, &at);
    name = name.substr(0, shared) + std::string(block.substr(at, own));
    at += own;
    entries.push_back({name, offset + at, value_bytes});
    at += value_bytes;
  }
  return entries;
}

LaidBlock BlockAt(const std::string& role, uint64_t offset, uint64_t bytes) {
  return {role, offset, bytes + kTrailerBytes};
}

bool IsCompressed(std::string_view file, uint64_t offset, uint64_t bytes) {
  return file.at(offset + bytes) != 0;
}

// Returns the blocks that an index refers to; none if it can't be parsed.
std::vector<LaidBlock> BlocksOfIndex(std::string_view file, const std::string& role,
                                     uint64_t offset, uint64_t bytes, bool delta_encoded) {
  std::vector<LaidBlock> blocks;
  const auto entries = inspect::ParseIndexBlock(file.substr(offset, bytes), delta_encoded);
  if (IsCompressed(file, offset, bytes) || !entries) {
    return blocks;
  }
  for (const auto& entry : *entries) {
    if (entry.place.offset > offset || entry.place.bytes > offset) {
      return {};
    }
    blocks.push_back(BlockAt(role, entry.place.offset, entry.place.bytes));
  }
  return blocks;
}

void Add(const std::vector<LaidBlock>& more, std::vector<LaidBlock>* blocks) {
  blocks->insert(blocks->end(), more.begin(), more.end());
}

// Adds the bytes before the index that it does not refer to, as one range, since blocks are
// contiguous.
void AddUnparsed(std::vector<LaidBlock>* blocks) {
  std::sort(blocks->begin(), blocks->end(),
            [](const LaidBlock& a, const LaidBlock& b) { return a.offset < b.offset; });
  std::vector<LaidBlock> unparsed;
  size_t at = 0;
  for (const LaidBlock& block : *blocks) {
    if (block.offset > at) {
      unparsed.push_back({"blocks", at, block.offset - at});
    }
    at = block.offset + block.bytes;
  }
  Add(unparsed, blocks);
}

// Returns the offset, size and role of the block that a metaindex entry refers to.
NamedValue PlaceIn(std::string_view file, const NamedValue& entry) {
  size_t at = entry.offset;
  NamedValue place = {entry.name, Varint(file, &at), 0};
  place.bytes = Varint(file, &at);
  if (entry.name.compare(0, 11, "fullfilter.") == 0) {
    place.name = "filter";
  } else if (entry.name.compare(0, 18, "partitionedfilter.") == 0) {
    place.name = "filter index";
  } else if (entry.name == "rocksdb.properties") {
    place.name = "properties";
  }
  return place;
}

struct Properties {
  bool delta_encoded = false;  // encoding of index values
  int index_type = 0;
  size_t global_seqno = 0;  // file offset of the sequence number
};

Properties ReadProperties(std::string_view file, const std::vector<NamedValue>& metaindex) {
  Properties properties;
  for (const NamedValue& entry : metaindex) {
    const NamedValue place = PlaceIn(file, entry);
    if (place.name != "properties") {
      continue;
    }
    for (const NamedValue& property : EntriesOf(file, place.offset, place.bytes)) {
      if (property.name == "rocksdb.external_sst_file.global_seqno") {
        properties.global_seqno = property.offset;
      } else if (property.name == "rocksdb.index.value.is.delta.encoded") {
        properties.delta_encoded = file[property.offset] != 0;
      } else if (property.name == "rocksdb.block.based.table.index.type") {
        properties.index_type = file[property.offset];
      }
    }
  }
  return properties;
}

void AddBlocksOfData(std::string_view file, const LaidFooter& footer, const Properties& properties,
                     SstLayout* layout) {
  constexpr int kTwoLevels = 2;
  constexpr int kFirstKeys = 3;
  const bool two_levels = properties.index_type == kTwoLevels;
  if (properties.index_type == kFirstKeys ||
      IsCompressed(file, footer.index_offset, footer.index_bytes)) {
    AddUnparsed(&layout->blocks);
    return;
  }
  const std::vector<LaidBlock> below =
      BlocksOfIndex(file, two_levels ? "index partition" : "data", footer.index_offset,
                    footer.index_bytes, properties.delta_encoded);
  Add(below, &layout->blocks);
  for (const LaidBlock& block : below) {
    if (two_levels) {
      Add(BlocksOfIndex(file, "data", block.offset, block.bytes - kTrailerBytes,
                        properties.delta_encoded),
          &layout->blocks);
    }
  }
  const bool has_data = std::any_of(layout->blocks.begin(), layout->blocks.end(),
                                    [](const LaidBlock& block) { return block.role == "data"; });
  if (!has_data && two_levels) {
    AddUnparsed(&layout->blocks);  // the index is compressed below its top
  } else if (!has_data) {
    throw std::runtime_error("the index can't be parsed");
  }
}

bool SayTheSame(const LaidFooter& a, const LaidFooter& b) {
  return a.checksum_type == b.checksum_type && a.metaindex_offset == b.metaindex_offset &&
         a.metaindex_bytes == b.metaindex_bytes && a.index_offset == b.index_offset &&
         a.index_bytes == b.index_bytes && a.magic == b.magic;
}

// Returns whether the bytes of a filter changed, without the trailers.
bool ChangesAFilter(std::string_view file, const SstLayout& layout, std::string_view damaged) {
  return std::any_of(layout.blocks.begin(), layout.blocks.end(), [&](const LaidBlock& block) {
    const size_t bytes = block.bytes - kTrailerBytes;
    return (block.role == "filter" || block.role == "filter partition") &&
           file.substr(block.offset, bytes) != damaged.substr(block.offset, bytes);
  });
}

}  // namespace

LaidFooter ParseFooter(std::string_view file) {
  const std::string_view bytes = file.substr(file.size() - kFooterBytes);
  LaidFooter footer;
  footer.checksum_type = static_cast<unsigned char>(bytes[0]);
  const std::string_view places = bytes.substr(1, kPlacesBytes);
  size_t at = 0;
  footer.metaindex_offset = Varint(places, &at);
  footer.metaindex_bytes = Varint(places, &at);
  footer.index_offset = Varint(places, &at);
  footer.index_bytes = Varint(places, &at);
  footer.version = static_cast<uint32_t>(Fixed(bytes, 41, 4));
  footer.magic = Fixed(bytes, 45, 8);
  return footer;
}

SstLayout LayoutOf(std::string_view file) {
  const LaidFooter footer = ParseFooter(file);
  if (footer.version < 2 || footer.version > 5) {
    throw std::runtime_error("no layout is known for this format version");
  }
  SstLayout layout;
  layout.footer = file.size() - kFooterBytes;
  layout.blocks.push_back(BlockAt("metaindex", footer.metaindex_offset, footer.metaindex_bytes));
  layout.blocks.push_back(BlockAt("index", footer.index_offset, footer.index_bytes));
  const std::vector<NamedValue> named =
      EntriesOf(file, footer.metaindex_offset, footer.metaindex_bytes);
  const Properties properties = ReadProperties(file, named);
  layout.global_seqno = properties.global_seqno;
  for (const NamedValue& entry : named) {
    const NamedValue place = PlaceIn(file, entry);
    layout.blocks.push_back(BlockAt(place.name, place.offset, place.bytes));
    if (place.name == "filter index") {
      Add(BlocksOfIndex(file, "filter partition", place.offset, place.bytes,
                        properties.delta_encoded),
          &layout.blocks);
    }
  }
  AddBlocksOfData(file, footer, properties, &layout);
  std::sort(layout.blocks.begin(), layout.blocks.end(),
            [](const LaidBlock& a, const LaidBlock& b) { return a.offset < b.offset; });
  size_t end = 0;
  for (const LaidBlock& block : layout.blocks) {
    if (block.offset < end) {
      throw std::runtime_error("blocks overlap: " + block.role);
    }
    end = block.offset + block.bytes;
  }
  if (end != layout.footer) {
    throw std::runtime_error("the footer is not right behind the last block");
  }
  return layout;
}

std::string WhyNotCovered(std::string_view file, const SstLayout& layout,
                          std::string_view damaged) {
  const LaidFooter before = ParseFooter(file);
  const LaidFooter after = ParseFooter(damaged);
  if (!SayTheSame(before, after) || after.version > 5) {
    return std::string();
  }
  if (before.checksum_type == 0) {
    return ChangesAFilter(file, layout, damaged) ? std::string() : std::string(kNoChecksums);
  }
  std::string_view why = before.version != after.version ? kVersionReadAlike : kPadding;
  for (size_t i = 0; i < layout.footer; ++i) {
    if (file[i] == damaged[i]) {
      continue;
    }
    if (layout.global_seqno != 0 && i >= layout.global_seqno && i < layout.global_seqno + 8) {
      why = kGlobalSeqno;
      continue;
    }
    const bool in_a_block =
        std::any_of(layout.blocks.begin(), layout.blocks.end(), [i](const LaidBlock& block) {
          return i >= block.offset && i < block.offset + block.bytes;
        });
    if (in_a_block) {
      return std::string();
    }
    why = kBetweenBlocks;
  }
  return std::string(why);
}

}  // namespace winnow::testing
