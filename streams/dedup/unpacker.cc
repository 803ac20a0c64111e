#include "streams/dedup/unpacker.h"

#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <climits>

namespace winnow::dedup {
namespace {

constexpr std::string_view kGzipMagic("\x1f\x8b", 2);

class Gzip : public Unpacker {
 public:
  ~Gzip() override { inflateEnd(&stream_); }
  bool Begin() {
    constexpr int kGzipOnly = 16;
    return inflateInit2(&stream_, MAX_WBITS + kGzipOnly) == Z_OK;
  }

  // Accepts the input that gzip(1) accepts: several members, and zeros behind the last one, as on
  // tapes.
  std::string Unpack(const char* from, size_t* taken, char* to, size_t* made) override {
    const std::string_view bytes(from, *taken);
    if (whole_ && has_member_) {
      const size_t zeros = std::min(bytes.find_first_not_of('\0'), bytes.size());
      has_zeros_ |= zeros > 0;
      const bool goes_on = !has_zeros_ && bytes.substr(0, kGzipMagic.size()) == kGzipMagic;
      if (!goes_on) {
        *taken = zeros;
        *made = 0;
        is_behind_the_end_ = zeros < bytes.size();
        return is_behind_the_end_ ? "something else follows the compressed data" : "";
      }
      inflateReset(&stream_);
    }
    return Inflate(bytes, taken, to, made);
  }
  bool whole() const override { return whole_; }
  bool is_behind_the_end() const override { return is_behind_the_end_; }

 private:
  std::string Inflate(std::string_view bytes, size_t* taken, char* to, size_t* made) {
    // zlib's sizes have 32 bits.
    const size_t room = std::min<size_t>(*made, UINT_MAX);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(std::min<size_t>(bytes.size(), UINT_MAX));
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(room);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    *taken = static_cast<size_t>(reinterpret_cast<const char*>(stream_.next_in) - bytes.data());
    *made = room - stream_.avail_out;
    whole_ = result == Z_STREAM_END;
    has_member_ |= whole_;
    // Z_BUF_ERROR, no progress for lack of output space, is not an error.
    if (whole_ || result == Z_OK || result == Z_BUF_ERROR) return "";
    return stream_.msg != nullptr ? stream_.msg : zError(result);
  }

  z_stream stream_ = {};
  bool whole_ = true;
  bool has_member_ = false;  // true after a complete member
  bool has_zeros_ = false;   // zeros behind it
  bool is_behind_the_end_ = false;
};

class Lz4 : public Unpacker {
 public:
  ~Lz4() override { LZ4F_freeDecompressionContext(context_); }
  bool Begin() { return !LZ4F_isError(LZ4F_createDecompressionContext(&context_, LZ4F_VERSION)); }

  std::string Unpack(const char* from, size_t* taken, char* to, size_t* made) override {
    wanted_ = LZ4F_decompress(context_, to, made, from, taken, nullptr);
    if (!LZ4F_isError(wanted_)) return "";
    *taken = *made = 0;  // LZ4 leaves these unchanged here
    return LZ4F_getErrorName(wanted_);
  }
  bool whole() const override { return wanted_ == 0; }

 private:
  LZ4F_dctx* context_ = nullptr;
  size_t wanted_ = 0;  // bytes that LZ4 expects next; 0 between frames
};

class Zstd : public Unpacker {
 public:
  ~Zstd() override { ZSTD_freeDStream(stream_); }
  bool Begin() { return stream_ != nullptr; }

  std::string Unpack(const char* from, size_t* taken, char* to, size_t* made) override {
    ZSTD_inBuffer in = {from, *taken, 0};
    ZSTD_outBuffer out = {to, *made, 0};
    wanted_ = ZSTD_decompressStream(stream_, &out, &in);
    *taken = in.pos;
    *made = out.pos;
    return ZSTD_isError(wanted_) != 0 ? ZSTD_getErrorName(wanted_) : "";
  }
  bool whole() const override { return wanted_ == 0; }

 private:
  ZSTD_DStream* const stream_ = ZSTD_createDStream();
  size_t wanted_ = 0;  // bytes that zstd expects next; 0 between frames
};

template <typename Format>
std::unique_ptr<Unpacker> Make() {
  auto made = std::make_unique<Format>();
  if (!made->Begin()) return nullptr;
  return made;
}

// '?' matches any byte. No magic contains a line feed, since LineSource reads no further than the
// first line for it.
struct Magic {
  std::string_view bytes;
  Packing packing;
};

constexpr Magic kMagics[] = {
    {kGzipMagic, {"gzip", "gzip -dc", "gzip -t", Make<Gzip>}},
    {"\x04\x22\x4d\x18", {"LZ4", "lz4 -dc", "lz4 -t", Make<Lz4>}},
    {"\x28\xb5\x2f\xfd", {"zstd", "zstd -dc", "zstd -t", Make<Zstd>}},
    {{"\xfd"
      "7zXZ\0",
      6},
     {"xz", "xz -dc", "", nullptr}},
    {"BZh?1AY&SY", {"bzip2", "bzip2 -dc", "", nullptr}},
    {"\x1f\x9d", {"compress", "gzip -dc", "", nullptr}},
    {"\x02\x21\x4c\x18", {"LZ4 in its legacy format", "lz4 -dc", "", nullptr}},
    {"PK\x03\x04", {"zip", "unzip -p", "", nullptr}},
};
constexpr const Packing& kLz4 = kMagics[1].packing;

bool BeginsWith(std::string_view start, std::string_view magic) {
  return start.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), start.begin(),
                    [](char a, char b) { return a == '?' || a == b; });
}

// Returns whether a skippable frame begins here, which LZ4 and zstd both allow before their own
// frames.
bool BeginsSkippableFrame(std::string_view start) {
  return start.size() >= 4 && (start[0] & 0xf0) == 0x50 && start.substr(1, 3) == "\x2a\x4d\x18";
}

}  // namespace

const Packing* PackingOf(std::string_view start, const Packing* before) {
  for (const Magic& magic : kMagics) {
    if (BeginsWith(start, magic.bytes)) return &magic.packing;
  }
  if (!BeginsSkippableFrame(start)) return nullptr;
  return before != nullptr ? before : &kLz4;
}

}  // namespace winnow::dedup
