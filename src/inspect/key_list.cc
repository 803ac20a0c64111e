#include "src/inspect/key_list.h"

#include <absl/strings/str_cat.h>
#include <lz4frame.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

namespace winnow::inspect {
namespace {

constexpr size_t kChunk = size_t{256} << 10;

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

// Cuts a stream of bytes into keys.
class LineCutter {
 public:
  LineCutter(const std::string& name, absl::FunctionRef<void(std::string_view)> visit)
      : name_(name), visit_(visit) {}

  absl::Status Add(std::string_view bytes) {
    for (;;) {
      const size_t end = bytes.find('\n');
      const std::string_view part = bytes.substr(0, end);
      if (begun_.size() + part.size() > kMaxListedKey) {
        return absl::InvalidArgumentError(absl::StrCat("line ", line_, " of ", name_,
                                                       " is longer than ", kMaxListedKey,
                                                       " bytes: a key list has one key a line"));
      }
      if (end == std::string_view::npos) {
        begun_.append(part);
        return absl::OkStatus();
      }
      Visit(part);
      bytes.remove_prefix(end + 1);
    }
  }

  void Finish() { Visit({}); }

 private:
  // The key that ends with `part`.
  void Visit(std::string_view part) {
    ++line_;
    if (!begun_.empty()) {
      begun_.append(part);
      visit_(begun_);
      begun_.clear();
    } else if (!part.empty()) {
      visit_(part);
    }
  }

  const std::string& name_;
  absl::FunctionRef<void(std::string_view)> visit_;
  std::string begun_;  // the start of a line whose end is still to come
  uint64_t line_ = 1;
};

// Decompresses frames that arrive in pieces.
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
    // Output that does not fit comes before more input is taken: none is left over at a frame's
    // end.
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
  size_t expected_ = 0;  // bytes that LZ4 would like next; 0 between frames
  uint64_t offset_ = 0;  // in the compressed bytes
};

// LZ4 frames and the skippable frames that may stand before them.
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

absl::Status ForEachKey(const std::string& path, absl::FunctionRef<void(std::string_view)> visit) {
  const std::string name = path == "-" ? "standard input" : path;
  const File file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return ReadError(name, errno);

  LineCutter lines(name, visit);
  std::vector<char> chunk(kChunk);
  std::unique_ptr<FrameReader> frames;
  for (bool first = true;; first = false) {
    const size_t n = std::fread(chunk.data(), 1, chunk.size(), file.get());
    if (n < chunk.size() && std::ferror(file.get())) return ReadError(name, errno);
    const std::string_view bytes(chunk.data(), n);
    if (first && BeginsFrame(bytes)) frames = std::make_unique<FrameReader>(name, &lines);
    const absl::Status status = frames ? frames->Add(bytes) : lines.Add(bytes);
    if (!status.ok()) return status;
    if (n < chunk.size()) break;
  }
  if (frames) {
    if (absl::Status status = frames->Finish(); !status.ok()) return status;
  }
  lines.Finish();
  return absl::OkStatus();
}

}  // namespace winnow::inspect
