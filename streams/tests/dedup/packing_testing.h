// Helpers that compress texts with gzip, LZ4 and zstd.

#ifndef WINNOW_STREAMS_TESTS_DEDUP_PACKING_TESTING_H_
#define WINNOW_STREAMS_TESTS_DEDUP_PACKING_TESTING_H_

#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include <ostream>
#include <stdexcept>
#include <string>

namespace winnow::testing {

inline std::string Gzip(const std::string& text) {
  z_stream stream = {};
  constexpr int kAsGzip = 16, kMemory = 8;
  if (deflateInit2(&stream, 1, Z_DEFLATED, MAX_WBITS + kAsGzip, kMemory, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::runtime_error("no memory for deflate");
  }
  std::string packed(deflateBound(&stream, text.size()), 0);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("deflate failed");
  return packed;
}

inline std::string Lz4(const std::string& text) {
  std::string packed(LZ4F_compressFrameBound(text.size(), nullptr), 0);
  packed.resize(
      LZ4F_compressFrame(packed.data(), packed.size(), text.data(), text.size(), nullptr));
  return packed;
}

inline std::string Zstd(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), 0);
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
  return packed;
}

struct PackingUnderTest {
  const char* name;
  const char* checks;  // command in messages that checks a file
  std::string (*pack)(const std::string& text);
};

inline constexpr PackingUnderTest kPackings[] = {
    {"gzip", "gzip -t", Gzip}, {"LZ4", "lz4 -t", Lz4}, {"zstd", "zstd -t", Zstd}};

inline void PrintTo(const PackingUnderTest& packing, std::ostream* out) { *out << packing.name; }

}  // namespace winnow::testing

#endif  // WINNOW_STREAMS_TESTS_DEDUP_PACKING_TESTING_H_
