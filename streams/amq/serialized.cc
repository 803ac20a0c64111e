#include "streams/amq/serialized.h"

#include <algorithm>
#include <cstring>
#include <locale>
#include <sstream>

#include "src/formulas/bytes.h"
#include "src/formulas/xxh3.h"

namespace winnow::amq {
namespace {

constexpr char kMagic[] = {'W', 'A', 'm', 'q'};
constexpr unsigned char kHashXxh3 = 1;
constexpr uint64_t kHashSeed = 0;

// Offsets of the header's fields.
constexpr size_t kVersionAt = 4;
constexpr size_t kKindAt = 5;
constexpr size_t kAAt = 6;
constexpr size_t kBAt = 7;
constexpr size_t kHashAt = 8;  // the hash's id in the low byte, its seed in the high half
constexpr size_t kPayloadAt = 16;
constexpr size_t kCountAt = 24;
constexpr size_t kKeysAt = 32;
constexpr size_t kXAt = 40;
constexpr size_t kYAt = 48;
constexpr size_t kPayloadSumAt = 56;
constexpr size_t kHeaderSumAt = 64;

constexpr uint64_t kHashField = kHashSeed << 32 | kHashXxh3;

constexpr char kForeign[] = "give what Serialize() of a filter of winnow::amq has written";
constexpr char kBuildAnew[] = "build the filter anew";

// Advice for an unreadable record: a build beside it could not know which pages to replace.
constexpr char kRemoveAll[] =
    "remove what is named \"plan\" and the pages beside it, \"1-0\" and so on, and build them anew";

const char* NameOf(Serialized kind) noexcept {
  switch (kind) {
    case Serialized::kBlockedBloom:
      return "BlockedBloom";
    case Serialized::kScalableBloom:
      return "ScalableBloom";
    case Serialized::kCountingBloom:
      return "CountingBloom";
    case Serialized::kCuckooFilter:
      return "CuckooFilter";
    case Serialized::kBloomPage:
      return "page of a PagedBloom";
    case Serialized::kPagesRecord:
      return "record of a PagedBloom";
    case Serialized::kLinesRecord:
      return "record of seen lines";
  }
  return nullptr;
}

std::string Hex(uint64_t value) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << "0x" << std::hex << value;
  return text.str();
}

std::string HexOfBytes(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (!text.empty()) text += ' ';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

const char* AdviceToBuild(Serialized kind) noexcept {
  return kind == Serialized::kPagesRecord   ? kRemoveAll
         : kind == Serialized::kLinesRecord ? "begin with another file, in which nothing is seen"
                                            : kBuildAnew;
}

std::string AdviceOnDamage(Serialized kind) {
  return std::string("take a copy of them that is whole, or ") + AdviceToBuild(kind);
}

std::string Sentence(Serialized kind, const std::string& fault, const std::string& advice) {
  return std::string("these bytes are no ") + NameOf(kind) + ": " + fault + "; " + advice;
}

// Returns why `bytes` is not a valid header of this kind, or an empty string. `behind` is the
// number of bytes behind the header, in `bytes` or elsewhere.
std::string Objection(std::string_view bytes, uint64_t behind, Serialized kind) {
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::string_view start = bytes.substr(0, sizeof kMagic);
  const std::string_view magic(kMagic, sizeof kMagic);
  if (start != magic.substr(0, start.size())) {
    return Sentence(
        kind,
        "expected the magic bytes " + HexOfBytes(magic) + " at their start, found " +
            HexOfBytes(start),
        kind == Serialized::kPagesRecord ? "give a place of their own for the pages" : kForeign);
  }
  if (bytes.size() < kHeaderBytes) {
    return Sentence(kind,
                    "expected a header of " + std::to_string(kHeaderBytes) + " bytes, found " +
                        std::to_string(bytes.size()) + " in all",
                    AdviceOnDamage(kind));
  }
  const uint64_t sum = XXH3_64bits(data, kHeaderSumAt);
  if (sum != formulas::LoadLittle64(data + kHeaderSumAt)) {
    return Sentence(kind,
                    "the header is damaged, its checksum is " + Hex(sum) + ", expected " +
                        Hex(formulas::LoadLittle64(data + kHeaderSumAt)),
                    AdviceOnDamage(kind));
  }
  if (data[kVersionAt] != kSerializedVersion) {
    return Sentence(kind,
                    "expected version " + std::to_string(kSerializedVersion) +
                        " of the format, found " + std::to_string(data[kVersionAt]),
                    std::string("read them with the version of Winnow that wrote them, or ") +
                        AdviceToBuild(kind));
  }
  if (data[kKindAt] != static_cast<uint8_t>(kind)) {
    const char* found = NameOf(static_cast<Serialized>(data[kKindAt]));
    if (found == nullptr) {
      return Sentence(kind, "found the unknown kind " + std::to_string(data[kKindAt]),
                      "read them with the version of Winnow that wrote them");
    }
    return Sentence(kind, std::string("found a ") + found, "read them as that");
  }
  if (formulas::LoadLittle64(data + kHashAt) != kHashField) {
    return Sentence(kind,
                    "expected keys hashed by XXH3-64 with seed 0 (" + Hex(kHashField) +
                        "), found " + Hex(formulas::LoadLittle64(data + kHashAt)),
                    std::string(AdviceToBuild(kind)) + " with winnow::HashKey");
  }
  const uint64_t payload = formulas::LoadLittle64(data + kPayloadAt);
  if (behind != payload) {
    return Sentence(kind,
                    "expected " + std::to_string(payload) + " bytes behind the header, found " +
                        std::to_string(behind),
                    AdviceOnDamage(kind));
  }
  return "";
}

template <typename Number>
std::string OutOfRangeOf(Serialized kind, const char* value, Number found, Number least,
                         Number most) {
  std::ostringstream fault;
  fault.imbue(std::locale::classic());
  fault << "expected " << value << " from " << least << " to " << most << ", found " << found;
  return Sentence(kind, fault.str(), AdviceToBuild(kind));
}

}  // namespace

void WriteHeader(const Header& header, unsigned char* bytes) noexcept {
  WriteHeader(header, XXH3_64bits(bytes + kHeaderBytes, header.payload), bytes);
}

void WriteHeader(const Header& header, uint64_t payload_sum, unsigned char* bytes) noexcept {
  std::memcpy(bytes, kMagic, sizeof kMagic);
  bytes[kVersionAt] = kSerializedVersion;
  bytes[kKindAt] = static_cast<uint8_t>(header.kind);
  bytes[kAAt] = header.a;
  bytes[kBAt] = header.b;
  formulas::StoreLittle64(bytes + kHashAt, kHashField);
  formulas::StoreLittle64(bytes + kPayloadAt, header.payload);
  formulas::StoreLittle64(bytes + kCountAt, header.count);
  formulas::StoreLittle64(bytes + kKeysAt, header.keys);
  formulas::StoreLittle64(bytes + kXAt, header.x);
  formulas::StoreLittle64(bytes + kYAt, header.y);
  formulas::StoreLittle64(bytes + kPayloadSumAt, payload_sum);
  formulas::StoreLittle64(bytes + kHeaderSumAt, XXH3_64bits(bytes, kHeaderSumAt));
}

std::string ReadHeader(std::string_view bytes, Serialized kind, Header* header) {
  const uint64_t payload = bytes.size() - std::min(bytes.size(), kHeaderBytes);
  std::string objection = ReadHeader(bytes, payload, kind, header);
  if (!objection.empty()) return objection;
  return CheckPayload(bytes, XXH3_64bits(bytes.data() + kHeaderBytes, payload), kind);
}

std::string ReadHeader(std::string_view header_bytes, uint64_t payload, Serialized kind,
                       Header* header) {
  std::string objection = Objection(header_bytes, payload, kind);
  if (!objection.empty()) return objection;
  const auto* data = reinterpret_cast<const unsigned char*>(header_bytes.data());
  header->kind = kind;
  header->a = data[kAAt];
  header->b = data[kBAt];
  header->payload = formulas::LoadLittle64(data + kPayloadAt);
  header->count = formulas::LoadLittle64(data + kCountAt);
  header->keys = formulas::LoadLittle64(data + kKeysAt);
  header->x = formulas::LoadLittle64(data + kXAt);
  header->y = formulas::LoadLittle64(data + kYAt);
  return "";
}

std::string CheckPayload(std::string_view header_bytes, uint64_t sum, Serialized kind) {
  const auto* data = reinterpret_cast<const unsigned char*>(header_bytes.data());
  const uint64_t expected = formulas::LoadLittle64(data + kPayloadSumAt);
  if (sum == expected) return "";
  return Sentence(kind,
                  "they are damaged behind the header, the checksum is " + Hex(sum) +
                      ", expected " + Hex(expected),
                  AdviceOnDamage(kind));
}

uint64_t PayloadSize(std::string_view header) noexcept {
  return formulas::LoadLittle64(reinterpret_cast<const unsigned char*>(header.data()) + kPayloadAt);
}

std::string OutOfRange(Serialized kind, const char* value, uint64_t found, uint64_t least,
                       uint64_t most) {
  return OutOfRangeOf(kind, value, found, least, most);
}

std::string OutOfRange(Serialized kind, const char* value, double found, double least,
                       double most) {
  return OutOfRangeOf(kind, value, found, least, most);
}

std::string Contradiction(Serialized kind, const char* value, uint64_t found, uint64_t expected) {
  return Sentence(kind,
                  std::string("expected ") + value + " to be " + std::to_string(expected) +
                      " as the rest says, found " + std::to_string(found),
                  AdviceToBuild(kind));
}

uint64_t BitsOfDouble(double value) noexcept {
  uint64_t bits;
  static_assert(sizeof bits == sizeof value);
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

double DoubleOfBits(uint64_t bits) noexcept {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void StoreWords(const uint64_t* words, uint64_t count, unsigned char* bytes) noexcept {
  for (uint64_t i = 0; i < count; ++i) formulas::StoreLittle64(bytes + 8 * i, words[i]);
}

void LoadWords(const unsigned char* bytes, uint64_t count, uint64_t* words) noexcept {
  for (uint64_t i = 0; i < count; ++i) words[i] = formulas::LoadLittle64(bytes + 8 * i);
}

}  // namespace winnow::amq
