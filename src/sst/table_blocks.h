// Blocks of a block-based table that RocksDB's public classes don't hand out, read from the file:
// of format versions 2 to 7. The layout is that of RocksDB's table/format.cc, Footer::DecodeFrom,
// and table/block_based/block_builder.cc.

#ifndef WINNOW_SRC_SST_TABLE_BLOCKS_H_
#define WINNOW_SRC_SST_TABLE_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace winnow::inspect {

struct BlockPlace {
  uint64_t offset = 0;  // in the file
  uint64_t bytes = 0;   // without the trailer behind it
};

// The last bytes of the file.
inline constexpr uint64_t kBlockBasedMagic = 0x88e241b785f4cff7;

// Behind a block: its type of compression, and a checksum.
inline constexpr size_t kBlockTrailerBytes = 5;

// Takes numbers from the front of bytes that may end too early.
class BlockDecoder {
 public:
  explicit BlockDecoder(std::string_view bytes) : bytes_(bytes) {}

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

// A block without the numbers at its end that say where its restarts are; unset: it is no block.
std::optional<std::string_view> EntriesOf(std::string_view block);

// One file. Any bytes are allowed.
class TableBlocks {
 public:
  explicit TableBlocks(const std::string& path);

  // Why the names of blocks can't be read, as a clause; empty: they can.
  const std::string& problem() const { return problem_; }

  // Where the block is whose name begins so; unset: there is none.
  std::optional<BlockPlace> Find(std::string_view name) const;

  // A block that is not compressed, as metaindexes, indexes over filters and range deletions are in
  // all versions. Its checksum is not looked at. Unset: it is not there.
  std::optional<std::string> Read(BlockPlace place);

 private:
  std::optional<std::string> ReadBytes(uint64_t offset, uint64_t size);

  std::ifstream stream_;
  uint64_t bytes_ = 0;
  std::string metaindex_;
  std::string problem_;
};

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_TABLE_BLOCKS_H_
