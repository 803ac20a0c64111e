#include "src/core/ranges/range_format.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "src/core/format.h"
#include "src/formulas/bytes.h"

namespace winnow::core {
namespace {

using formulas::LoadLittle;
using formulas::StoreLittle;

constexpr uint32_t kRangeMagic = 0x676e7257;  // "Wrng" in byte order

// Offsets in the front. The last key, the digits and the front's checksum follow.
constexpr size_t kFrontMagicAt = 0;
constexpr size_t kFrontVersionAt = 4;
constexpr size_t kFrontKindAt = 5;
constexpr size_t kFrontKeyLengthAt = 6;
constexpr size_t kFrontCountAt = 8;
constexpr size_t kFrontDigitsAt = 12;
constexpr size_t kFrontHashedBytesAt = 14;
constexpr size_t kFrontBoundAt = 16;
constexpr size_t kFrontLowBitsAt = 16;
constexpr size_t kFrontLayersAt = 17;
constexpr size_t kFrontColumnsAt = 18;
constexpr size_t kFrontCrowdedAt = 20;
constexpr size_t kFrontTreeShapeAt = 12;
constexpr size_t kFrontBlocksAt = 16;
constexpr size_t kFrontSeparatorsAt = 20;
constexpr size_t kFrontRangeBitsAt = 24;
constexpr size_t kFrontDigitsBytesAt = 26;
constexpr size_t kFrontArraysChecksumAt = 28;
constexpr size_t kFrontKeyAt = 32;
constexpr size_t kChecksumBytes = 4;

// Numbers of RangeFilterKind::kTrees in the bytes, beside its own. Builders write sized trees.
constexpr unsigned kTreesWithLengths = 4;
constexpr unsigned kSizedTrees = 5;

constexpr double kRangeBitsUnit = 1024;

uint16_t Load16(const unsigned char* bytes) noexcept {
  return static_cast<uint16_t>(LoadLittle(bytes, 2));
}

bool IsShape(const EliasFanoShape& shape) noexcept {
  return shape.count >= 1 && shape.count <= kMaxRangeKeys && shape.bound >= shape.count &&
         shape.bound <= shape.count << kMostRangeBits;
}

// Returns whether a builder could write these digits and the last key consists of them. Sets the
// greatest position.
bool CheckDigits(const unsigned char* end, RangeDigits* digits) noexcept {
  const unsigned char* at = digits->Digits();
  unsigned places = digits->hashed;  // places below this are done
  digits->most_position = 0;
  for (unsigned i = 0; i < digits->count; ++i) {
    RangeDigit digit;
    if (!ReadDigit(&at, end, &digit)) return false;
    if (digit.place < places || digit.place >= digits->key_length) return false;
    places = digit.place + 1u;
    bool is_in;
    digit.Rank(digits->last_key[digit.place], &is_in);
    if (!is_in || !CountDigit(digit.Radix(), &digits->most_position)) return false;
  }
  return at == end;
}

// Writes the checksums of what follows the front, and of the front itself. The arrays must be there
// already.
void WriteFrontChecksums(size_t front_bytes, size_t bytes_behind, unsigned char* bytes) noexcept {
  const size_t summed = front_bytes - kChecksumBytes;
  StoreLittle(bytes + kFrontArraysChecksumAt, Checksum(bytes + front_bytes, bytes_behind), 4);
  StoreLittle(bytes + summed, Checksum(bytes, summed), 4);
}

// Writes the fields at the beginning of the front, which all kinds have.
void WriteFrontBegin(unsigned kind, size_t key_length, uint64_t count, uint16_t range_bits,
                     size_t digits_bytes, unsigned char* bytes) noexcept {
  StoreLittle(bytes + kFrontMagicAt, kRangeMagic, 4);
  bytes[kFrontVersionAt] = kRangeVersion;
  bytes[kFrontKindAt] = static_cast<unsigned char>(kind);
  StoreLittle(bytes + kFrontKeyLengthAt, key_length, 2);
  StoreLittle(bytes + kFrontCountAt, count, 4);
  StoreLittle(bytes + kFrontRangeBitsAt, range_bits, 2);
  StoreLittle(bytes + kFrontDigitsBytesAt, digits_bytes, 2);
}

RangeTreeShape LoadTreeShape(const unsigned char* front) noexcept {
  const unsigned char* const at = front + kFrontTreeShapeAt;
  return {at[0], at[1], at[2], at[3]};
}

// Validates the part that is specific to trees, after the common checks.
Fault ParseTrees(std::string_view bytes, const RangeHeader& header, size_t front_bytes,
                 ParsedRange* parsed) noexcept {
  const auto* front = reinterpret_cast<const unsigned char*>(bytes.data());
  const uint64_t blocks = LoadLittle(front + kFrontBlocksAt, 4);
  if (header.key_length < 1 || header.key_length > kMaxTreeKeyBytes || header.digits_bytes != 0 ||
      header.shape.count < 1 || header.shape.count > kMaxRangeKeys || blocks < 1 ||
      blocks > header.shape.count ||
      !LoadTreeShape(front).IsValid(front[kFrontKindAt] == kSizedTrees ? kMostLowBits
                                                                       : kMostTreeKept)) {
    return Fault::kParameters;
  }
  const uint64_t entries = blocks * RangeTrees::kEntryBytes;
  const uint64_t separators = LoadLittle(front + kFrontSeparatorsAt, 4);
  const uint64_t behind = bytes.size() - front_bytes;
  if (behind < entries + separators + RangeTrees::kPadding) return Fault::kSize;
  const unsigned char* const last = front + front_bytes + entries - RangeTrees::kEntryBytes;
  if (LoadLittle(last, 4) != separators ||
      LoadLittle(last + 4, 4) + entries + separators + RangeTrees::kPadding != behind) {
    return Fault::kSize;
  }
  parsed->header = header;
  parsed->digits.last_key = front + kFrontKeyAt;
  parsed->arrays = front + front_bytes;
  parsed->arrays_size = static_cast<size_t>(behind);
  parsed->arrays_checksum = static_cast<uint32_t>(LoadLittle(front + kFrontArraysChecksumAt, 4));
  return Fault::kNone;
}

}  // namespace

uint16_t PackRangeBits(double range_bits) noexcept {
  return static_cast<uint16_t>(std::lround(range_bits * kRangeBitsUnit));
}

double UnpackRangeBits(uint16_t packed) noexcept { return packed / kRangeBitsUnit; }

EliasFanoShape StoredShapeOf(uint64_t n, double range_bits) noexcept {
  const double whole = std::floor(range_bits);
  const uint64_t bound = n << static_cast<unsigned>(whole);
  const double more = static_cast<double>(bound) * (std::exp2(range_bits - whole) - 1);
  return {n, bound + static_cast<uint64_t>(more)};
}

size_t RangeFrontBytes(size_t key_length, size_t digits_bytes) noexcept {
  return kFrontKeyAt + key_length + digits_bytes + kChecksumBytes;
}

size_t RangeFilterBytes(const RangeHeader& header) noexcept {
  return RangeFrontBytes(header.key_length, header.digits_bytes) + header.shape.Bytes();
}

RangePlacing PlacingOf(const EliasFanoShape& shape, bool has_hashed,
                       uint64_t most_position) noexcept {
  return {shape.bound, 63u - static_cast<unsigned>(__builtin_clzll(shape.bound)),
          !has_hashed && most_position < shape.bound};
}

void WriteRangeFront(const RangeHeader& header, std::string_view last_key, std::string_view digits,
                     size_t bytes_behind, unsigned char* bytes) noexcept {
  WriteFrontBegin(static_cast<unsigned>(header.kind), header.key_length, header.shape.count,
                  header.range_bits, header.digits_bytes, bytes);
  StoreLittle(bytes + kFrontDigitsAt, header.digits, 2);
  StoreLittle(bytes + kFrontHashedBytesAt, header.hashed_bytes, 2);
  if (header.kind == RangeFilterKind::kRetrieval) {
    bytes[kFrontLowBitsAt] = header.retrieval.low_bits;
    bytes[kFrontLayersAt] = header.retrieval.layers;
    StoreLittle(bytes + kFrontColumnsAt, header.retrieval.columns, 2);
    StoreLittle(bytes + kFrontCrowdedAt, header.retrieval.crowded, 4);
  } else {
    StoreLittle(bytes + kFrontBoundAt, header.shape.bound, 8);
  }
  unsigned char* at = bytes + kFrontKeyAt;
  at = std::copy(last_key.begin(), last_key.end(), at);
  std::copy(digits.begin(), digits.end(), at);
  WriteFrontChecksums(RangeFrontBytes(header.key_length, header.digits_bytes), bytes_behind, bytes);
}

void WriteRangeTreesFront(const RangeTreesHeader& header, std::string_view last_key,
                          size_t bytes_behind, unsigned char* bytes) noexcept {
  WriteFrontBegin(kSizedTrees, last_key.size(), header.count, header.range_bits, 0, bytes);
  unsigned char* const shape = bytes + kFrontTreeShapeAt;
  shape[0] = header.shape.leaf_bits;
  shape[1] = header.shape.order;
  shape[2] = header.shape.first_bits;
  shape[3] = header.shape.more_bits;
  StoreLittle(bytes + kFrontBlocksAt, header.blocks, 4);
  StoreLittle(bytes + kFrontSeparatorsAt, header.separators_bytes, 4);
  std::copy(last_key.begin(), last_key.end(), bytes + kFrontKeyAt);
  WriteFrontChecksums(RangeFrontBytes(last_key.size(), 0), bytes_behind, bytes);
}

std::string_view LastKeyOf(std::string_view bytes) noexcept {
  const auto* front = reinterpret_cast<const unsigned char*>(bytes.data());
  return bytes.substr(kFrontKeyAt, Load16(front + kFrontKeyLengthAt));
}

std::string_view BytesOf(const unsigned char* last_key, size_t size) noexcept {
  return {reinterpret_cast<const char*>(last_key - kFrontKeyAt), size};
}

RangeTrees RangeTreesOf(std::string_view bytes) noexcept {
  const auto* front = reinterpret_cast<const unsigned char*>(bytes.data());
  RangeTrees trees;
  const unsigned kind = front[kFrontKindAt];
  trees.form = kind == kSizedTrees         ? RangeTrees::Form::kSized
               : kind == kTreesWithLengths ? RangeTrees::Form::kHashedWithLengths
                                           : RangeTrees::Form::kHashed;
  trees.shape = LoadTreeShape(front);
  trees.last_key = LastKeyOf(bytes);
  trees.blocks = static_cast<uint32_t>(LoadLittle(front + kFrontBlocksAt, 4));
  const size_t entries_at = RangeFrontBytes(trees.last_key.size(), 0);
  const size_t separators_at = entries_at + size_t{trees.blocks} * RangeTrees::kEntryBytes;
  const auto separators = static_cast<size_t>(LoadLittle(front + kFrontSeparatorsAt, 4));
  trees.entries = front + entries_at;
  trees.separators = bytes.substr(separators_at, separators);
  trees.trees = bytes.substr(separators_at + separators);
  return trees;
}

Fault ParseRange(std::string_view bytes, ParsedRange* parsed) noexcept {
  const auto* front = reinterpret_cast<const unsigned char*>(bytes.data());
  if (bytes.size() < kFrontKeyAt) return Fault::kTooShort;
  if (LoadLittle(front + kFrontMagicAt, 4) != kRangeMagic) return Fault::kForeign;
  if (front[kFrontVersionAt] != kRangeVersion) return Fault::kVersion;

  RangeHeader header;
  header.key_length = Load16(front + kFrontKeyLengthAt);
  header.digits_bytes = Load16(front + kFrontDigitsBytesAt);
  const size_t front_bytes = RangeFrontBytes(header.key_length, header.digits_bytes);
  if (bytes.size() < front_bytes) return Fault::kTailChecksum;
  const size_t summed = front_bytes - kChecksumBytes;
  if (LoadLittle(front + summed, kChecksumBytes) != Checksum(front, summed)) {
    return Fault::kTailChecksum;
  }
  const unsigned kind = front[kFrontKindAt];
  header.kind = kind == kTreesWithLengths || kind == kSizedTrees
                    ? RangeFilterKind::kTrees
                    : static_cast<RangeFilterKind>(kind);
  const bool is_retrieval = header.kind == RangeFilterKind::kRetrieval;
  if (header.kind != RangeFilterKind::kPositions && header.kind != RangeFilterKind::kTrees &&
      !is_retrieval) {
    return Fault::kKind;
  }
  header.digits = Load16(front + kFrontDigitsAt);
  header.hashed_bytes = Load16(front + kFrontHashedBytesAt);
  header.range_bits = Load16(front + kFrontRangeBitsAt);
  const uint64_t count = LoadLittle(front + kFrontCountAt, 4);
  header.shape = {count, is_retrieval ? count : LoadLittle(front + kFrontBoundAt, 8)};
  if (header.kind == RangeFilterKind::kTrees) {
    return ParseTrees(bytes, header, front_bytes, parsed);
  }
  if (header.key_length < 1 || header.key_length > kMaxRangeKeyBytes ||
      header.digits > header.key_length || header.hashed_bytes >= header.key_length ||
      (header.hashed_bytes != 0 &&
       (header.key_length - header.hashed_bytes) % kRangeWordBytes != 0) ||
      !IsShape(header.shape)) {
    return Fault::kParameters;
  }
  const unsigned char* key = front + kFrontKeyAt;
  RangeDigits digits{key, header.key_length, header.digits, header.hashed_bytes};
  if (!CheckDigits(digits.Digits() + header.digits_bytes, &digits)) return Fault::kParameters;
  digits.FindRuns();
  const unsigned char* const arrays = front + front_bytes;
  const size_t arrays_size = bytes.size() - front_bytes;
  RangePlacing placing;
  if (is_retrieval) {
    header.retrieval = {front[kFrontLowBitsAt], front[kFrontLayersAt],
                        Load16(front + kFrontColumnsAt),
                        static_cast<uint32_t>(LoadLittle(front + kFrontCrowdedAt, 4))};
    if (header.retrieval.crowded > count) return Fault::kParameters;
    const Fault fault = CheckRetrieval(header.retrieval, arrays, arrays_size);
    if (fault != Fault::kNone) return fault;
  } else {
    if (bytes.size() != RangeFilterBytes(header)) return Fault::kSize;
    placing = PlacingOf(header.shape, header.hashed_bytes != 0, digits.most_position);
  }
  *parsed = {header,      digits,
             placing,     arrays,
             arrays_size, static_cast<uint32_t>(LoadLittle(front + kFrontArraysChecksumAt, 4))};
  return Fault::kNone;
}

}  // namespace winnow::core
