#include "src/dedup/line_source.h"

#include <absl/strings/str_cat.h>
#include <errno.h>
#include <fcntl.h>
#include <lz4frame.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace winnow::dedup {
namespace {

constexpr size_t kText = size_t{512} << 10;
constexpr size_t kPacked = size_t{128} << 10;
constexpr size_t kMagicBytes = 4;

// LZ4 frames and the skippable frames that may stand before them.
bool BeginsFrame(const char* bytes, size_t n) {
  if (n < kMagicBytes) return false;
  uint32_t magic = 0;
  for (size_t i = kMagicBytes; i-- > 0;) {
    magic = magic << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return magic == LZ4F_MAGICNUMBER || (magic & 0xfffffff0u) == LZ4F_MAGIC_SKIPPABLE_START;
}

bool WouldWait(int file) {
  pollfd asked = {file, POLLIN, 0};
  return poll(&asked, 1, 0) == 0;
}

}  // namespace

void LineSource::FreeDecompressor::operator()(LZ4F_dctx_s* context) const {
  LZ4F_freeDecompressionContext(context);
}

LineSource::LineSource(const std::string& path)
    : path_(path), name_(path == "-" ? "standard input" : path) {}

LineSource::~LineSource() {
  if (file_ > STDIN_FILENO) close(file_);
}

absl::Status LineSource::Open() {
  file_ = path_ == "-" ? STDIN_FILENO : open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) return absl::UnavailableError(absl::StrCat(name_, ": ", strerror(errno)));
  struct stat about = {};
  if (fstat(file_, &about) == 0 && S_ISDIR(about.st_mode)) {
    return absl::UnavailableError(absl::StrCat(name_, " is a folder, and has no lines"));
  }
  text_.resize(kText);
  return absl::OkStatus();
}

absl::Status LineSource::Next(size_t most, BeforeRead before_read,
                              std::vector<std::string_view>* lines) {
  lines->clear();
  for (;;) {
    while (lines->size() < most) {
      const char* const from = text_.data() + begin_ + searched_;
      const size_t left = end_ - begin_ - searched_;
      const void* const found = left == 0 ? nullptr : memchr(from, '\n', left);
      if (found == nullptr) {
        searched_ = end_ - begin_;
        break;
      }
      const char* const line = text_.data() + begin_;
      const auto size = static_cast<size_t>(static_cast<const char*>(found) - line);
      lines->emplace_back(line, size);
      begin_ += size + 1;
      searched_ = 0;
    }
    if (!lines->empty()) return absl::OkStatus();
    if (ended_) {
      if (end_ > begin_) lines->emplace_back(text_.data() + begin_, end_ - begin_);
      begin_ = end_;
      searched_ = 0;
      return absl::OkStatus();
    }
    if (absl::Status status = Fill(before_read); !status.ok()) return status;
  }
}

void LineSource::MakeRoom() {
  if (begin_ > 0) {
    memmove(text_.data(), text_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == text_.size()) text_.resize(2 * text_.size());
}

absl::Status LineSource::Fill(BeforeRead before_read) {
  if (!begun_) return Begin(before_read);
  const bool reads = decompressor_ == nullptr || packed_begin_ == packed_end_;
  if (absl::Status status = before_read(reads && WouldWait(file_)); !status.ok()) return status;
  MakeRoom();
  if (decompressor_ != nullptr) return Decompress();
  size_t got = 0;
  absl::Status status = Read(text_.data() + end_, text_.size() - end_, &got);
  end_ += got;
  ended_ = got == 0;
  return status;
}

absl::Status LineSource::Read(char* to, size_t room, size_t* got) {
  for (;;) {
    const ssize_t bytes = read(file_, to, room);
    if (bytes >= 0) {
      *got = static_cast<size_t>(bytes);
      return absl::OkStatus();
    }
    if (errno != EINTR) {
      return absl::UnavailableError(absl::StrCat("can't read ", name_, ": ", strerror(errno)));
    }
  }
}

// Reads as much as tells an LZ4 frame.
absl::Status LineSource::Begin(BeforeRead before_read) {
  while (end_ < kMagicBytes && !ended_) {
    size_t got = 0;
    absl::Status status = before_read(WouldWait(file_));
    if (status.ok()) status = Read(text_.data() + end_, kPacked - end_, &got);
    if (!status.ok()) return status;
    end_ += got;
    ended_ = got == 0;
    // A line that is whole is none that waits for more.
    if (memchr(text_.data(), '\n', end_) != nullptr) break;
  }
  begun_ = true;
  if (!BeginsFrame(text_.data(), end_)) return absl::OkStatus();
  LZ4F_dctx* context = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION))) {
    return absl::ResourceExhaustedError("no memory to decompress " + name_);
  }
  decompressor_.reset(context);
  packed_.resize(kPacked);
  packed_end_ = end_;
  memcpy(packed_.data(), text_.data(), end_);
  end_ = 0;
  ended_ = false;
  return absl::OkStatus();
}

absl::Status LineSource::Decompress() {
  if (packed_begin_ == packed_end_) {
    packed_begin_ = 0;
    packed_end_ = 0;
    absl::Status status = Read(packed_.data(), packed_.size(), &packed_end_);
    if (!status.ok()) return status;
    if (packed_end_ == 0 && wanted_ != 0) {
      return absl::DataLossError(absl::StrCat(
          name_, " is cut off: after its ", unpacked_bytes_,
          " bytes the LZ4 frame is not complete; check it with lz4 -t, and fetch it again"));
    }
    ended_ = packed_end_ == 0;
    if (ended_) return absl::OkStatus();
  }
  size_t produced = text_.size() - end_;
  size_t consumed = packed_end_ - packed_begin_;
  wanted_ = LZ4F_decompress(decompressor_.get(), text_.data() + end_, &produced,
                            packed_.data() + packed_begin_, &consumed, nullptr);
  if (LZ4F_isError(wanted_)) {
    return absl::DataLossError(absl::StrCat(
        name_, " is damaged: no LZ4 frame goes on at byte ", unpacked_bytes_ + consumed, " (",
        LZ4F_getErrorName(wanted_), "); check it with lz4 -t, and fetch it again"));
  }
  packed_begin_ += consumed;
  unpacked_bytes_ += consumed;
  end_ += produced;
  return absl::OkStatus();
}

}  // namespace winnow::dedup
