#include "src/core/format.h"

#include "src/formulas/bytes.h"
#include "src/simd/kernels.h"

namespace winnow::core {
namespace {

using formulas::LoadLittle;
using formulas::StoreLittle;

// Offsets in the tail.
constexpr size_t kPayloadChecksumAt = 0;
constexpr size_t kSeedAt = 4;
constexpr size_t kNumHashesAt = 8;
constexpr unsigned kNumHashesBytes = 5;
constexpr size_t kKindAt = 13;
constexpr size_t kHashIdAt = 14;
constexpr size_t kLevelAt = 15;
constexpr size_t kTargetAt = 16;
constexpr size_t kColumnsAt = 18;
constexpr size_t kEntriesAt = 20;
constexpr size_t kPlanAt = 21;
constexpr size_t kVersionAt = 22;
constexpr size_t kMagicAt = 23;
constexpr size_t kMarkerAt = 27;
constexpr size_t kTailChecksumAt = 28;
static_assert(kTailBytes - kMarkerAt == 5, "RocksDB looks at the byte at length - 5");

constexpr unsigned kParameterShift = 3;  // the type is in the low three bits of an entry's first
                                         // byte

// Limits that prevent a 64-bit overflow of any size or index of a lookup.
constexpr uint64_t kMaxStarts = UINT32_MAX;
constexpr unsigned kMaxShardBits = 25;
constexpr uint32_t kMaxSmallBlocks = 1u << 20;
constexpr uint32_t kMaxListed = 1u << 16;
constexpr unsigned kMinListedBits = 8;

bool HasMagic(const unsigned char* tail) noexcept {
  return LoadLittle(tail + kMagicAt, 4) == kMagic;
}

// Verifies the tail's checksum, which covers the directory, if the block has room for the directory
// that the tail claims.
bool TailChecksumHolds(const unsigned char* tail, size_t bytes_before) noexcept {
  const size_t directory = tail[kEntriesAt] * kEntryBytes;
  if (directory > bytes_before) return false;
  return Checksum(tail - directory, directory + kTailChecksumAt) ==
         LoadLittle(tail + kTailChecksumAt, 4);
}

Tail ReadTail(const unsigned char* bytes) noexcept {
  Tail tail;
  tail.payload_checksum = static_cast<uint32_t>(LoadLittle(bytes + kPayloadChecksumAt, 4));
  tail.seed = static_cast<uint32_t>(LoadLittle(bytes + kSeedAt, 4));
  tail.num_hashes = LoadLittle(bytes + kNumHashesAt, kNumHashesBytes);
  tail.kind = static_cast<FilterKind>(bytes[kKindAt]);
  tail.hash_id = bytes[kHashIdAt];
  tail.level = bytes[kLevelAt] < 128 ? bytes[kLevelAt] : bytes[kLevelAt] - 256;
  tail.target = static_cast<uint16_t>(LoadLittle(bytes + kTargetAt, 2));
  tail.columns = static_cast<uint16_t>(LoadLittle(bytes + kColumnsAt, 2));
  tail.entries = bytes[kEntriesAt];
  tail.plan = bytes[kPlanAt];
  tail.version = bytes[kVersionAt];
  return tail;
}

void WriteTail(unsigned char* bytes, const Tail& tail) noexcept {
  StoreLittle(bytes + kPayloadChecksumAt, tail.payload_checksum, 4);
  StoreLittle(bytes + kSeedAt, tail.seed, 4);
  StoreLittle(bytes + kNumHashesAt, tail.num_hashes, kNumHashesBytes);
  bytes[kKindAt] = static_cast<unsigned char>(tail.kind);
  bytes[kHashIdAt] = tail.hash_id;
  bytes[kLevelAt] = static_cast<unsigned char>(tail.level);
  StoreLittle(bytes + kTargetAt, tail.target, 2);
  StoreLittle(bytes + kColumnsAt, tail.columns, 2);
  bytes[kEntriesAt] = tail.entries;
  bytes[kPlanAt] = tail.plan;
  bytes[kVersionAt] = tail.version;
  StoreLittle(bytes + kMagicAt, kMagic, 4);
  bytes[kMarkerAt] = kMarker;
}

template <typename... Types>
constexpr unsigned Bits(Types... types) noexcept {
  return (... | (1u << static_cast<unsigned>(types)));
}

// Returns the entry types that a filter of this kind may have, as a bit set; 0 for unknown kinds.
unsigned TypesOf(FilterKind kind) noexcept {
  switch (kind) {
    case FilterKind::kEmpty:
      return Bits(LayerType::kNote);
    case FilterKind::kBloom:
      return Bits(LayerType::kBloom, LayerType::kNote);
    case FilterKind::kRibbon:
      return Bits(LayerType::kNone, LayerType::kBumped, LayerType::kSmall, LayerType::kList,
                  LayerType::kBloom, LayerType::kNote);
  }
  return 0;
}

// Checks that a builder of this kind may write this sequence of entries.
Fault CheckDirectory(const Tail& tail, const unsigned char* directory,
                     uint64_t* payload_size) noexcept {
  const Columns columns = UnpackColumns(tail.columns);
  const bool is_ribbon = tail.kind == FilterKind::kRibbon;
  const unsigned types = TypesOf(tail.kind);
  if (!is_ribbon && tail.columns != 0) return Fault::kParameters;
  if (is_ribbon && columns.most() > simd::kRibbonMaxColumns) return Fault::kParameters;
  if ((tail.kind == FilterKind::kEmpty) != (tail.num_hashes == 0)) return Fault::kParameters;
  // True once all layers were seen; only notes may follow.
  bool is_complete = tail.kind == FilterKind::kEmpty;
  *payload_size = 0;
  for (unsigned i = 0; i < tail.entries; ++i) {
    const LayerEntry entry = ReadLayerEntry(directory, i);
    if (!CheckLayer(entry) || (types & Bits(entry.type)) == 0 ||
        (entry.type == LayerType::kNote) != is_complete) {
      return Fault::kParameters;
    }
    is_complete = entry.type != LayerType::kBumped;
    *payload_size += LayerBytes(entry, columns);
  }
  return is_complete ? Fault::kNone : Fault::kParameters;
}

}  // namespace

Columns UnpackColumns(uint16_t packed) noexcept { return {(packed >> 12) + 1u, packed & 0xfffu}; }

uint16_t PackColumns(Columns columns) noexcept {
  return static_cast<uint16_t>((columns.whole - 1) << 12 | columns.fraction);
}

BumpedLayout LayOut(unsigned shard_bits, uint32_t buckets, Columns columns) noexcept {
  BumpedLayout layout;
  const uint64_t all_buckets = static_cast<uint64_t>(buckets) << shard_bits;
  layout.starts = all_buckets * simd::kRibbonBucketSlots;
  layout.blocks = (static_cast<uint64_t>(buckets) * 2 + 1) << shard_bits;
  const uint64_t wide = (layout.blocks * columns.fraction + 2048) >> 12;
  layout.split = layout.blocks - wide;
  layout.words_bytes = 8 * (layout.blocks * columns.whole + wide);
  layout.thresholds_bytes = (all_buckets + 3) / 4;
  return layout;
}

uint64_t LayerBytes(const LayerEntry& entry, Columns columns) noexcept {
  switch (entry.type) {
    case LayerType::kNone:
      return 0;
    case LayerType::kBumped: {
      const BumpedLayout layout = LayOut(entry.parameter, entry.count, columns);
      return layout.words_bytes + layout.thresholds_bytes;
    }
    case LayerType::kSmall:
      return uint64_t{8} * columns.most() * entry.count;
    case LayerType::kList:
      return (uint64_t{entry.count} * (entry.parameter + 1u) + 7) / 8;
    case LayerType::kBloom:
      return uint64_t{simd::kBloomBlockBytes} * entry.count;
    case LayerType::kNote:
      return entry.count;
  }
  return 0;
}

bool CheckLayer(const LayerEntry& entry) noexcept {
  switch (entry.type) {
    case LayerType::kNone:
      return entry.parameter == 0 && entry.count == 0;
    case LayerType::kBumped:
      return entry.parameter <= kMaxShardBits && entry.count >= 1 &&
             (uint64_t{entry.count} * simd::kRibbonBucketSlots) << entry.parameter <= kMaxStarts;
    case LayerType::kSmall:
      return entry.parameter == 0 && entry.count >= 1 && entry.count <= kMaxSmallBlocks;
    case LayerType::kList:
      return entry.parameter + 1u >= kMinListedBits && entry.count >= 1 &&
             entry.count <= kMaxListed;
    case LayerType::kBloom:
      return entry.parameter >= 1 && entry.parameter <= simd::kBloomMaxProbes && entry.count >= 1;
    case LayerType::kNote:
      return true;
  }
  return false;
}

LayerEntry ReadLayerEntry(const unsigned char* directory, unsigned index) noexcept {
  const unsigned char* bytes = directory + index * kEntryBytes;
  LayerEntry entry;
  entry.type = static_cast<LayerType>(bytes[0] & ((1u << kParameterShift) - 1));
  entry.parameter = bytes[0] >> kParameterShift;
  entry.count = static_cast<uint32_t>(LoadLittle(bytes + 1, 4));
  return entry;
}

Directory FindDirectory(const unsigned char* block, size_t size) noexcept {
  const unsigned char* tail = block + size - kTailBytes;
  return {tail - tail[kEntriesAt] * kEntryBytes, tail[kEntriesAt],
          UnpackColumns(static_cast<uint16_t>(LoadLittle(tail + kColumnsAt, 2)))};
}

Fault Parse(std::string_view block, ParsedBlock* parsed) noexcept {
  if (block.size() < kTailBytes) return LooksOurs(block) ? Fault::kTooShort : Fault::kForeign;
  const auto* begin = reinterpret_cast<const unsigned char*>(block.data());
  const size_t before = block.size() - kTailBytes;
  const unsigned char* bytes = begin + before;
  if (!LooksOurs(block)) return Fault::kForeign;
  const bool checksum_holds = TailChecksumHolds(bytes, before);
  const Tail tail = ReadTail(bytes);
  // A later version may checksum other bytes, so a version is trusted if the marker and the magic
  // are right.
  if (tail.version != kFormatVersion &&
      (checksum_holds || (bytes[kMarkerAt] == kMarker && HasMagic(bytes)))) {
    return Fault::kVersion;
  }
  if (!checksum_holds) return Fault::kTailChecksum;
  if (TypesOf(tail.kind) == 0) return Fault::kKind;
  if (tail.hash_id != kHashXxh3 || tail.seed != kHashSeed) return Fault::kHash;
  if (tail.entries > kMaxEntries || bytes[kMarkerAt] != kMarker || !HasMagic(bytes)) {
    return Fault::kParameters;
  }
  const size_t directory_bytes = tail.entries * kEntryBytes;
  if (directory_bytes > before) return Fault::kSize;
  const unsigned char* directory = bytes - directory_bytes;
  uint64_t payload_size = 0;
  if (const Fault fault = CheckDirectory(tail, directory, &payload_size); fault != Fault::kNone) {
    return fault;
  }
  if (payload_size != before - directory_bytes) return Fault::kSize;
  *parsed = {tail, begin, directory, before - directory_bytes};
  return Fault::kNone;
}

void WriteLayerEntry(const LayerEntry& entry, unsigned char* bytes) noexcept {
  bytes[0] = static_cast<unsigned char>(static_cast<unsigned>(entry.type) |
                                        unsigned{entry.parameter} << kParameterShift);
  StoreLittle(bytes + 1, entry.count, 4);
}

size_t WriteDirectoryAndTail(unsigned char* block, size_t payload_size, const LayerEntry* entries,
                             Tail tail) noexcept {
  tail.payload_checksum = Checksum(block, payload_size);
  unsigned char* directory = block + payload_size;
  unsigned char* bytes = directory;
  for (unsigned i = 0; i < tail.entries; ++i, bytes += kEntryBytes) {
    WriteLayerEntry(entries[i], bytes);
  }
  WriteTail(bytes, tail);
  const auto directory_bytes = static_cast<size_t>(bytes - directory);
  StoreLittle(bytes + kTailChecksumAt, Checksum(directory, directory_bytes + kTailChecksumAt), 4);
  return payload_size + directory_bytes + kTailBytes;
}

uint32_t Checksum(const unsigned char* bytes, size_t size) noexcept {
  return static_cast<uint32_t>(simd::ActiveKernels().hash_bytes(bytes, size));
}

bool LooksOurs(std::string_view block) noexcept {
  const auto* end = reinterpret_cast<const unsigned char*>(block.data()) + block.size();
  if (block.size() >= kTailBytes - kMarkerAt && *(end - (kTailBytes - kMarkerAt)) == kMarker) {
    return true;
  }
  if (block.size() < kTailBytes) return false;
  const unsigned char* bytes = end - kTailBytes;
  return HasMagic(bytes) || TailChecksumHolds(bytes, block.size() - kTailBytes);
}

}  // namespace winnow::core
