// Serialized form of filters: header, checksums, little-endian numbers. FORMAT.md in this folder is
// normative.

#ifndef WINNOW_STREAMS_AMQ_SERIALIZED_H_
#define WINNOW_STREAMS_AMQ_SERIALIZED_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace winnow::amq {

enum class Serialized : uint8_t {
  kBlockedBloom = 1,
  kScalableBloom = 2,
  kCountingBloom = 3,
  kCuckooFilter = 4,
  kBloomPage = 5,
  kPagesRecord = 6,
  kLinesRecord = 7,
};

inline constexpr size_t kHeaderBytes = 72;
inline constexpr unsigned char kSerializedVersion = 0;

// Fields of the header. The meaning of a, b, x and y depends on the kind.
struct Header {
  Serialized kind = Serialized::kBlockedBloom;
  uint8_t a = 0;
  uint8_t b = 0;
  uint64_t payload = 0;  // bytes behind the header
  uint64_t count = 0;
  uint64_t keys = 0;
  uint64_t x = 0;
  uint64_t y = 0;
};

// Writes the header, with both checksums, before header.payload bytes that are already in `bytes`.
void WriteHeader(const Header& header, unsigned char* bytes) noexcept;
// Writes the header of a payload that is stored elsewhere and has this XXH3-64 checksum.
void WriteHeader(const Header& header, uint64_t payload_sum, unsigned char* bytes) noexcept;

// Reads the header from all bytes of one filter of this kind. Returns an empty string if the
// header, the length and both checksums are right; else an error message with the expected value,
// the found value and what to do.
std::string ReadHeader(std::string_view bytes, Serialized kind, Header* header);

// Reads the header of a payload of this size that is stored elsewhere. Checks everything except the
// payload's checksum.
std::string ReadHeader(std::string_view header_bytes, uint64_t payload, Serialized kind,
                       Header* header);
// Returns an empty string if `sum` is the payload checksum in these bytes of the header, else an
// error message.
std::string CheckPayload(std::string_view header_bytes, uint64_t sum, Serialized kind);

// Returns the payload size from a header, which must be complete but is not verified.
uint64_t PayloadSize(std::string_view header) noexcept;

// Error messages for values that only the filter can check: a value out of range, or two
// contradictory values.
std::string OutOfRange(Serialized kind, const char* value, uint64_t found, uint64_t least,
                       uint64_t most);
std::string OutOfRange(Serialized kind, const char* value, double found, double least, double most);
std::string Contradiction(Serialized kind, const char* value, uint64_t found, uint64_t expected);

// Conversion between binary64 and the integer with equal bits.
uint64_t BitsOfDouble(double value) noexcept;
double DoubleOfBits(uint64_t bits) noexcept;
inline bool IsRate(double value) noexcept { return value >= 0 && value <= 1; }

// Conversion of 64-bit words to and from little-endian bytes at any alignment.
void StoreWords(const uint64_t* words, uint64_t count, unsigned char* bytes) noexcept;
void LoadWords(const unsigned char* bytes, uint64_t count, uint64_t* words) noexcept;

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_SERIALIZED_H_
