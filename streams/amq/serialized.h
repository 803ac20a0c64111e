// The serialized form of filters that are kept: header, checksums, numbers in little-endian order.
// FORMAT.md, beside this file, is the normative description.

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

// The fields of the header. The meaning of a, b, x and y depends on the kind.
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

// Writes the header before header.payload bytes that are already there, with both checksums.
void WriteHeader(const Header& header, unsigned char* bytes) noexcept;
// The same for a payload that is elsewhere and has this checksum, XXH3-64.
void WriteHeader(const Header& header, uint64_t payload_sum, unsigned char* bytes) noexcept;

// Reads the header of bytes that should be all of one filter of this kind. Empty if it is whole and
// right, the length is the one that it says, and the payload's checksum is right; else a sentence
// that says what was expected, what was found and what to do.
std::string ReadHeader(std::string_view bytes, Serialized kind, Header* header);

// The same for a header with a payload of this size that is elsewhere: all but its checksum.
std::string ReadHeader(std::string_view header_bytes, uint64_t payload, Serialized kind,
                       Header* header);
// Then the payload's: empty if `sum` is what these bytes of the header say.
std::string CheckPayload(std::string_view header_bytes, uint64_t sum, Serialized kind);

// The payload's length by a header, which must be whole but is not checked.
uint64_t PayloadSize(std::string_view header) noexcept;

// Such sentences about what only the filter itself can check: a value that is out of its range, or
// two that contradict each other.
std::string OutOfRange(Serialized kind, const char* value, uint64_t found, uint64_t least,
                       uint64_t most);
std::string OutOfRange(Serialized kind, const char* value, double found, double least, double most);
std::string Contradiction(Serialized kind, const char* value, uint64_t found, uint64_t expected);

// Binary64 as an integer with the same bits.
uint64_t BitsOfDouble(double value) noexcept;
double DoubleOfBits(uint64_t bits) noexcept;
inline bool IsRate(double value) noexcept { return value >= 0 && value <= 1; }

// Words of 64 bits from and to little-endian bytes at any address.
void StoreWords(const uint64_t* words, uint64_t count, unsigned char* bytes) noexcept;
void LoadWords(const unsigned char* bytes, uint64_t count, uint64_t* words) noexcept;

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_SERIALIZED_H_
