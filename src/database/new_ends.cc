#include "src/database/new_ends.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <rocksdb/file_checksum.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "src/sst/table_blocks.h"
#include "src/workers/wire.h"
#include "winnow/hash.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::EnvOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

constexpr std::string_view kFirstLine = "winnow refilter 2\n";
constexpr size_t kHashBytes = 8;
constexpr size_t kEndBytes = 4096;  // of a table, with properties that identify it
constexpr size_t kReadAtOnce = 1 << 20;

// A file of the journal.
struct Change {
  uint64_t old_number = 0;
  uint64_t new_number = 0;
  uint64_t old_bytes = 0;
  uint64_t new_bytes = 0;
  uint64_t end_hash = 0;  // of the last bytes of the old file

  template <typename Code>
  void Fields(Code& code) {
    code(old_number, new_number, old_bytes, new_bytes, end_hash);
  }
};

struct Journal {
  std::string identity;  // of the database
  std::vector<Change> changes;

  template <typename Code>
  void Fields(Code& code) {
    code(identity, changes);
  }
};

std::string TextOf(const Journal& journal) {
  return WithHash(std::string(kFirstLine) + Pack(journal));
}

std::optional<Journal> JournalOf(std::string_view text) {
  const std::optional<std::string_view> whole = WithoutHash(text);
  const bool is_one = whole && whole->substr(0, kFirstLine.size()) == kFirstLine;
  return is_one ? Unpack<Journal>(whole->substr(kFirstLine.size())) : std::nullopt;
}

std::string PathIn(const std::string& folder, const std::string& name) {
  return absl::StrCat(folder, "/", name);
}
std::string TemporaryPath(const std::string& path) { return path + ".tmp"; }

// Reads the first bytes of a file by parts.
Status ReadParts(Env* env, const std::string& path, uint64_t bytes,
                 const std::function<Status(const Slice&)>& use) {
  std::unique_ptr<ROCKSDB_NAMESPACE::SequentialFile> file;
  Status status = env->NewSequentialFile(path, &file, EnvOptions());
  std::string buffer(kReadAtOnce, '\0');
  while (status.ok() && bytes > 0) {
    Slice part;
    status = file->Read(std::min<uint64_t>(buffer.size(), bytes), &part, &buffer[0]);
    if (status.ok() && part.empty()) status = Status::IOError("the file is shorter");
    if (status.ok()) status = use(part);
    bytes -= part.size();
  }
  return status;
}

// Changes files, but nothing any more after the first error. Whatever it writes is synced.
class Disk {
 public:
  explicit Disk(Env* env) : env_(env) {}

  const absl::Status& status() const { return status_; }
  bool ok() const { return status_.ok(); }
  void Fail(const absl::Status& status) { status_.Update(status); }
  // Calls a function that returns a Status.
  template <typename Call>
  void Do(const std::string& path, Call call) {
    if (ok()) status_ = FileStatus(path, call());
  }

  void SyncFolder(const std::string& folder) {
    Do(folder, [&] {
      std::unique_ptr<ROCKSDB_NAMESPACE::Directory> directory;
      const Status opened = env_->NewDirectory(folder, &directory);
      return opened.ok() ? directory->Fsync() : opened;
    });
  }
  // The file may be missing.
  void Remove(const std::string& path) {
    Do(path, [&] {
      const Status removed = env_->DeleteFile(path);
      return env_->FileExists(path).IsNotFound() ? Status::OK() : removed;
    });
  }
  // Replaces a file by rename; the new one has the owner and mode of `like`.
  void Replace(const std::string& folder, const std::string& name, const std::string& like,
               const std::string& bytes) {
    const std::string path = PathIn(folder, name);
    const std::string temporary = TemporaryPath(path);
    Do(path, [&] { return WriteStringToFile(env_, bytes, temporary, /*should_sync=*/true); });
    if (ok()) TakeOwner(temporary, like);
    Do(path, [&] { return env_->RenameFile(temporary, path); });
    SyncFolder(folder);
  }
  // Replaces a file by a copy of its first bytes, so that its inode stays as it is.
  void ReplaceByBeginning(const std::string& folder, const std::string& name, uint64_t bytes) {
    const std::string path = PathIn(folder, name);
    Copy(path, TemporaryPath(path), bytes);
    Cut(TemporaryPath(path), bytes);
    Do(path, [&] { return env_->RenameFile(TemporaryPath(path), path); });
    SyncFolder(folder);
  }
  void Append(const std::string& path, const std::string& bytes) {
    Reopen(path, [&](auto* file) { return file->Append(bytes); });
  }
  void Cut(const std::string& path, uint64_t bytes) {
    Reopen(path, [&](auto* file) { return file->Truncate(bytes); });
  }
  // Copies by reference, if the file system can, else byte by byte; returns the bytes written.
  // Append syncs them.
  uint64_t Copy(const std::string& from, const std::string& to, uint64_t bytes) {
    bool is_cloned = false;
    Do(to, [&] {
      std::unique_ptr<ROCKSDB_NAMESPACE::WritableFile> copy;
      Status status = env_->NewWritableFile(to, &copy, EnvOptions());
      if (!status.ok()) return status;
      is_cloned = Clone(from, to);
      status = ReadParts(env_, from, is_cloned ? 0 : bytes,
                         [&](const Slice& part) { return copy->Append(part); });
      const Status closed = copy->Close();
      return status.ok() ? closed : status;
    });
    if (ok()) TakeOwner(to, from);
    return is_cloned ? 0 : bytes;
  }

 private:
  template <typename Use>
  void Reopen(const std::string& path, Use use) {
    Do(path, [&] {
      std::unique_ptr<ROCKSDB_NAMESPACE::WritableFile> file;
      Status status = env_->ReopenWritableFile(path, &file, EnvOptions());
      if (!status.ok()) return status;
      status = use(file.get());
      if (status.ok()) status = file->Flush();
      if (status.ok()) status = file->Fsync();
      const Status closed = file->Close();
      return status.ok() ? closed : status;
    });
  }
  static bool Clone(const std::string& from, const std::string& to) {
    const int source = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
    const int target = ::open(to.c_str(), O_WRONLY | O_CLOEXEC);
    const bool is_cloned = source >= 0 && target >= 0 && ::ioctl(target, FICLONE, source) == 0;
    if (source >= 0) ::close(source);
    if (target >= 0) ::close(target);
    return is_cloned;
  }

  Env* const env_;
  absl::Status status_;
};

// Returns the checksum of a file as FileChecksumGenCrc32c computes it.
std::string ChecksumOf(Env* env, const std::string& path, uint64_t bytes, Disk* disk) {
  const std::unique_ptr<ROCKSDB_NAMESPACE::FileChecksumGenerator> generator =
      ROCKSDB_NAMESPACE::GetFileChecksumGenCrc32cFactory()->CreateFileChecksumGenerator({});
  disk->Do(path, [&] {
    return ReadParts(env, path, bytes, [&](const Slice& part) {
      generator->Update(part.data(), part.size());
      return Status::OK();
    });
  });
  generator->Finalize();
  return generator->GetChecksum();
}

// Returns the number in the name of a database's file: 000012.sst, MANIFEST-000013, …
std::optional<uint64_t> NumberOf(absl::string_view name) {
  const bool is_numbered =
      absl::ConsumePrefix(&name, "MANIFEST-") || absl::ConsumePrefix(&name, "OPTIONS-");
  const absl::string_view digits = name.substr(0, name.find('.'));
  uint64_t number = 0;
  const bool has_number =
      (is_numbered || digits.size() < name.size()) && absl::SimpleAtoi(digits, &number);
  return has_number ? std::optional(number) : std::nullopt;
}

std::vector<std::string> NamesIn(Env* env, const std::string& folder) {
  std::vector<std::string> names;
  env->GetChildren(folder, &names).PermitUncheckedError();
  return names;
}

uint64_t GreatestNumber(const EndsToWrite& where) {
  uint64_t greatest = 0;
  for (const std::string& folder : where.folders) {
    for (const std::string& name : NamesIn(where.env, folder)) {
      greatest = std::max(greatest, NumberOf(name).value_or(0));
    }
  }
  return greatest;
}

// Returns the folder that has the file under either number, by its old end; empty if none has it.
std::string FolderOf(const Change& change, const EndsToWrite& where) {
  for (const std::string& folder : where.folders) {
    for (const uint64_t number : {change.old_number, change.new_number}) {
      const std::string path = PathIn(folder, TableName(number));
      if (HashOfEnd(where.env, path, change.old_bytes) == change.end_hash) return folder;
    }
  }
  return {};
}

// Cuts what was appended to a file that is live under its old number. The inode may be that of
// another folder, too, whose MANIFEST has the new end: if the database was copied by hard links
// while the batch was written.
void CutOld(const Change& change, const std::string& folder, bool is_new_live, Env* env,
            Disk* disk) {
  const std::string name = TableName(change.old_number);
  const std::string path = PathIn(folder, name);
  uint64_t bytes = 0;
  const bool is_it = !folder.empty() && env->GetFileSize(path, &bytes).ok() &&
                     bytes <= change.new_bytes &&
                     HashOfEnd(env, path, change.old_bytes) == change.end_hash;
  if (!is_it) {
    disk->Fail(absl::DataLossError(absl::StrCat(
        name, ", as the journal ", kRefilterJournal, " names it, of ", change.old_bytes, " to ",
        change.new_bytes,
        " bytes, is in no folder of the database: name others by --path. If "
        "other files were copied over the database since, remove the journal; else restore a "
        "backup")));
  } else if (bytes > change.old_bytes) {
    if (!is_new_live) disk->Remove(PathIn(folder, TableName(change.new_number)));
    if (HasOtherNames(env, path)) {
      disk->ReplaceByBeginning(folder, name, change.old_bytes);
    } else {
      disk->Cut(path, change.old_bytes);
    }
  }
}

// Undoes or finishes what was done to one file. Without either number in the MANIFEST, RocksDB was
// opened since and needs neither file, or what is there is not its whole record: both stay, and
// RocksDB removes files that it does not need.
void End(const Change& change, const std::string& folder, const Manifest& manifest, Env* env,
         Disk* disk) {
  const auto before = manifest.files.find(change.old_number);
  const auto after = manifest.files.find(change.new_number);
  const bool is_after = after != manifest.files.end();
  if (before != manifest.files.end()) {
    if (before->second.bytes == change.old_bytes) CutOld(change, folder, is_after, env, disk);
    if (!is_after && !folder.empty()) disk->Remove(PathIn(folder, TableName(change.new_number)));
  } else if (is_after && after->second.bytes == change.new_bytes && !folder.empty()) {
    disk->Remove(PathIn(folder, TableName(change.old_number)));
  }
}

// Removes the MANIFESTs but this one.
void RemoveOtherManifests(const EndsToWrite& where, uint64_t number, Disk* disk) {
  for (const std::string& name : NamesIn(where.env, where.database)) {
    const std::string manifest = ManifestName(NumberOf(name).value_or(0));
    const bool is_manifest = name == manifest || name == TemporaryPath(manifest);
    if (is_manifest && name != ManifestName(number)) disk->Remove(PathIn(where.database, name));
  }
  disk->SyncFolder(where.database);
}

// Writes a file under its new number: a second name of it, or a copy.
void WriteNew(const EndsToWrite& where, const Change& change, const NewEnd& end, Disk* disk,
              WrittenEnds* written) {
  const std::string from = PathIn(end.folder, TableName(change.old_number));
  const std::string to = PathIn(end.folder, TableName(change.new_number));
  bool is_copied = !end.bytes.empty() && (where.copies_all || HasOtherNames(where.env, from));
  if (!is_copied) {
    disk->Do(to, [&] {
      const Status linked = where.env->LinkFile(from, to);
      uint64_t names = 2;
      if (linked.ok() && !end.bytes.empty()) {
        where.env->NumFileLinks(to, &names).PermitUncheckedError();
      }
      if (names != 2) {  // another process made a third one, or the file system does not count
        is_copied = true;
        return where.env->DeleteFile(to);
      }
      // There are no hard links, or no more.
      is_copied = !linked.ok() && !linked.IsNoSpace() && where.env->FileExists(to).IsNotFound();
      return is_copied ? Status::OK() : linked;
    });
  }
  if (is_copied) {
    written->bytes_written += disk->Copy(from, to, change.old_bytes);
    ++written->files_copied;
  }
  if (is_copied || !end.bytes.empty()) disk->Append(to, end.bytes);
  written->bytes_written += end.bytes.size();
}

// Steps 2 to 4.
WrittenEnds WriteBatch(const EndsToWrite& where, const Journal& journal,
                       const std::vector<NewEnd>& ends, const Manifest& manifest,
                       uint64_t new_manifest, Disk* disk) {
  WrittenEnds written;
  std::map<uint64_t, RenewedFile> renewed;
  std::set<std::string> folders;
  for (size_t i = 0; i < ends.size(); ++i) {
    const Change& change = journal.changes[i];
    WriteNew(where, change, ends[i], disk, &written);
    folders.insert(ends[i].folder);
    RenewedFile& file = renewed[change.old_number];
    file = {change.new_number, change.new_bytes, ""};
    if (!manifest.files.at(change.old_number).checksum_function.empty()) {
      const std::string path = PathIn(ends[i].folder, TableName(change.new_number));
      file.checksum = ChecksumOf(where.env, path, change.new_bytes, disk);
    }
  }
  for (const std::string& folder : folders) disk->SyncFolder(folder);
  const std::string text = RenewedManifest(manifest, renewed, new_manifest + 1);
  const std::string former = PathIn(where.database, ManifestName(manifest.number));
  // Whole or missing, as best_efforts_recovery takes the MANIFEST of the greatest number.
  disk->Replace(where.database, ManifestName(new_manifest), former, text);
  disk->Replace(where.database, "CURRENT", former, ManifestName(new_manifest) + "\n");
  written.bytes_written += text.size();
  return written;
}

}  // namespace

absl::Status FileStatus(const std::string& path, const Status& status) {
  return status.ok() ? absl::OkStatus()
                     : absl::UnavailableError(absl::StrCat(path, ": ", status.ToString()));
}

std::optional<uint64_t> HashOfEnd(Env* env, const std::string& path, uint64_t bytes) {
  std::unique_ptr<ROCKSDB_NAMESPACE::RandomAccessFile> file;
  const uint64_t size = std::min<uint64_t>(bytes, kEndBytes);
  std::string buffer(size, '\0');
  Slice end;
  const bool is_read = env->NewRandomAccessFile(path, &file, EnvOptions()).ok() &&
                       file->Read(bytes - size, size, &end, buffer.data()).ok();
  if (!is_read || end.size() != size) return std::nullopt;
  return HashKey({end.data(), end.size()}).value;
}

std::string WithHash(std::string text) {
  PutFixed(HashKey(text).value, kHashBytes, &text);
  return text;
}

std::optional<std::string_view> WithoutHash(std::string_view file) {
  const std::string_view text = file.substr(0, file.size() - std::min(file.size(), kHashBytes));
  const bool is_whole =
      BlockDecoder(file.substr(text.size())).Fixed(kHashBytes) == HashKey(text).value;
  return is_whole ? std::optional(text) : std::nullopt;
}

bool HasRefilterJournal(Env* env, const std::string& database) {
  return env->FileExists(PathIn(database, kRefilterJournal)).ok();
}

void TakeOwner(const std::string& path, const std::string& of) {
  struct stat status = {};
  if (::stat(of.c_str(), &status) != 0) return;
  // A symbolic link's target stays as it is: it may be another user's.
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  mode_t mode = status.st_mode & 0777;
  struct stat own = {};
  if (::fstat(file, &own) == 0 && S_ISDIR(own.st_mode)) mode |= (mode & 0444) >> 2;
  // Only root gives files away; an owner may choose among its groups.
  const bool is_given = ::fchown(file, status.st_uid, status.st_gid) == 0 ||
                        ::fchown(file, static_cast<uid_t>(-1), status.st_gid) == 0;
  // Another group must not read more than others may.
  if (!is_given) mode = (mode & ~mode_t{0070}) | ((mode & 0007) << 3);
  static_cast<void>(::fchmod(file, mode));
  ::close(file);
}

bool IsSymbolicLink(const std::string& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

bool HasOtherNames(Env* env, const std::string& path) {
  uint64_t names = 0;
  return IsSymbolicLink(path) || !env->NumFileLinks(path, &names).ok() || names != 1;
}

absl::StatusOr<bool> FinishOrUndo(const EndsToWrite& where) {
  Disk disk(where.env);
  for (const char* const name : {kRefilterJournal, "CURRENT"}) {
    disk.Remove(TemporaryPath(PathIn(where.database, name)));
  }
  if (!disk.ok()) return disk.status();
  if (!HasRefilterJournal(where.env, where.database)) return false;
  const std::string path = PathIn(where.database, kRefilterJournal);
  std::string text;
  disk.Do(path, [&] { return ReadFileToString(where.env, path, &text); });
  if (!disk.ok()) return disk.status();
  const std::optional<Journal> journal = JournalOf(text);
  if (!journal) {
    return absl::DataLossError(
        absl::StrCat(path,
                     " is no journal of this Winnow: another version's winnow refilter, or "
                     "a damaged file. Run that version, or restore a backup"));
  }
  if (journal->identity != IdentityOf(where.env, where.database)) {
    return absl::DataLossError(absl::StrCat(
        path,
        " is of another database, as the file IDENTITY shows: if a new one was made in this "
        "folder, remove the journal"));
  }
  const absl::StatusOr<Manifest> manifest = ReadManifest(where.env, where.database);
  if (!manifest.ok()) return manifest.status();
  // CURRENT as it is now must last before a file goes, and no other MANIFEST may name what goes.
  disk.SyncFolder(where.database);
  RemoveOtherManifests(where, manifest->number, &disk);
  std::set<std::string> folders;
  for (const Change& change : journal->changes) {
    const std::string folder = disk.ok() ? FolderOf(change, where) : "";
    End(change, folder, *manifest, where.env, &disk);
    if (!folder.empty()) folders.insert(folder);
  }
  for (const std::string& folder : folders) disk.SyncFolder(folder);
  disk.Remove(path);
  disk.SyncFolder(where.database);
  if (!disk.ok()) return disk.status();
  return true;
}

absl::StatusOr<WrittenEnds> WriteEnds(const EndsToWrite& where, std::vector<NewEnd> ends,
                                      Manifest* manifest) {
  Journal journal;
  journal.identity = IdentityOf(where.env, where.database);
  uint64_t number = std::max(manifest->next_file, GreatestNumber(where) + 1);
  std::sort(ends.begin(), ends.end(),
            [](const NewEnd& a, const NewEnd& b) { return a.number < b.number; });
  for (const NewEnd& end : ends) {
    const uint64_t bytes = manifest->files.at(end.number).bytes;
    const std::string path = PathIn(end.folder, TableName(end.number));
    const std::optional<uint64_t> hash = HashOfEnd(where.env, path, bytes);
    if (!hash) return absl::UnavailableError(absl::StrCat(path, " can't be read any more"));
    journal.changes.push_back({end.number, number++, bytes, bytes + end.bytes.size(), *hash});
  }
  Disk disk(where.env);
  disk.Replace(where.database, kRefilterJournal,
               PathIn(where.database, ManifestName(manifest->number)), TextOf(journal));
  const WrittenEnds written = WriteBatch(where, journal, ends, *manifest, number, &disk);
  // Step 5, or all steps back.
  const absl::StatusOr<bool> ended = FinishOrUndo(where);
  if (!ended.ok()) {
    return absl::Status(
        ended.status().code(),
        absl::StrCat(disk.ok() ? "" : disk.status().message(), disk.ok() ? "" : "; ",
                     ended.status().message(),
                     ". Run winnow refilter again to end this batch. Until then "
                     "RocksDB may refuse the database: do not repair it, and do not open it with "
                     "best_efforts_recovery"));
  }
  absl::StatusOr<Manifest> renewed = ReadManifest(where.env, where.database);
  if (!renewed.ok()) return renewed.status();
  *manifest = std::move(*renewed);
  if (!disk.ok()) return disk.status();
  return written;
}

}  // namespace winnow::inspect
