// Serialization of a filter's tail and directory. FORMAT.md in this folder is normative.

#ifndef WINNOW_SRC_CORE_FORMAT_H_
#define WINNOW_SRC_CORE_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "winnow/fault.h"
#include "winnow/options.h"

namespace winnow::core {

inline constexpr size_t kTailBytes = 32;
inline constexpr size_t kEntryBytes = 5;
inline constexpr unsigned kMaxEntries = 16;
// Maximum number of layers that the builder writes, so that notes have room in the directory. Each
// layer has a tenth of the keys of the previous one.
inline constexpr unsigned kMaxLayersBuilt = 12;
inline constexpr uint64_t kMaxHashes = (uint64_t{1} << 40) - 1;
inline constexpr uint8_t kFormatVersion = 1;
inline constexpr uint8_t kHashXxh3 = 1;
inline constexpr uint32_t kHashSeed = 0;

// Byte at length - 5, where RocksDB's built-in reader looks for the kind: -87, which that reader
// takes for a future kind, so that it answers "may match".
inline constexpr unsigned char kMarker = 0xa9;
inline constexpr uint32_t kMagic = 0x776f6e57;  // "Wnow" in byte order

enum class LayerType : uint8_t {
  kNone = 0,    // the last layer of a Ribbon filter whose other layers bumped no key
  kBumped = 1,  // a bumped Ribbon; bumped keys are in the next layer
  kSmall = 2,   // a Ribbon without bumping
  kList = 3,    // a list of fingerprints
  kBloom = 4,   // cache-blocked Bloom
  kNote = 5,    // no layer: bytes behind all layers that readers skip
};

// Directory entry. The meaning of the two numbers depends on the type:
//   kBumped  parameter: log2 of the number of sub-shards   count: buckets of each sub-shard
//   kSmall   parameter: 0                                   count: blocks of 64 slots
//   kList    parameter: bits of a fingerprint less 1        count: fingerprints
//   kBloom   parameter: probes                              count: blocks of 64 bytes
//   kNote    parameter: subject of the note                 count: bytes
struct LayerEntry {
  LayerType type = LayerType::kNone;
  uint8_t parameter = 0;  // below 32
  uint32_t count = 0;
};

// Fields of a block's tail.
struct Tail {
  uint32_t payload_checksum = 0;
  uint32_t seed = kHashSeed;
  uint64_t num_hashes = 0;  // kMaxHashes at most
  FilterKind kind = FilterKind::kEmpty;
  uint8_t hash_id = kHashXxh3;
  int level = -1;        // -128 to 127
  uint16_t target = 0;   // log2(1/rate) in units of 1/2048
  uint16_t columns = 0;  // Ribbon: columns less 1, in units of 1/4096
  uint8_t entries = 0;   // number of directory entries: layers, then notes
  uint8_t plan = 0;      // assumptions of the level plan (level_plan.h); any value is valid
  uint8_t version = kFormatVersion;
};

// Columns of a Ribbon filter: blocks before a split point have `whole` columns, the others one
// more.
struct Columns {
  unsigned whole = 0;     // 1 to 16
  unsigned fraction = 0;  // share of blocks with one more column, in units of 1/4096

  unsigned most() const noexcept { return whole + (fraction != 0 ? 1 : 0); }
};
Columns UnpackColumns(uint16_t packed) noexcept;
uint16_t PackColumns(Columns columns) noexcept;

// Layout of a bumped layer. Sizes in bytes.
struct BumpedLayout {
  uint64_t starts = 0;  // start positions of all sub-shards
  uint64_t blocks = 0;  // blocks of 64 slots of all sub-shards
  uint64_t split = 0;   // first block with one more column
  uint64_t words_bytes = 0;
  uint64_t thresholds_bytes = 0;
};
BumpedLayout LayOut(unsigned shard_bits, uint32_t buckets, Columns columns) noexcept;

// Returns the number of payload bytes of a layer. The entry must be valid (CheckLayer).
uint64_t LayerBytes(const LayerEntry& entry, Columns columns) noexcept;

// Returns true if a builder could have written this entry.
bool CheckLayer(const LayerEntry& entry) noexcept;

// A validated block, which lookups read without further checks.
struct ParsedBlock {
  Tail tail;
  const unsigned char* payload = nullptr;
  const unsigned char* directory = nullptr;
  size_t payload_size = 0;
};

// Validates a block, except for the payload's checksum. Sets *parsed only if it returns kNone.
Fault Parse(std::string_view block, ParsedBlock* parsed) noexcept;

// Directory and columns of a block that has been validated.
struct Directory {
  const unsigned char* entries = nullptr;
  unsigned num_entries = 0;
  Columns columns;
};
Directory FindDirectory(const unsigned char* block, size_t size) noexcept;

LayerEntry ReadLayerEntry(const unsigned char* directory, unsigned index) noexcept;
void WriteLayerEntry(const LayerEntry& entry, unsigned char* bytes) noexcept;

// Writes the directory and the tail behind the `payload_size` bytes of payload at `block`, and
// computes the payload's checksum. `block` must have room for both. Returns the block's size.
size_t WriteDirectoryAndTail(unsigned char* block, size_t payload_size, const LayerEntry* entries,
                             Tail tail) noexcept;

uint32_t Checksum(const unsigned char* bytes, size_t size) noexcept;

// Returns true if the marker, the magic or the tail's checksum is Winnow's, so that a flipped bit
// never hands a block to another library's reader.
bool LooksOurs(std::string_view block) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_FORMAT_H_
