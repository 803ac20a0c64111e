#include "src/text/key_list.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <lz4frame.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>
#include <vector>

namespace winnow::inspect {
namespace {

constexpr size_t kChunk = size_t{256} << 10;
constexpr size_t kTextStart = 4096;  // bytes needed to detect an encoding
constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

bool BeginsWith(std::string_view bytes, std::string_view start) {
  return bytes.substr(0, start.size()) == start;
}

// Returns the maximum size of a line: that of the longest key, plus the characters around it.
size_t MostBytesOfLine(KeyFormat format) {
  return format == KeyFormat::kHex ? 2 * kMaxListedKey + 3 : kMaxListedKey + 1;
}

// Returns whether the text is ASCII characters, each with a zero byte beside it, beginning at
// `first`.
bool ZeroBesideEach(std::string_view text, size_t first) {
  constexpr size_t kEnough = 16;
  if (text.size() < kEnough) return false;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    const auto character = static_cast<unsigned char>(text[i + 1 - first]);
    const bool ascii = character == '\n' || character == '\r' || character == '\t' ||
                       (character >= 0x20 && character < 0x7f);
    if (text[i + first] != 0 || !ascii) return false;
  }
  return true;
}

// Returns an error for text with two bytes per character, which would be split into wrong keys.
absl::Status CheckEncoding(const std::string& name, KeyFormat format, std::string_view text) {
  if (!BeginsWith(text, "\xff\xfe") && !BeginsWith(text, "\xfe\xff") && !ZeroBesideEach(text, 0) &&
      !ZeroBesideEach(text, 1)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      name,
      " looks like UTF-16 or UTF-32, but keys are taken byte by byte, one a line: convert it with "
      "iconv -f UTF-16 -t UTF-8",
      format == KeyFormat::kHex ? ""
                                : "; if these are the bytes of the keys, write them as hexadecimal "
                                  "digits, with --key_format=hex"));
}

// Returns an error for a file compressed by a program other than LZ4, and for a RocksDB trace.
absl::Status CheckContent(const std::string& name, std::string_view bytes) {
  constexpr struct {
    std::string_view start;
    const char* program;
  } kOthers[] = {{std::string_view("\x1f\x8b\x08", 3), "gzip"},
                 {std::string_view("\x28\xb5\x2f\xfd", 4), "zstd"},
                 {std::string_view("\xfd\x37zXZ\0", 6), "xz"},
                 {std::string_view("\x50\x4b\x03\x04", 4), "zip"}};
  for (const auto& other : kOthers) {
    if (!BeginsWith(bytes, other.start)) continue;
    const bool zip = std::string_view(other.program) == "zip";
    return absl::InvalidArgumentError(absl::StrCat(
        name, " is compressed with ", other.program,
        ", but key lists are read plain or as LZ4 frames: decompress it (",
        zip ? std::string("unzip -p") : absl::StrCat(other.program, " -dc"),
        " writes to standard output, and a list named - is read from standard input)"));
  }
  // The magic follows the time, the type and the length of the first record.
  constexpr size_t kTraceMark = 8 + 1 + 4;
  if (bytes.size() > kTraceMark &&
      BeginsWith(bytes.substr(kTraceMark), "feedcafedeadbeef\tTrace Version: ")) {
    return absl::InvalidArgumentError(absl::StrCat(
        name,
        " is a trace of RocksDB's, which is read from a regular file only: write it into one"));
  }
  return absl::OkStatus();
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

struct FreeDecompressor {
  void operator()(LZ4F_dctx* context) const { LZ4F_freeDecompressionContext(context); }
};
using Decompressor = std::unique_ptr<LZ4F_dctx, FreeDecompressor>;

// Splits a stream of text into keys.
class LineCutter {
 public:
  LineCutter(const std::string& name, KeyFormat format,
             absl::FunctionRef<void(std::string_view)> visit)
      : name_(name), format_(format), visit_(visit) {}

  // Buffers the first bytes of the text until there are enough to detect its encoding.
  absl::Status Add(std::string_view text) {
    if (begun_) return Cut(text);
    start_.append(text);
    return start_.size() < kTextStart ? absl::OkStatus() : Begin();
  }

  absl::Status Finish() {
    absl::Status status = begun_ ? absl::OkStatus() : Begin();
    if (status.ok() && !line_.empty()) status = EndLine(/*line_feed=*/false);
    if (!status.ok()) return status;
    if (notes_.keys > 0) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(name_, " has no keys: a key list has one key a line"));
  }

  const KeyListNotes& notes() const { return notes_; }

 private:
  absl::Status Begin() {
    begun_ = true;
    std::string_view text = start_;
    if (absl::Status status = CheckEncoding(name_, format_, text); !status.ok()) return status;
    if (BeginsWith(text, kUtf8Mark)) {
      notes_.byte_order_mark = true;
      text.remove_prefix(kUtf8Mark.size());
    }
    absl::Status status = Cut(text);
    start_ = std::string();
    return status;
  }

  absl::Status Cut(std::string_view text) {
    for (;;) {
      const size_t end = text.find('\n');
      const std::string_view part = text.substr(0, end);
      if (line_.size() + part.size() > MostBytesOfLine(format_)) return TooLong();
      line_.append(part);
      if (end == std::string_view::npos) return absl::OkStatus();
      if (absl::Status status = EndLine(/*line_feed=*/true); !status.ok()) return status;
      text.remove_prefix(end + 1);
    }
  }

  absl::Status EndLine(bool line_feed) {
    std::string_view line = line_;
    if (line_feed || windows_lines_ || format_ == KeyFormat::kHex) {
      absl::Status status = TakeCarriageReturn(line_feed, &line);
      if (!status.ok()) return status;
    }
    if (!line.empty()) {
      if (absl::Status status = Visit(line); !status.ok()) return status;
    }
    line_.clear();
    ++number_;
    return absl::OkStatus();
  }

  // The first line determines the line ending. If it has no carriage return, one at the end of a
  // later line is a part of its key, except after hexadecimal digits.
  absl::Status TakeCarriageReturn(bool line_feed, std::string_view* line) {
    const bool has_one = !line->empty() && line->back() == '\r';
    if (number_ == 1) windows_lines_ = has_one;
    if (has_one && (windows_lines_ || format_ == KeyFormat::kHex)) {
      line->remove_suffix(1);
      ++notes_.carriage_returns;
    } else if (windows_lines_ && line_feed && format_ != KeyFormat::kHex) {
      return absl::InvalidArgumentError(absl::StrCat(
          "line 1 of ", name_, " ends with a carriage return and a line feed, but line ", number_,
          " with a line feed only, so it can't be told whether carriage returns belong to keys: "
          "end all lines alike, or write the keys as hexadecimal digits, with --key_format=hex"));
    }
    return absl::OkStatus();
  }

  absl::Status Visit(std::string_view line) {
    ++notes_.keys;
    if (format_ == KeyFormat::kLine) {
      if (line.size() > kMaxListedKey) return TooLong();
      visit_(line);
      return absl::OkStatus();
    }
    const std::optional<std::string> key = ParseHexKey(line);
    if (!key) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number_, " of ", name_, " is '",
                       absl::CHexEscape({line.data(), std::min<size_t>(line.size(), 40)}),
                       "', but with --key_format=hex a key is written as two hexadecimal digits a "
                       "byte, with 0x before them or without"));
    }
    if (key->size() > kMaxListedKey) return TooLong();
    visit_(*key);
    return absl::OkStatus();
  }

  absl::Status TooLong() const {
    return absl::InvalidArgumentError(absl::StrCat("the key in line ", number_, " of ", name_,
                                                   " is longer than ", kMaxListedKey,
                                                   " bytes: a key list has one key a line"));
  }

  const std::string& name_;
  const KeyFormat format_;
  absl::FunctionRef<void(std::string_view)> visit_;
  KeyListNotes notes_;
  bool begun_ = false;
  std::string start_;  // first bytes of the text, until begun_
  std::string line_;   // current line so far
  bool windows_lines_ = false;
  uint64_t number_ = 1;  // number of the current line
};

// Decompresses LZ4 frames that arrive in pieces.
class FrameReader {
 public:
  FrameReader(const std::string& name, LineCutter* lines) : name_(name), lines_(lines) {
    LZ4F_dctx* context = nullptr;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION))) return;
    decompressor_.reset(context);
    output_.resize(kChunk);
  }

  absl::Status Add(std::string_view bytes) {
    if (decompressor_ == nullptr) {
      return absl::ResourceExhaustedError("no memory to decompress " + name_);
    }
    // LZ4 delivers pending output before it consumes more input, so none is left at the end of a
    // frame.
    while (!bytes.empty()) {
      size_t produced = output_.size();
      size_t consumed = bytes.size();
      expected_ = LZ4F_decompress(decompressor_.get(), output_.data(), &produced, bytes.data(),
                                  &consumed, nullptr);
      if (LZ4F_isError(expected_)) {
        return absl::DataLossError(absl::StrCat(
            name_, " is damaged: no LZ4 frame goes on at byte ", offset_ + consumed, " (",
            LZ4F_getErrorName(expected_), "); check it with lz4 -t, and fetch it again"));
      }
      offset_ += consumed;
      bytes.remove_prefix(consumed);
      if (absl::Status status = lines_->Add({output_.data(), produced}); !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }

  absl::Status Finish() const {
    if (expected_ == 0) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat(
        name_, " is cut off: after its ", offset_,
        " bytes the LZ4 frame is not complete; check it with lz4 -t, and fetch it again"));
  }

 private:
  const std::string& name_;
  LineCutter* lines_;
  Decompressor decompressor_;
  std::vector<char> output_;
  size_t expected_ = 0;  // size hint of LZ4 for its next input; 0 between frames
  uint64_t offset_ = 0;  // offset in the compressed bytes
};

// Recognizes LZ4 frames, and skippable frames, which may precede them.
bool BeginsFrame(std::string_view bytes) {
  if (bytes.size() < 4) return false;
  uint32_t magic = 0;
  for (int i = 3; i >= 0; --i) {
    magic = magic << 8 | static_cast<unsigned char>(bytes[static_cast<size_t>(i)]);
  }
  return magic == LZ4F_MAGICNUMBER || (magic & 0xfffffff0u) == LZ4F_MAGIC_SKIPPABLE_START;
}

absl::Status ReadError(const std::string& name, int error) {
  return absl::UnavailableError(absl::StrCat("can't read ", name, ": ", std::strerror(error)));
}

}  // namespace

std::optional<std::string> ParseHexKey(std::string_view digits) {
  if (BeginsWith(digits, "0x") || BeginsWith(digits, "0X")) digits.remove_prefix(2);
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string key;
  for (size_t i = 0; i < digits.size(); i += 2) {
    const int high = HexDigit(digits[i]), low = HexDigit(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    key += static_cast<char>(16 * high + low);
  }
  return key;
}

absl::StatusOr<KeyFormat> ParseKeyFormat(std::string_view name) {
  if (name == "line") return KeyFormat::kLine;
  if (name == "hex") return KeyFormat::kHex;
  return absl::InvalidArgumentError(absl::StrCat("there is no key format '",
                                                 absl::string_view(name.data(), name.size()),
                                                 "'; those of --key_format are line, hex"));
}

std::string KeyListNotes::Sentence() const {
  std::vector<std::string> parts;
  if (byte_order_mark) parts.emplace_back("the byte order mark at its start");
  if (carriage_returns > 0) {
    parts.push_back(
        absl::StrCat("the carriage returns at the end of ", carriage_returns, " lines"));
  }
  if (parts.empty()) return "";
  return absl::StrCat(absl::StrJoin(parts, " and "), " taken as no part of a key");
}

bool IsTraceFile(const std::string& path) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) {
    return false;
  }
  std::ifstream file(path, std::ios::binary);
  char start[kBeforeTraceMagic + kTraceMagic.size()] = {};
  file.read(start, sizeof(start));
  return file && absl::string_view(start, sizeof(start)).substr(kBeforeTraceMagic) == kTraceMagic;
}

absl::StatusOr<KeyListNotes> ForEachKey(const std::string& path, KeyFormat format,
                                        absl::FunctionRef<void(std::string_view)> visit) {
  const std::string name = path == "-" ? "standard input" : path;
  const File file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return ReadError(name, errno);

  LineCutter lines(name, format, visit);
  std::vector<char> chunk(kChunk);
  std::unique_ptr<FrameReader> frames;
  for (bool first = true;; first = false) {
    const size_t n = std::fread(chunk.data(), 1, chunk.size(), file.get());
    if (n < chunk.size() && std::ferror(file.get())) return ReadError(name, errno);
    const std::string_view bytes(chunk.data(), n);
    if (first) {
      if (absl::Status status = CheckContent(name, bytes); !status.ok()) return status;
      if (BeginsFrame(bytes)) frames = std::make_unique<FrameReader>(name, &lines);
    }
    const absl::Status status = frames ? frames->Add(bytes) : lines.Add(bytes);
    if (!status.ok()) return status;
    if (n < chunk.size()) break;
  }
  if (frames) {
    if (absl::Status status = frames->Finish(); !status.ok()) return status;
  }
  if (absl::Status status = lines.Finish(); !status.ok()) return status;
  return lines.notes();
}

}  // namespace winnow::inspect
