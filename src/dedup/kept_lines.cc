#include "src/dedup/kept_lines.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <optional>
#include <utility>
#include <vector>

#include "src/amq/serialized.h"
#include "src/dedup/state_layout.h"
#include "src/formulas/bytes.h"
#include "winnow/amq/blocked_bloom.h"

namespace winnow::dedup {
namespace {

constexpr uint64_t kEntryMark = 0x0a656e696c6d4157u;  // "WAmline\n"
constexpr size_t kRecordPayload = 16;
constexpr size_t kRecordBytes = amq::kHeaderBytes + kRecordPayload;

struct Record {
  uint64_t capacity = 0;
  double rate = 0;
  amq::BlockedShape shape;
  bool rewriting = false;  // the filter's bytes are on their way from an older to a newer state
  uint64_t keys = 0;       // of the newer one then
  StateLayout layout;
};

std::string BytesOf(const Record& record) {
  std::string bytes(kRecordBytes, 0);
  auto* const to = reinterpret_cast<unsigned char*>(bytes.data());
  formulas::StoreLittle64(to + amq::kHeaderBytes, record.layout.filter);
  formulas::StoreLittle64(to + amq::kHeaderBytes + 8, record.layout.journal);
  amq::Header header;
  header.kind = amq::Serialized::kLinesRecord;
  header.a = record.rewriting;
  header.b = static_cast<uint8_t>(record.shape.blocks_per_key << 4 | record.shape.bits_per_block);
  header.payload = kRecordPayload;
  header.count = record.shape.num_blocks;
  header.keys = record.keys;
  header.x = record.capacity;
  header.y = amq::BitsOfDouble(record.rate);
  amq::WriteHeader(header, to);
  return bytes;
}

absl::Status Fault(const std::string& path, absl::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat("the state ", path, " ", what));
}

absl::Status ErrorOf(const std::string& path, absl::string_view what) {
  return Fault(path, absl::StrCat(what, ": ", strerror(errno)));
}

// A file that is closed, and with it its lock given back, and its bytes in memory.
class LockedFile {
 public:
  ~LockedFile() {
    if (bytes_ != nullptr) munmap(bytes_, size_);
    if (file_ >= 0) close(file_);
  }
  LockedFile() = default;
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  absl::Status Take(int file, const std::string& path) {
    file_ = file;
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
      return errno == EWOULDBLOCK
                 ? Fault(path, "is in use by another run: wait for its end, or give another file")
                 : ErrorOf(path, "can't be locked");
    }
    return absl::OkStatus();
  }

  // All room of the file must be allocated: a full disk would be a signal later.
  absl::Status Map(uint64_t size, const std::string& path) {
    void* const at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (at == MAP_FAILED) return ErrorOf(path, "can't be mapped");
    bytes_ = static_cast<unsigned char*>(at);
    size_ = size;
    return absl::OkStatus();
  }

  // The pages are the file's, and need not be the program's.
  void LetGo() { madvise(bytes_, size_, MADV_DONTNEED); }

  int file() const { return file_; }
  unsigned char* bytes() const { return bytes_; }

 private:
  int file_ = -1;
  unsigned char* bytes_ = nullptr;
  uint64_t size_ = 0;
};

class Kept : public SeenLines {
 public:
  Kept(std::string path, uint64_t capacity, double rate) : path_(std::move(path)) {
    record_.capacity = capacity;
    record_.rate = rate;
  }

  absl::Status Make();
  absl::Status Load(int file);

  absl::Status Add(const KeyHash* hashes, size_t n, bool* is_new) override {
    filter_->Add(hashes, n, is_new);
    for (size_t i = 0; i < n; ++i) {
      if (is_new[i]) unkept_.push_back(hashes[i].value);
    }
    return absl::OkStatus();
  }
  absl::Status Keep() override;
  absl::Status Finish() override {
    if (absl::Status status = Keep(); !status.ok()) return status;
    return fdatasync(file_.file()) == 0 ? absl::OkStatus()
                                        : ErrorOf(path_, "could not be written in full");
  }
  uint64_t num_added() const override { return filter_->num_added(); }
  size_t size_bytes() const override { return filter_->size_bytes(); }
  double RateNow() const override { return filter_->expected_fpr(); }

 private:
  unsigned char* Journal() const { return file_.bytes() + record_.layout.journal_at(); }
  char* FilterBytes() const {
    return reinterpret_cast<char*>(file_.bytes() + record_.layout.filter_at());
  }
  // By one call, which is done or not when the program is killed.
  absl::Status WriteRecord() {
    const std::string bytes = BytesOf(record_);
    return pwrite(file_.file(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size())
               ? absl::OkStatus()
               : ErrorOf(path_, "could not be written in full");
  }
  absl::Status Allocate(int file);
  absl::Status ReadRecord(std::string_view bytes);
  absl::Status ReadFilter();
  absl::Status Recover();
  absl::Status CheckJournal(uint64_t* end) const;
  absl::Status Replay();
  absl::Status Rewrite();

  const std::string path_;
  Record record_;
  LockedFile file_;
  std::optional<amq::BlockedBloom> filter_;
  std::vector<uint64_t> unkept_;
  uint64_t journal_end_ = 0;
};

// Under another name, so that nobody sees it before it is whole.
absl::Status Kept::Make() {
  filter_.emplace(amq::Plan{WithHeadroom(record_.capacity), record_.rate});
  record_.shape = filter_->shape();
  record_.layout = LayoutFor(filter_->serialized_size());
  const std::string unfinished = absl::StrCat(path_, ".", getpid(), ".unfinished");
  constexpr mode_t kAsTheUserSays = 0666;
  const int file = open(unfinished.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kAsTheUserSays);
  if (file < 0) return ErrorOf(path_, "can't be made");
  absl::Status status = Allocate(file);
  if (status.ok() && link(unfinished.c_str(), path_.c_str()) != 0) {
    status = ErrorOf(path_, "can't be made");
  }
  unlink(unfinished.c_str());
  return status;
}

absl::Status Kept::Allocate(int file) {
  if (absl::Status status = file_.Take(file, path_); !status.ok()) return status;
  const uint64_t size = record_.layout.file();
  if (const int error = posix_fallocate(file, 0, static_cast<off_t>(size)); error != 0) {
    return Fault(path_, absl::StrCat("has no room: it takes ", size, " bytes: ", strerror(error)));
  }
  if (absl::Status status = file_.Map(size, path_); !status.ok()) return status;
  filter_->Serialize(FilterBytes());
  return WriteRecord();
}

absl::Status Kept::Load(int file) {
  if (absl::Status status = file_.Take(file, path_); !status.ok()) return status;
  struct stat about = {};
  if (fstat(file, &about) != 0) return ErrorOf(path_, "can't be read");
  if (!S_ISREG(about.st_mode)) return Fault(path_, "is no file that could hold one");
  char start[kRecordBytes];
  const ssize_t got = pread(file, start, sizeof start, 0);
  if (got < 0) return ErrorOf(path_, "can't be read");
  absl::Status status = ReadRecord({start, static_cast<size_t>(got)});
  if (!status.ok()) return status;
  if (static_cast<uint64_t>(about.st_size) != record_.layout.file()) {
    return Fault(path_,
                 absl::StrCat("is damaged: it has ", about.st_size, " bytes, and should have ",
                              record_.layout.file(), "; take a copy that is whole"));
  }
  // Room that a copy left out.
  if (const int error = posix_fallocate(file, 0, about.st_size); error != 0) {
    return Fault(path_, absl::StrCat("has no room: ", strerror(error)));
  }
  if (status = file_.Map(record_.layout.file(), path_); !status.ok()) return status;
  if (record_.rewriting) return Recover();
  status = ReadFilter();
  if (status.ok()) status = Replay();
  file_.LetGo();
  return status;
}

absl::Status Kept::ReadRecord(std::string_view bytes) {
  amq::Header header;
  const std::string fault = amq::ReadHeader(bytes, amq::Serialized::kLinesRecord, &header);
  if (!fault.empty()) return Fault(path_, absl::StrCat("can't be used: ", fault));
  const double rate = amq::DoubleOfBits(header.y);
  if (header.x != record_.capacity || rate != record_.rate) {
    return Fault(path_, absl::StrCat("is of another plan: --capacity=", header.x, " --rate=", rate,
                                     "; give these, or another file"));
  }
  const auto* const payload =
      reinterpret_cast<const unsigned char*>(bytes.data()) + amq::kHeaderBytes;
  record_.rewriting = header.a != 0;
  record_.keys = header.keys;
  record_.shape = {header.count, unsigned{header.b} >> 4, unsigned{header.b} & 15};
  record_.layout = {formulas::LoadLittle64(payload), formulas::LoadLittle64(payload + 8)};
  constexpr uint64_t kMost = uint64_t{1} << 60;
  if (header.count > kMost / 64 || record_.layout.filter != amq::kHeaderBytes + 64 * header.count ||
      record_.layout.journal > kMost || record_.layout.journal < EntryBytes(kMostUnkept)) {
    return Fault(path_, "is damaged: the sizes in its record contradict each other");
  }
  return absl::OkStatus();
}

// The run before ended while it wrote the filter anew. Each word is the older or the newer one,
// whose bits are those of the older one and of the journal.
absl::Status Kept::Recover() {
  uint64_t end = 0;
  absl::Status status = CheckJournal(&end);
  if (!status.ok()) return status;
  const uint64_t payload = record_.layout.filter - amq::kHeaderBytes;
  const auto* const words =
      reinterpret_cast<const unsigned char*>(FilterBytes()) + amq::kHeaderBytes;
  uint64_t ones = 0;
  for (uint64_t at = 0; at < payload; at += 8) {
    ones += static_cast<unsigned>(__builtin_popcountll(formulas::LoadLittle64(words + at)));
  }
  const unsigned bits = record_.shape.blocks_per_key * record_.shape.bits_per_block;
  const auto read_as = [&](uint64_t keys) {
    amq::Header header;
    header.kind = amq::Serialized::kBlockedBloom;
    header.a = static_cast<uint8_t>(record_.shape.blocks_per_key);
    header.b = static_cast<uint8_t>(record_.shape.bits_per_block);
    header.payload = payload;
    header.count = record_.shape.num_blocks;
    header.keys = keys;
    header.x = WithHeadroom(record_.capacity);
    amq::WriteHeader(header, reinterpret_cast<unsigned char*>(FilterBytes()));
    return ReadFilter();
  };
  status = read_as((ones + bits - 1) / bits);
  if (status.ok()) status = Replay();
  if (!status.ok()) return status;
  // Once more, with the number of keys that the record knows.
  filter_->Serialize(FilterBytes());
  if (status = read_as(record_.keys); !status.ok()) return status;
  journal_end_ = record_.layout.journal;
  return Rewrite();
}

absl::Status Kept::ReadFilter() {
  std::string reason;
  filter_ = amq::BlockedBloom::Deserialize({FilterBytes(), record_.layout.filter}, &reason);
  return filter_ ? absl::OkStatus() : Fault(path_, absl::StrCat("is damaged: ", reason));
}

absl::Status Kept::CheckJournal(uint64_t* end) const {
  const unsigned char* const journal = Journal();
  const uint64_t size = record_.layout.journal;
  *end = 0;
  while (*end + kEntryFrame <= size && formulas::LoadLittle64(journal + *end) != 0) {
    const unsigned char* const entry = journal + *end;
    const uint64_t count = formulas::LoadLittle64(entry + 8);
    const bool fits = count <= kMostUnkept && *end + EntryBytes(count) <= size;
    if (formulas::LoadLittle64(entry) != kEntryMark || !fits ||
        formulas::LoadLittle64(entry + EntryBytes(count) - 8) !=
            XXH3_64bits(entry + 8, 8 + 8 * count)) {
      return Fault(path_,
                   absl::StrCat("is damaged: its journal is not what was written at byte ",
                                record_.layout.journal_at() + *end, "; take a copy that is whole"));
    }
    *end += EntryBytes(count);
  }
  return absl::OkStatus();
}

absl::Status Kept::Replay() {
  if (absl::Status status = CheckJournal(&journal_end_); !status.ok()) return status;
  for (uint64_t at = 0; at < journal_end_;) {
    const unsigned char* const entry = Journal() + at;
    const uint64_t count = formulas::LoadLittle64(entry + 8);
    for (uint64_t i = 0; i < count; ++i) {
      filter_->Add(KeyHash{formulas::LoadLittle64(entry + 16 + 8 * i)});
    }
    at += EntryBytes(count);
  }
  // What a run left behind that ended before it gave its entry the mark.
  const uint64_t left = record_.layout.journal - journal_end_;
  memset(Journal() + journal_end_, 0, std::min(left, EntryBytes(kMostUnkept) + kEntryFrame));
  return absl::OkStatus();
}

absl::Status Kept::Keep() {
  if (unkept_.empty()) return absl::OkStatus();
  const uint64_t bytes = EntryBytes(unkept_.size());
  if (journal_end_ + bytes > record_.layout.journal) {
    unkept_.clear();
    return Rewrite();
  }
  unsigned char* const entry = Journal() + journal_end_;
  formulas::StoreLittle64(entry + 8, unkept_.size());
  amq::StoreWords(unkept_.data(), unkept_.size(), entry + 16);
  formulas::StoreLittle64(entry + bytes - 8, XXH3_64bits(entry + 8, bytes - 16));
  // The mark comes last, and in one piece.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  formulas::StoreLittle64(entry, kEntryMark);
  journal_end_ += bytes;
  unkept_.clear();
  return absl::OkStatus();
}

// Writes the filter with all that was added, and empties the journal. Lines that are in neither yet
// may get into some of the words: their output is written.
absl::Status Kept::Rewrite() {
  record_.rewriting = true;
  record_.keys = filter_->num_added();
  if (absl::Status status = WriteRecord(); !status.ok()) return status;
  filter_->Serialize(FilterBytes());
  // Without its first mark the journal is empty, whatever is left of it.
  formulas::StoreLittle64(Journal(), 0);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  memset(Journal(), 0, journal_end_);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  record_.rewriting = false;
  record_.keys = 0;
  journal_end_ = 0;
  file_.LetGo();
  return WriteRecord();
}

}  // namespace

absl::StatusOr<std::unique_ptr<SeenLines>> OpenKept(const std::string& path, uint64_t capacity,
                                                    double rate) {
  auto kept = std::make_unique<Kept>(path, capacity, rate);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0 && errno != ENOENT) return ErrorOf(path, "can't be opened");
  if (absl::Status status = file < 0 ? kept->Make() : kept->Load(file); !status.ok()) return status;
  return kept;
}

}  // namespace winnow::dedup
