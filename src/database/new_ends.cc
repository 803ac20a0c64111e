#include "src/database/new_ends.h"

#include <absl/strings/escaping.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <rocksdb/file_checksum.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "winnow/hash.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::EnvOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

constexpr char kFirstLine[] = "winnow refilter 1";
constexpr size_t kEndBytes = 64;  // of a table, which identify it; a footer has 53
constexpr size_t kCopiedAtOnce = 1 << 20;

// A file of the journal.
struct Change {
  std::string folder;
  uint64_t old_number = 0;
  uint64_t new_number = 0;
  uint64_t old_bytes = 0;
  uint64_t new_bytes = 0;
  uint64_t end_hash = 0;  // of the last bytes of the old file
  bool is_copy = false;

  std::string old_path() const { return absl::StrCat(folder, "/", TableName(old_number)); }
  std::string new_path() const { return absl::StrCat(folder, "/", TableName(new_number)); }
};

struct Journal {
  std::string identity;  // of the database
  std::vector<Change> changes;
};

std::string JournalPath(const std::string& database) {
  return absl::StrCat(database, "/", kRefilterJournal);
}
std::string TemporaryPath(const std::string& path) { return path + ".tmp"; }

absl::Status SyncFolder(Env* env, const std::string& folder) {
  std::unique_ptr<ROCKSDB_NAMESPACE::Directory> directory;
  Status status = env->NewDirectory(folder, &directory);
  if (status.ok()) status = directory->Fsync();
  return FileStatus(folder, status);
}

absl::Status SyncFolders(Env* env, const std::vector<Change>& changes) {
  std::set<std::string> folders;
  for (const Change& change : changes) folders.insert(change.folder);
  for (const std::string& folder : folders) {
    if (const absl::Status synced = SyncFolder(env, folder); !synced.ok()) return synced;
  }
  return absl::OkStatus();
}

Status AppendAndSync(ROCKSDB_NAMESPACE::WritableFile* file, const std::string& bytes) {
  Status status = file->Append(bytes);
  if (status.ok()) status = file->Flush();
  if (status.ok()) status = file->Fsync();
  const Status closed = file->Close();
  return status.ok() ? closed : status;
}

// Writes a new file with the owner and mode of another one, and syncs it.
absl::Status WriteFile(Env* env, const std::string& path, const std::string& like,
                       const std::string& bytes) {
  std::unique_ptr<ROCKSDB_NAMESPACE::WritableFile> file;
  Status status = env->NewWritableFile(path, &file, EnvOptions());
  if (status.ok()) status = AppendAndSync(file.get(), bytes);
  if (status.ok()) TakeOwner(path, like);
  return FileStatus(path, status);
}

// Replaces a file by rename, which is synced.
absl::Status ReplaceFile(Env* env, const std::string& folder, const std::string& path,
                         const std::string& like, const std::string& bytes) {
  absl::Status status = WriteFile(env, TemporaryPath(path), like, bytes);
  if (!status.ok()) return status;
  status = FileStatus(path, env->RenameFile(TemporaryPath(path), path));
  return status.ok() ? SyncFolder(env, folder) : status;
}

// Removes a file, which may be missing.
absl::Status Remove(Env* env, const std::string& path) {
  const Status status = env->DeleteFile(path);
  return status.IsNotFound() || env->FileExists(path).IsNotFound() ? absl::OkStatus()
                                                                   : FileStatus(path, status);
}

// Returns the hash of what was a file's end when it had so many bytes; 0 if it can't be read.
uint64_t HashOfEnd(Env* env, const std::string& path, uint64_t bytes) {
  std::unique_ptr<ROCKSDB_NAMESPACE::RandomAccessFile> file;
  const uint64_t size = std::min<uint64_t>(bytes, kEndBytes);
  std::string buffer(size, '\0');
  Slice end;
  const bool is_read = env->NewRandomAccessFile(path, &file, EnvOptions()).ok() &&
                       file->Read(bytes - size, size, &end, buffer.data()).ok();
  return is_read && end.size() == size ? HashKey({end.data(), end.size()}).value : 0;
}

// The database's own folder is an empty text, so that the database may be moved. The last line has
// a hash of those before.
std::string TextOf(const Journal& journal, const std::string& database) {
  std::string text =
      absl::StrCat(kFirstLine, "\nidentity ", absl::BytesToHexString(journal.identity), "\n");
  for (const Change& change : journal.changes) {
    const std::string folder = change.folder == database ? "" : change.folder;
    absl::StrAppend(&text, change.is_copy ? "copy " : "link ", change.old_number, " ",
                    change.new_number, " ", change.old_bytes, " ", change.new_bytes, " ",
                    change.end_hash, " ", absl::BytesToHexString(folder), "\n");
  }
  return absl::StrCat(text, "end ", HashKey(text).value, "\n");
}

std::optional<Journal> JournalOf(const std::string& text, const std::string& database) {
  const size_t last = text.rfind("end ");
  if (last == std::string::npos ||
      text.substr(last) != absl::StrCat("end ", HashKey(text.substr(0, last)).value, "\n")) {
    return std::nullopt;
  }
  const std::vector<std::string> lines = absl::StrSplit(text.substr(0, last), '\n');
  Journal journal;
  for (size_t i = 1; i + 1 < lines.size(); ++i) {
    const std::vector<std::string> words = absl::StrSplit(lines[i], ' ');
    if (words[0] == "identity" && words.size() == 2) {
      journal.identity = absl::HexStringToBytes(words[1]);
    } else {
      Change change;
      if (words.size() != 7 || (words[0] != "copy" && words[0] != "link") ||
          !absl::SimpleAtoi(words[1], &change.old_number) ||
          !absl::SimpleAtoi(words[2], &change.new_number) ||
          !absl::SimpleAtoi(words[3], &change.old_bytes) ||
          !absl::SimpleAtoi(words[4], &change.new_bytes) ||
          !absl::SimpleAtoi(words[5], &change.end_hash)) {
        return std::nullopt;
      }
      change.is_copy = words[0] == "copy";
      change.folder = words[6].empty() ? database : absl::HexStringToBytes(words[6]);
      journal.changes.push_back(std::move(change));
    }
  }
  return lines[0] == kFirstLine ? std::optional(std::move(journal)) : std::nullopt;
}

// Returns the greatest number of a file in these folders: 000012.sst, MANIFEST-000013, …
uint64_t GreatestNumber(Env* env, const std::vector<std::string>& folders) {
  uint64_t greatest = 0;
  for (const std::string& folder : folders) {
    std::vector<std::string> names;
    env->GetChildren(folder, &names).PermitUncheckedError();
    for (absl::string_view name : names) {
      const bool is_numbered =
          absl::ConsumePrefix(&name, "MANIFEST-") || absl::ConsumePrefix(&name, "OPTIONS-");
      const absl::string_view digits = name.substr(0, name.find('.'));
      uint64_t number = 0;
      if ((is_numbered || digits.size() < name.size()) && absl::SimpleAtoi(digits, &number)) {
        greatest = std::max(greatest, number);
      }
    }
  }
  return greatest;
}

// Copies a file by reference, if the file system can, else byte by byte; returns the bytes written.
absl::StatusOr<uint64_t> CopyFile(Env* env, const std::string& from, const std::string& to,
                                  uint64_t bytes) {
  std::unique_ptr<ROCKSDB_NAMESPACE::WritableFile> copy;
  Status status = env->NewWritableFile(to, &copy, EnvOptions());
  if (!status.ok()) return FileStatus(to, status);
  const int source = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  const int target = ::open(to.c_str(), O_WRONLY | O_CLOEXEC);
  const bool is_cloned = source >= 0 && target >= 0 && ::ioctl(target, FICLONE, source) == 0;
  if (source >= 0) ::close(source);
  if (target >= 0) ::close(target);
  const uint64_t to_copy = is_cloned ? 0 : bytes;
  std::unique_ptr<ROCKSDB_NAMESPACE::SequentialFile> original;
  status = env->NewSequentialFile(from, &original, EnvOptions());
  std::string buffer(kCopiedAtOnce, '\0');
  for (uint64_t copied = 0; status.ok() && copied < to_copy;) {
    Slice part;
    status = original->Read(std::min<uint64_t>(buffer.size(), to_copy - copied), &part, &buffer[0]);
    if (status.ok() && part.empty()) status = Status::IOError("the file is shorter");
    if (status.ok()) status = copy->Append(part);
    copied += part.size();
  }
  const Status closed = copy->Close();
  if (status.ok()) status = closed;
  if (!status.ok()) return FileStatus(to, status);
  return to_copy;
}

absl::Status AppendTo(Env* env, const std::string& path, const std::string& bytes) {
  std::unique_ptr<ROCKSDB_NAMESPACE::WritableFile> file;
  Status status = env->ReopenWritableFile(path, &file, EnvOptions());
  if (status.ok()) status = AppendAndSync(file.get(), bytes);
  return FileStatus(path, status);
}

// Returns the checksum of a file as FileChecksumGenCrc32c computes it.
absl::StatusOr<std::string> ChecksumOf(Env* env, const std::string& path) {
  std::unique_ptr<ROCKSDB_NAMESPACE::SequentialFile> file;
  Status status = env->NewSequentialFile(path, &file, EnvOptions());
  const std::unique_ptr<ROCKSDB_NAMESPACE::FileChecksumGenerator> generator =
      ROCKSDB_NAMESPACE::GetFileChecksumGenCrc32cFactory()->CreateFileChecksumGenerator({});
  std::string buffer(kCopiedAtOnce, '\0');
  Slice part(buffer);
  while (status.ok() && !part.empty()) {
    status = file->Read(buffer.size(), &part, &buffer[0]);
    if (status.ok()) generator->Update(part.data(), part.size());
  }
  if (!status.ok()) return FileStatus(path, status);
  generator->Finalize();
  return generator->GetChecksum();
}

// Cuts what was appended to a file that is live under its old number.
absl::Status Cut(Env* env, const Change& change) {
  const std::string path = change.old_path();
  uint64_t bytes = 0;
  Status status = env->GetFileSize(path, &bytes);
  const bool is_it = status.ok() && bytes >= change.old_bytes && bytes <= change.new_bytes &&
                     HashOfEnd(env, path, change.old_bytes) == change.end_hash;
  if (!is_it) {
    return absl::DataLossError(
        absl::StrCat(path, " is not the file that the journal ", kRefilterJournal, " names, of ",
                     change.old_bytes, " to ", change.new_bytes, " bytes: it has ", bytes,
                     ". If other files were copied over the database since, remove the "
                     "journal; else restore a backup"));
  }
  if (bytes == change.old_bytes) return absl::OkStatus();
  std::unique_ptr<ROCKSDB_NAMESPACE::WritableFile> file;
  status = env->ReopenWritableFile(path, &file, EnvOptions());
  if (status.ok()) status = file->Truncate(change.old_bytes);
  if (status.ok()) status = AppendAndSync(file.get(), {});
  return FileStatus(path, status);
}

// Undoes or finishes what was done to one file. Without either number in the MANIFEST, RocksDB was
// opened since and needs neither file, or what is there is not its whole record: both stay, and
// RocksDB removes files that it does not need.
absl::Status End(Env* env, const Change& change, const Manifest& manifest) {
  const auto before = manifest.files.find(change.old_number);
  const auto after = manifest.files.find(change.new_number);
  if (before != manifest.files.end()) {
    if (!change.is_copy && before->second.bytes == change.old_bytes) {
      if (const absl::Status cut = Cut(env, change); !cut.ok()) return cut;
    }
    return after == manifest.files.end() ? Remove(env, change.new_path()) : absl::OkStatus();
  }
  if (after != manifest.files.end() && after->second.bytes == change.new_bytes) {
    return Remove(env, change.old_path());
  }
  return absl::OkStatus();
}

// Sets the folder of a file that is not where the journal says: a folder that was moved.
void FindFolder(Env* env, const std::vector<std::string>& folders, Change* change) {
  for (const std::string& folder : folders) {
    if (env->FileExists(change->old_path()).ok() || env->FileExists(change->new_path()).ok())
      return;
    Change there = *change;
    there.folder = folder;
    if (env->FileExists(there.old_path()).ok() || env->FileExists(there.new_path()).ok()) {
      *change = there;
    }
  }
}

// Removes the MANIFESTs but this one.
absl::Status RemoveOtherManifests(Env* env, const std::string& database, uint64_t number) {
  std::vector<std::string> names;
  env->GetChildren(database, &names).PermitUncheckedError();
  for (const std::string& name : names) {
    absl::string_view digits = name;
    uint64_t other = 0;
    const bool is_manifest = absl::ConsumePrefix(&digits, "MANIFEST-") &&
                             absl::SimpleAtoi(absl::StripSuffix(digits, ".tmp"), &other);
    if (!is_manifest || name == ManifestName(number)) continue;
    const absl::Status removed = Remove(env, absl::StrCat(database, "/", name));
    if (!removed.ok()) return removed;
  }
  return SyncFolder(env, database);
}

// Steps 2 to 4.
absl::StatusOr<WrittenEnds> WriteBatch(const EndsToWrite& where, const Journal& journal,
                                       const std::vector<NewEnd>& ends, const Manifest& manifest,
                                       uint64_t new_manifest) {
  Env* const env = where.env;
  WrittenEnds written;
  std::map<uint64_t, RenewedFile> renewed;
  for (size_t i = 0; i < ends.size(); ++i) {
    const Change& change = journal.changes[i];
    if (change.is_copy) {
      const absl::StatusOr<uint64_t> copied =
          CopyFile(env, change.old_path(), change.new_path(), change.old_bytes);
      if (!copied.ok()) return copied.status();
      TakeOwner(change.new_path(), change.old_path());
      written.bytes_written += *copied;
      ++written.files_copied;
    } else {
      const Status linked = env->LinkFile(change.old_path(), change.new_path());
      if (!linked.ok()) return FileStatus(change.new_path(), linked);
    }
    if (change.is_copy || !ends[i].bytes.empty()) {
      const absl::Status appended = AppendTo(env, change.new_path(), ends[i].bytes);
      if (!appended.ok()) return appended;
    }
    written.bytes_written += ends[i].bytes.size();
    RenewedFile& file = renewed[change.old_number];
    file.number = change.new_number;
    file.bytes = change.new_bytes;
    if (!manifest.files.at(change.old_number).checksum_function.empty()) {
      absl::StatusOr<std::string> checksum = ChecksumOf(env, change.new_path());
      if (!checksum.ok()) return checksum.status();
      file.checksum = std::move(*checksum);
    }
  }
  if (const absl::Status synced = SyncFolders(env, journal.changes); !synced.ok()) return synced;
  const std::string text = RenewedManifest(manifest, renewed, new_manifest + 1);
  const std::string path = absl::StrCat(where.database, "/", ManifestName(new_manifest));
  const std::string former = absl::StrCat(where.database, "/", ManifestName(manifest.number));
  // Whole or missing, as best_efforts_recovery takes the MANIFEST of the greatest number.
  absl::Status status = ReplaceFile(env, where.database, path, former, text);
  if (!status.ok()) return status;
  written.bytes_written += text.size();
  const std::string current = absl::StrCat(where.database, "/CURRENT");
  status = ReplaceFile(env, where.database, current, former,
                       absl::StrCat(ManifestName(new_manifest), "\n"));
  if (!status.ok()) return status;
  return written;
}

}  // namespace

absl::Status FileStatus(const std::string& path, const Status& status) {
  return status.ok() ? absl::OkStatus()
                     : absl::UnavailableError(absl::StrCat(path, ": ", status.ToString()));
}

bool HasRefilterJournal(Env* env, const std::string& database) {
  return env->FileExists(JournalPath(database)).ok();
}

void TakeOwner(const std::string& path, const std::string& of) {
  struct stat status = {};
  if (::stat(of.c_str(), &status) != 0) return;
  mode_t mode = status.st_mode & 07777;
  struct stat own = {};
  if (::stat(path.c_str(), &own) == 0 && S_ISDIR(own.st_mode)) mode |= (mode & 0444) >> 2;
  // Only root gives files away; an owner may choose among its groups.
  const bool is_given = ::chown(path.c_str(), status.st_uid, status.st_gid) == 0 ||
                        ::chown(path.c_str(), static_cast<uid_t>(-1), status.st_gid) == 0;
  // Another group must not read more than others may.
  if (!is_given) mode = (mode & ~mode_t{0070}) | ((mode & 0007) << 3);
  static_cast<void>(::chmod(path.c_str(), mode));
}

bool HasOtherNames(Env* env, const std::string& path) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0 || S_ISLNK(status.st_mode)) return true;
  uint64_t names = 0;
  return !env->NumFileLinks(path, &names).ok() || names != 1;
}

absl::StatusOr<bool> FinishOrUndo(Env* env, const std::string& database,
                                  const std::vector<std::string>& folders) {
  for (const char* const name : {kRefilterJournal, "CURRENT"}) {
    const std::string path = TemporaryPath(absl::StrCat(database, "/", name));
    if (const absl::Status removed = Remove(env, path); !removed.ok()) return removed;
  }
  if (!HasRefilterJournal(env, database)) return false;
  const std::string path = JournalPath(database);
  std::string text;
  if (const Status read = ReadFileToString(env, path, &text); !read.ok()) {
    return FileStatus(path, read);
  }
  std::optional<Journal> journal = JournalOf(text, database);
  if (!journal) {
    return absl::DataLossError(
        absl::StrCat(path,
                     " is no journal of this Winnow: another version's winnow refilter, or "
                     "a damaged file. Run that version, or restore a backup"));
  }
  if (journal->identity != IdentityOf(env, database)) {
    return absl::DataLossError(absl::StrCat(
        path,
        " is of another database, as the file IDENTITY shows: if a new one was made in this "
        "folder, remove the journal"));
  }
  const absl::StatusOr<Manifest> manifest = ReadManifest(env, database);
  if (!manifest.ok()) return manifest.status();
  // CURRENT as it is now must last before a file goes, and no other MANIFEST may name what goes.
  absl::Status status = SyncFolder(env, database);
  if (status.ok()) status = RemoveOtherManifests(env, database, manifest->number);
  for (Change& change : journal->changes) {
    if (!status.ok()) return status;
    FindFolder(env, folders, &change);
    status = End(env, change, *manifest);
  }
  if (status.ok()) status = SyncFolders(env, journal->changes);
  if (status.ok()) status = Remove(env, path);
  if (status.ok()) status = SyncFolder(env, database);
  if (!status.ok()) return status;
  return true;
}

absl::StatusOr<WrittenEnds> WriteEnds(const EndsToWrite& where, const std::vector<NewEnd>& ends,
                                      Manifest* manifest) {
  Journal journal;
  uint64_t number = std::max(manifest->next_file, GreatestNumber(where.env, where.folders) + 1);
  std::vector<NewEnd> ascending = ends;
  std::sort(ascending.begin(), ascending.end(),
            [](const NewEnd& a, const NewEnd& b) { return a.number < b.number; });
  for (const NewEnd& end : ascending) {
    Change change;
    change.folder = end.folder;
    change.old_number = end.number;
    change.new_number = number++;
    change.old_bytes = manifest->files.at(end.number).bytes;
    change.new_bytes = change.old_bytes + end.bytes.size();
    change.end_hash = HashOfEnd(where.env, change.old_path(), change.old_bytes);
    change.is_copy =
        !end.bytes.empty() && (where.copies_all || HasOtherNames(where.env, change.old_path()));
    journal.changes.push_back(std::move(change));
  }
  journal.identity = IdentityOf(where.env, where.database);
  const absl::Status begun =
      ReplaceFile(where.env, where.database, JournalPath(where.database),
                  absl::StrCat(where.database, "/", ManifestName(manifest->number)),
                  TextOf(journal, where.database));
  const absl::StatusOr<WrittenEnds> written =
      begun.ok() ? WriteBatch(where, journal, ascending, *manifest, number)
                 : absl::StatusOr<WrittenEnds>(begun);
  // Step 5, or all steps back.
  const absl::StatusOr<bool> ended = FinishOrUndo(where.env, where.database, where.folders);
  if (!ended.ok()) {
    return absl::Status(
        ended.status().code(),
        absl::StrCat(written.ok() ? "" : written.status().message(), written.ok() ? "" : "; ",
                     ended.status().message(),
                     ". Run winnow refilter again to end this batch. Until then "
                     "RocksDB may refuse the database: do not repair it, and do not open it with "
                     "best_efforts_recovery"));
  }
  absl::StatusOr<Manifest> renewed = ReadManifest(where.env, where.database);
  if (!renewed.ok()) return renewed.status();
  *manifest = std::move(*renewed);
  return written;
}

}  // namespace winnow::inspect
