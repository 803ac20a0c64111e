// Reads blocks of a block-based table that RocksDB's public classes don't return, for format
// versions 2 to 7. The layout is that of RocksDB's table/format.cc, Footer::DecodeFrom, and
// table/block_based/block_builder.cc.

#ifndef WINNOW_SRC_SST_TABLE_BLOCKS_H_
#define WINNOW_SRC_SST_TABLE_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace winnow::inspect {

struct BlockPlace {
  uint64_t offset = 0;  // position in the file
  uint64_t bytes = 0;   // without the trailer
};

// Size of a footer: type of checksums, 40 bytes, version, magic number.
inline constexpr size_t kFooterBytes = 53;

// Magic number at the end of the file.
inline constexpr uint64_t kBlockBasedMagic = 0x88e241b785f4cff7;

// Size of a block's trailer: compression type and checksum.
inline constexpr size_t kBlockTrailerBytes = 5;

// Decodes numbers from bytes that may be truncated.
class BlockDecoder {
 public:
  explicit BlockDecoder(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool AtEnd() const { return bytes_.empty(); }
  size_t left() const { return bytes_.size(); }

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

  // Decodes a zigzag number: 0, -1, 1, -2, …
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

  // Returns the next `size` bytes. If fewer are left, returns an empty view and clears ok().
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

// Appends a number as Varint() decodes it.
inline void PutVarint(uint64_t number, std::string* text) {
  for (; number >= 128; number >>= 7) text->push_back(static_cast<char>(number | 128));
  text->push_back(static_cast<char>(number));
}

inline std::string VarintText(uint64_t number) {
  std::string text;
  PutVarint(number, &text);
  return text;
}

// Appends a number of this many bytes as Fixed() decodes it.
inline void PutFixed(uint64_t number, size_t bytes, std::string* text) {
  for (size_t i = 0; i < bytes; ++i) text->push_back(static_cast<char>(number >> (8 * i)));
}

// Returns the entries of a block, without the restart array at its end, or nullopt if the block is
// malformed.
std::optional<std::string_view> EntriesOf(std::string_view block);

// Calls use(name, value) for each entry of a metaindex, of properties or of range deletions.
// Returns false where the block is malformed: the entries before were used.
template <typename Use>
bool ForEachEntry(std::string_view block, Use use) {
  const std::optional<std::string_view> entries = EntriesOf(block);
  if (!entries) return false;
  BlockDecoder decoder(*entries);
  std::string name;
  while (!decoder.AtEnd()) {
    const uint64_t shared = decoder.Varint();
    const uint64_t own = decoder.Varint();
    const uint64_t value_bytes = decoder.Varint();
    if (!decoder.ok() || shared > name.size()) return false;
    name.resize(shared);
    name.append(decoder.Bytes(own));
    const std::string_view value = decoder.Bytes(value_bytes);
    if (!decoder.ok()) return false;
    use(name, value);
  }
  return true;
}

// A footer, by which the writer of another end goes, too.
struct TableFooter {
  int checksum_type = 0;
  uint32_t version = 0;
  uint32_t base_context = 0;  // of checksums, from format version 6 on; else 0
  BlockPlace metaindex;
  BlockPlace index;  // up to format version 5; later ones have it in the metaindex
};

// First format version with the contexts of checksums, and the magic number of its footers, which
// is behind the type of checksums.
inline constexpr uint32_t kFirstWithContext = 6;
inline constexpr std::string_view kExtendedMagic("\x3e\x00\x7a\x00", 4);
inline constexpr size_t kFooterChecksumAt = 5;  // in the footer, behind both

// Returns the checksum of a block with its compression type, or of a footer, at this offset.
uint32_t ChecksumAt(const TableFooter& footer, std::string_view bytes, uint64_t offset);

// Reader of one file. Accepts any bytes.
class TableBlocks {
 public:
  explicit TableBlocks(const std::string& path);

  // A clause that says why the metaindex can't be read, or empty.
  const std::string& problem() const { return problem_; }
  uint64_t bytes() const { return bytes_; }
  const TableFooter& footer() const { return footer_; }
  // Encoded places of blocks, by name.
  const std::map<std::string, std::string>& metaindex() const { return metaindex_; }

  // Returns the place of the block whose name begins with `name`, or nullopt.
  std::optional<BlockPlace> Find(std::string_view name) const;

  // Reads an uncompressed block and verifies its checksum; metaindexes, indexes of filters and
  // range deletions are uncompressed in all versions. Returns nullopt if the block can't be read.
  std::optional<std::string> Read(BlockPlace place);

 private:
  void ReadEnd();
  std::optional<std::string> ReadBytes(uint64_t offset, uint64_t size);

  std::ifstream stream_;
  uint64_t bytes_ = 0;
  TableFooter footer_;
  std::map<std::string, std::string> metaindex_;
  std::string problem_;
};

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_TABLE_BLOCKS_H_
