// The serialized form: reading and writing the tail and the directory. FORMAT.md, beside
// this file, is the normative description.

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
// Limit that our builder keeps to, so that notes have room. Each layer has a tenth of the one
// before.
inline constexpr unsigned kMaxLayersBuilt = 12;
inline constexpr uint64_t kMaxHashes = (uint64_t{1} << 40) - 1;
inline constexpr uint8_t kFormatVersion = 1;
inline constexpr uint8_t kHashXxh3 = 1;
inline constexpr uint32_t kHashSeed = 0;

// The byte at length - 5, where RocksDB's built-in reader looks for the kind: -87, which it takes
// for a kind of the future and answers "may match".
inline constexpr unsigned char kMarker = 0xa9;
inline constexpr uint32_t kMagic = 0x776f6e57;  // "Wnow" in the order of the bytes

enum class LayerType : uint8_t {
  kNone = 0,    // the last layer of a Ribbon filter whose other layers bumped no key
  kBumped = 1,  // a bumped Ribbon; bumped keys are in the next layer
  kSmall = 2,   // a Ribbon without bumping
  kList = 3,    // a list of fingerprints
  kBloom = 4,   // cache-blocked Bloom
  kNote = 5,    // no layer: bytes behind all layers that readers skip
};

// One entry of the directory. The meaning of the two numbers depends on the type:
//   kBumped  parameter: log2 of the number of sub-shards   count: buckets of each sub-shard
//   kSmall   parameter: 0                                   count: blocks of 64 slots
//   kList    parameter: bits of a fingerprint less 1        count: fingerprints
//   kBloom   parameter: probes                              count: blocks of 64 bytes
//   kNote    parameter: what the note is about              count: bytes
struct LayerEntry {
  LayerType type = LayerType::kNone;
  uint8_t parameter = 0;  // below 32
  uint32_t count = 0;
};

// Fields of the tail.
struct Tail {
  uint32_t payload_checksum = 0;
  uint32_t seed = kHashSeed;
  uint64_t num_hashes = 0;  // at most kMaxHashes
  FilterKind kind = FilterKind::kEmpty;
  uint8_t hash_id = kHashXxh3;
  int level = -1;        // -128 to 127
  uint16_t target = 0;   // log2(1/rate) in 1/2048
  uint16_t columns = 0;  // Ribbon: columns less 1, in 1/4096
  uint8_t entries = 0;   // of the directory: layers, then notes
  uint8_t plan = 0;      // what a level plan assumed (level_plan.h); any value is right
  uint8_t version = kFormatVersion;
};

// The columns of a Ribbon filter: blocks before a split point have `whole` of them, others one
// more.
struct Columns {
  unsigned whole = 0;     // 1 to 16
  unsigned fraction = 0;  // share of the blocks with one more, in 1/4096

  unsigned most() const noexcept { return whole + (fraction != 0 ? 1 : 0); }
};
Columns UnpackColumns(uint16_t packed) noexcept;
uint16_t PackColumns(Columns columns) noexcept;

// Where the parts of a bumped layer lie. Sizes in bytes.
struct BumpedLayout {
  uint64_t starts = 0;  // start positions of all sub-shards
  uint64_t blocks = 0;  // of 64 slots, of all sub-shards
  uint64_t split = 0;   // the first block with one column more
  uint64_t words_bytes = 0;
  uint64_t thresholds_bytes = 0;
};
BumpedLayout LayOut(unsigned shard_bits, uint32_t buckets, Columns columns) noexcept;

// The bytes that a layer takes of the payload. The entry must be valid (CheckLayer).
uint64_t LayerBytes(const LayerEntry& entry, Columns columns) noexcept;

// Returns whether a builder could have written this entry.
bool CheckLayer(const LayerEntry& entry) noexcept;

// A block, checked: lookups read it without further checks.
struct ParsedBlock {
  Tail tail;
  const unsigned char* payload = nullptr;
  const unsigned char* directory = nullptr;
  size_t payload_size = 0;
};

// Checks all but the payload's checksum. *parsed is set only for kNone.
Fault Parse(std::string_view block, ParsedBlock* parsed) noexcept;

// Where the directory and the columns of a block are that was found valid before.
struct Directory {
  const unsigned char* entries = nullptr;
  unsigned num_entries = 0;
  Columns columns;
};
Directory FindDirectory(const unsigned char* block, size_t size) noexcept;

LayerEntry ReadLayerEntry(const unsigned char* directory, unsigned index) noexcept;
void WriteLayerEntry(const LayerEntry& entry, unsigned char* bytes) noexcept;

// Writes directory and tail behind `payload_size` bytes of payload at `block`, whose checksum it
// computes. The block must have room for them. Returns the size of the whole.
size_t WriteDirectoryAndTail(unsigned char* block, size_t payload_size, const LayerEntry* entries,
                             Tail tail) noexcept;

uint32_t Checksum(const unsigned char* bytes, size_t size) noexcept;

// True if any of marker, magic and tail checksum says that the block is one of ours, so that a
// damaged bit never hands it to somebody else's reader.
bool LooksOurs(std::string_view block) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_FORMAT_H_
