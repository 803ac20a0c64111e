#include "streams/dedup/line_source.h"

#include <absl/strings/str_cat.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace winnow::dedup {
namespace {

constexpr size_t kText = size_t{512} << 10;
constexpr size_t kPacked = size_t{128} << 10;
constexpr uint64_t kSoon = 4096;  // bytes after which a text is known to have no compressed format

bool WouldWait(int file) {
  pollfd asked = {file, POLLIN, 0};
  return poll(&asked, 1, 0) == 0;
}

}  // namespace

LineSource::LineSource(const std::string& path, bool all_is_plain)
    : path_(path), name_(path == "-" ? "standard input" : path), all_is_plain_(all_is_plain) {}

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
      if (end_ == begin_) return at_the_end_;
      lines->emplace_back(text_.data() + begin_, end_ - begin_);
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
  const bool reads = unpacker_ == nullptr || WantsPacked();
  if (absl::Status status = before_read(reads && WouldWait(file_)); !status.ok()) return status;
  MakeRoom();
  if (unpacker_ != nullptr) return reads ? ReadPacked() : Unpack();
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

// Reads until the compression format is known.
absl::Status LineSource::Begin(BeforeRead before_read) {
  while (end_ < kMaxMagic && !ended_ && !all_is_plain_) {
    size_t got = 0;
    absl::Status status = before_read(WouldWait(file_));
    if (status.ok()) status = Read(text_.data() + end_, kPacked - end_, &got);
    if (!status.ok()) return status;
    end_ += got;
    ended_ = got == 0;
    // A complete line must not wait for more input.
    if (memchr(text_.data(), '\n', end_) != nullptr) break;
  }
  begun_ = true;
  const Packing* const packing = all_is_plain_ ? nullptr : PackingOf({text_.data(), end_}, nullptr);
  if (packing == nullptr) return absl::OkStatus();
  packed_.resize(kPacked);
  packed_end_ = end_;
  memcpy(packed_.data(), text_.data(), end_);
  end_ = 0;
  packed_ended_ = ended_;
  ended_ = false;
  return Take(packing);
}

absl::Status LineSource::Take(const Packing* packing) {
  if (packing->make == nullptr) {
    return absl::UnimplementedError(absl::StrCat(name_, " is compressed by ", packing->name,
                                                 ", which winnow dedup doesn't read: give it "
                                                 "the output of ",
                                                 packing->unpacks,
                                                 ", or --plain, which takes its bytes for lines"));
  }
  packing_ = packing;
  unpacker_ = packing->make();
  return unpacker_ != nullptr ? absl::OkStatus()
                              : absl::ResourceExhaustedError("no memory to decompress " + name_);
}

// Between frames, reads enough to recognize the format of the next one.
bool LineSource::WantsPacked() const {
  if (packed_ended_ || filled_the_room_) return false;
  const size_t there = packed_end_ - packed_begin_;
  return there == 0 || (there < kMaxMagic && unpacker_->whole());
}

absl::Status LineSource::ReadPacked() {
  packed_end_ -= packed_begin_;
  memmove(packed_.data(), packed_.data() + packed_begin_, packed_end_);
  packed_begin_ = 0;
  size_t got = 0;
  absl::Status status = Read(packed_.data() + packed_end_, packed_.size() - packed_end_, &got);
  packed_end_ += got;
  packed_ended_ = status.ok() && got == 0;
  return status;
}

absl::Status LineSource::Unpack() {
  const std::string_view bytes(packed_.data() + packed_begin_, packed_end_ - packed_begin_);
  if (bytes.empty() && !filled_the_room_) {
    ended_ = true;
    if (unpacker_->whole()) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat(name_, " is cut off: after its ", unpacked_bytes_,
                                            " bytes the ", packing_->name,
                                            " data is not complete; ", Advice()));
  }
  if (unpacker_->whole() && !bytes.empty()) {
    const Packing* const next = PackingOf(bytes, packing_);
    if (next != nullptr && next != packing_ && next->make != nullptr) {
      if (absl::Status status = Take(next); !status.ok()) return status;
    }
  }
  size_t taken = bytes.size();
  size_t made = text_.size() - end_;
  const size_t room = made;
  const std::string fault = unpacker_->Unpack(bytes.data(), &taken, text_.data() + end_, &made);
  packed_begin_ += taken;
  unpacked_bytes_ += taken;
  end_ += made;
  filled_the_room_ = made == room && !unpacker_->whole();
  if (!fault.empty()) Damaged(fault);
  return absl::OkStatus();
}

// The error is reported after the lines before it.
void LineSource::Damaged(const std::string& reason) {
  ended_ = true;
  if (unpacker_->is_behind_the_end()) {
    at_the_end_ = absl::DataLossError(absl::StrCat(
        name_, ": what follows its ", packing_->name, " data, from byte ", unpacked_bytes_,
        " on, is something else, and was not read; ", packing_->checks, " warns of it as well"));
    return;
  }
  // Drops an incomplete last line.
  while (end_ > begin_ && text_[end_ - 1] != '\n') --end_;
  searched_ = 0;
  at_the_end_ = absl::DataLossError(absl::StrCat(name_, " is damaged: its ", packing_->name,
                                                 " data can't be unpacked past byte ",
                                                 unpacked_bytes_, " (", reason, "); ", Advice()));
}

std::string LineSource::Advice() const {
  return absl::StrCat(
      "check it with ", packing_->checks, ", and fetch it again",
      unpacked_bytes_ < kSoon ? "; a text that only begins like that is read with --plain" : "");
}

}  // namespace winnow::dedup
