#include "streams/dedup/kept_lines.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "streams/amq/blocked_parts.h"
#include "streams/dedup/brought_bloom.h"
#include "streams/dedup/state/state_bytes.h"
#include "streams/dedup/state/state_file.h"
#include "streams/dedup/state/state_filter.h"
#include "streams/dedup/state/state_layout.h"
#include "winnow/amq/blocked_bloom.h"

namespace winnow::dedup {
namespace {

namespace fs = std::filesystem;

// Mode of a new file, before the umask.
constexpr mode_t kAsTheUserSays = 0666;
constexpr int kMaxUnfinished = 100;  // number of names to try

std::string IsNone(absl::string_view why) {
  return absl::StrCat("is not a state of winnow dedup: ", why,
                      "; give another file, or, if nobody needs it, remove it: a new one is made");
}

class Kept : public SeenLines {
 public:
  Kept(const std::string& path, const KeptPlan& plan) : path_(path), file_(path), plan_(plan) {
    record_.capacity = plan.capacity;
    record_.rate = plan.rate;
  }

  // Creates the file, or continues from it.
  absl::Status Open();

  absl::Status Begin() override { return bloom_ ? absl::OkStatus() : Make(); }
  size_t brought_at_once() const override { return BroughtBloom::AtOnce(record_.shape); }
  void Bring(const KeyHash* hashes, size_t n) override { bloom_->Bring(hashes, n); }
  absl::Status Add(const KeyHash* hashes, size_t n, bool* is_new) override {
    bloom_->AddBrought(n, is_new);
    for (size_t i = 0; i < n; ++i) {
      if (is_new[i] && unkept_.size() < kMaxUnkept) {
        unkept_.push_back(hashes[i].value);
      } else {
        unkept_in_filter_only_ |= is_new[i];
      }
    }
    return absl::OkStatus();
  }
  absl::Status Keep() override;
  absl::Status Finish() override {
    absl::Status status = Keep();
    return status.ok() && bloom_ ? file_.Sync() : status;
  }
  uint64_t num_added() const override { return bloom_ ? bloom_->filter().num_added() : 0; }
  size_t size_bytes() const override { return bloom_ ? bloom_->filter().size_bytes() : 0; }
  double RateNow() const override { return bloom_ ? bloom_->filter().expected_fpr() : 0; }

  uint64_t capacity() const { return record_.capacity; }
  double rate() const { return record_.rate; }

 private:
  absl::Status Make();
  absl::Status Load(int file);
  absl::Status Allocate(int file);
  // Writes the record by one call, which is complete or not done if the program is killed.
  absl::Status WriteRecord() {
    const std::string bytes = BytesOf(record_);
    return file_.Write(0, bytes.data(), bytes.size());
  }
  absl::Status TakeRecord(std::string_view bytes);
  absl::Status TakeFilter(absl::StatusOr<amq::BlockedBloom> read);
  absl::Status Recover();
  absl::Status Replay();
  absl::Status Rewrite();

  const std::string path_;
  StateFile file_;
  const KeptPlan plan_;
  StateRecord record_;
  std::optional<BroughtBloom> bloom_;
  std::vector<uint64_t> unkept_;  // maximum kMaxUnkept
  bool unkept_in_filter_only_ = false;
  std::vector<unsigned char> entry_;  // buffer for a journal entry
  uint64_t journal_end_ = 0;
};

// Returns where to create a file of this name. Follows symbolic links, as opening an existing file
// would.
std::string BehindLinks(const std::string& path) {
  constexpr int kMaxLinks = 40;
  std::error_code none;
  fs::path end = path;
  for (int i = 0; i < kMaxLinks && fs::is_symlink(end, none); ++i) {
    end = end.parent_path() / fs::read_symlink(end, none);
  }
  return end.string();
}

std::string FolderOf(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

absl::Status Kept::Open() {
  const int file = open(path_.c_str(), O_RDWR | O_CLOEXEC);
  if (file >= 0) return Load(file);
  if (errno != ENOENT) return file_.ErrorOf("can't be opened to be read and written");
  if (absl::Status fits = CheckNewPlan(record_.capacity, record_.rate); !fits.ok()) return fits;
  record_.shape = ShapeForLines(record_.capacity, record_.rate);
  // The file is created with the first line; this checks that it can be.
  const bool may = access(FolderOf(BehindLinks(path_)).c_str(), W_OK | X_OK) == 0;
  return may ? absl::OkStatus() : file_.ErrorOf("can't be made");
}

// Creates a file that disappears with the program unless it is linked: an unnamed file if the file
// system supports it.
int OpenUnnamed(const std::string& path, std::string* place) {
  const int file = open(FolderOf(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kAsTheUserSays);
  *place = absl::StrCat("/proc/self/fd/", file);
  if (file < 0 || access(place->c_str(), F_OK) == 0) return file;
  close(file);
  return -1;
}

int OpenNamed(const std::string& path, std::string* place) {
  int file = -1;
  // A killed run may have left a file of this name.
  for (int i = 0; i == 0 || (file < 0 && errno == EEXIST && i < kMaxUnfinished); ++i) {
    *place = absl::StrCat(path, ".", getpid(), i == 0 ? "" : absl::StrCat("-", i), ".unfinished");
    file = open(place->c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kAsTheUserSays);
  }
  return file;
}

// Creates the file under another name, so that nobody sees it incomplete.
absl::Status Kept::Make() {
  bloom_.emplace(amq::BlockedBloom(record_.shape, WithHeadroom(record_.capacity)), kMaxBatches);
  record_.layout = LayoutFor(bloom_->filter().serialized_size());
  const std::string path = BehindLinks(path_);
  std::string place;
  int file = OpenUnnamed(path, &place);
  const bool is_named = file < 0;
  if (is_named) file = OpenNamed(path, &place);
  if (file < 0) return file_.ErrorOf("can't be made");
  absl::Status status = Allocate(file);
  if (status.ok() &&
      linkat(AT_FDCWD, place.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    status = errno == EEXIST ? file_.Fault(
                                   "was made by another run meanwhile: wait for its end, "
                                   "and begin again")
                             : file_.ErrorOf("can't be made");
  }
  if (is_named) unlink(place.c_str());
  return status;
}

absl::Status Kept::Allocate(int file) {
  absl::Status status = file_.Take(file);
  if (status.ok()) status = file_.TakeRoom(record_.layout.file());
  if (status.ok()) status = WriteFilter(file_, record_.layout.filter_at(), bloom_->filter());
  return status.ok() ? WriteRecord() : status;
}

absl::Status Kept::Load(int file) {
  if (absl::Status status = file_.Take(file); !status.ok()) return status;
  struct stat about = {};
  if (fstat(file, &about) != 0) return file_.ErrorOf("can't be read");
  if (!S_ISREG(about.st_mode)) return file_.Fault("is no file that could hold one");
  char start[kRecordBytes];
  const auto size = static_cast<uint64_t>(about.st_size);
  const size_t there = std::min<uint64_t>(size, sizeof start);
  absl::Status status = file_.Read(0, start, there);
  if (status.ok()) status = TakeRecord({start, there});
  if (!status.ok()) return status;
  if (size != record_.layout.file()) {
    return file_.Fault(absl::StrCat("is damaged: it has ", size, " bytes, and should have ",
                                    record_.layout.file(), "; take a copy that is whole"));
  }
  // Allocates blocks that a sparse copy left out.
  if (status = file_.TakeRoom(size); !status.ok()) return status;
  if (record_.rewriting) return Recover();
  status = TakeFilter(ReadFilter(file_, record_.layout.filter_at(), record_.shape));
  return status.ok() ? Replay() : status;
}

absl::Status Kept::TakeRecord(std::string_view bytes) {
  StateRecord found;
  if (bytes.empty()) return file_.Fault(IsNone("it is empty"));
  // Magic bytes and kind (streams/amq/FORMAT.md).
  const std::string own = BytesOf(record_);
  if (bytes.size() < 6 || bytes.substr(0, 4) != own.substr(0, 4) || bytes[5] != own[5]) {
    return file_.Fault(IsNone("it is something else"));
  }
  const std::string fault = ReadRecord(bytes, &found);
  if (!fault.empty()) return file_.Fault(absl::StrCat("can't be used: ", fault));
  if ((found.capacity != plan_.capacity && !plan_.takes_capacity) ||
      (found.rate != plan_.rate && !plan_.takes_rate)) {
    return file_.Fault(absl::StrCat("is of another plan: --capacity=", found.capacity,
                                    " --rate=", found.rate, "; give these, or another file"));
  }
  record_ = found;
  return absl::OkStatus();
}

absl::Status Kept::TakeFilter(absl::StatusOr<amq::BlockedBloom> read) {
  if (read.ok()) bloom_.emplace(*std::move(read), kMaxBatches);
  return read.status();
}

// Recovers from a run that ended while it rewrote the filter. Each word has its old or its new
// value; new values have all bits of the old ones.
absl::Status Kept::Recover() {
  absl::Status status = TakeFilter(
      ReadBlocks(file_, record_.layout.filter_at(), record_.shape, WithHeadroom(record_.capacity)));
  if (status.ok()) status = Replay();
  if (!status.ok()) return status;
  // Some lines that are in no journal, such as those of a count, have no bits yet. The number of
  // the other lines is estimated rather too high than too low: the rate is then checked early, and
  // never late.
  const uint64_t keys = std::min(record_.keys, amq::BlockedBloomParts::MostKeys(bloom_->filter()));
  const std::string fault = amq::BlockedBloomParts::End(keys, &bloom_->filter());
  if (!fault.empty()) return file_.Fault(absl::StrCat("is damaged: ", fault));
  journal_end_ = record_.layout.journal;
  return Rewrite();
}

// Adds the lines of the journal to the filter.
absl::Status Kept::Replay() {
  const uint64_t journal = record_.layout.journal_at();
  const uint64_t size = record_.layout.journal;
  entry_.resize(EntryBytes(kMaxUnkept));
  journal_end_ = 0;
  while (journal_end_ + kEntryFrame <= size) {
    unsigned char* const entry = entry_.data();
    absl::Status status = file_.Read(journal + journal_end_, entry, kEntryStart);
    if (!status.ok()) return status;
    if (!HasMark(entry)) break;
    const uint64_t count = EntryCount(entry);
    const bool fits = count <= kMaxUnkept && journal_end_ + EntryBytes(count) <= size;
    if (fits) {
      status = file_.Read(journal + journal_end_ + kEntryStart, entry + kEntryStart,
                          EntryBytes(count) - kEntryStart);
    }
    if (!status.ok()) return status;
    if (!fits || !EntryIntact(entry, count)) {
      return file_.Fault(absl::StrCat("is damaged: its journal is not what was written at byte ",
                                      journal + journal_end_, "; take a copy that is whole"));
    }
    for (uint64_t i = 0; i < count; ++i) {
      bloom_->filter().Add(KeyHash{EntryHash(entry, i)});
    }
    journal_end_ += EntryBytes(count);
  }
  // Clears a partial entry of a run that ended before it wrote the entry's mark.
  return file_.WriteZeros(journal + journal_end_,
                          std::min(size - journal_end_, EntryBytes(kMaxUnkept) + kEntryFrame));
}

absl::Status Kept::Keep() {
  if (unkept_.empty()) return absl::OkStatus();
  const uint64_t bytes = EntryBytes(unkept_.size());
  if (unkept_in_filter_only_ || journal_end_ + bytes > record_.layout.journal) {
    unkept_.clear();
    unkept_in_filter_only_ = false;
    return Rewrite();
  }
  entry_.resize(bytes);
  unsigned char* const entry = entry_.data();
  WriteEntry(unkept_.data(), unkept_.size(), entry);
  unkept_.clear();
  // The mark is written last, by a single write.
  const uint64_t at = record_.layout.journal_at() + journal_end_;
  absl::Status status =
      file_.Write(at + kEntryMarkBytes, entry + kEntryMarkBytes, bytes - kEntryMarkBytes);
  if (status.ok()) status = file_.Write(at, entry, kEntryMarkBytes);
  journal_end_ += bytes;
  return status;
}

// Writes the filter with all added lines, and empties the journal. Some words may already have bits
// of lines that are neither in the file nor in the journal; their output is already written.
absl::Status Kept::Rewrite() {
  record_.rewriting = true;
  record_.keys = bloom_->filter().num_added();
  absl::Status status = WriteRecord();
  if (status.ok()) status = WriteFilter(file_, record_.layout.filter_at(), bloom_->filter());
  // Without its first mark the journal is empty, regardless of the bytes behind it.
  if (status.ok()) status = file_.WriteZeros(record_.layout.journal_at(), journal_end_);
  record_.rewriting = false;
  record_.keys = 0;
  journal_end_ = 0;
  return status.ok() ? WriteRecord() : status;
}

}  // namespace

absl::StatusOr<std::unique_ptr<SeenLines>> OpenKept(const std::string& path, KeptPlan* plan) {
  auto kept = std::make_unique<Kept>(path, *plan);
  if (absl::Status status = kept->Open(); !status.ok()) return status;
  plan->capacity = kept->capacity();
  plan->rate = kept->rate();
  return kept;
}

}  // namespace winnow::dedup
