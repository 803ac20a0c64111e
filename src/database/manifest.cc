#include "src/database/manifest.h"

#include <absl/status/status.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "src/sst/table_blocks.h"
#include "third_party/rocksdb_abi/checksum.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Status;

// Fragments of records in blocks of a log.
constexpr size_t kLogBlock = 32768;
constexpr size_t kLogHeader = 7;  // checksum, length, type
enum LogType : char { kZero = 0, kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

// Tags of a record.
constexpr uint64_t kComparator = 1;
constexpr uint64_t kLog = 2;
constexpr uint64_t kNextFile = 3;
constexpr uint64_t kLastSequence = 4;
constexpr uint64_t kDeletedFile = 6;
constexpr uint64_t kNewFile = 103;
constexpr uint64_t kFamily = 200;
constexpr uint64_t kFamilyAdd = 201;
constexpr uint64_t kFamilyDrop = 202;
constexpr uint64_t kAtomicGroup = 300;       // with the number of records of the group that follow
constexpr uint64_t kMayBeIgnored = 1 << 13;  // from here on, with a text

// Tags that are copied, with their fields: n, a number; t, a text; f, tags with texts until tag 0.
struct CopiedTag {
  uint64_t tag;
  const char* fields;
};
constexpr CopiedTag kCopiedTags[] = {
    {5, "nt"},        // cursor of compactions
    {9, "n"},         // previous log
    {10, "n"},        // least log
    {203, "n"},       // greatest family
    {400, "nnnttf"},  // blob file
    {401, "nnnf"},    // garbage in one
};
// Former forms of files, blob files and logs, without a length.
constexpr uint64_t kOldForms[] = {
    7, 100, 102, kMayBeIgnored + 2, kMayBeIgnored + 3, kMayBeIgnored + 4, kMayBeIgnored + 5};

// Fields of a new file.
constexpr uint64_t kEndOfFields = 1;
constexpr uint64_t kChecksum = 7;
constexpr uint64_t kChecksumFunction = 8;
constexpr uint64_t kTailSize = 15;
constexpr uint64_t kOpenMetadata = 17;
constexpr uint64_t kMustBeKnown = 1 << 6;
constexpr uint64_t kPath = 65;

constexpr char kUnknownChecksumFunction[] = "Unknown";

uint32_t LogChecksum(std::string_view bytes) {
  return ROCKSDB_NAMESPACE::ComputeBuiltinChecksum(ROCKSDB_NAMESPACE::kCRC32c, bytes.data(),
                                                   bytes.size());
}

absl::StatusOr<std::vector<std::string>> RecordsOf(std::string_view log) {
  std::vector<std::string> records;
  std::string record;
  bool is_inside = false;  // the record goes on
  size_t at = 0;
  while (at + kLogHeader <= log.size()) {
    const size_t left = kLogBlock - at % kLogBlock;
    if (left < kLogHeader) {
      at += left;
      continue;
    }
    BlockDecoder header(log.substr(at, kLogHeader));
    const auto checksum = static_cast<uint32_t>(header.Fixed(4));
    const uint64_t size = header.Fixed(2);
    const auto type = static_cast<char>(header.Fixed(1));
    // Room that was allocated in advance, or a record that is not written to its end.
    const bool is_end = log.find_first_not_of('\0', at) == std::string_view::npos;
    if (is_end || at + kLogHeader + size > log.size()) break;
    if (type < kFull || type > kLast) {
      return absl::UnimplementedError(absl::StrCat("it has a fragment of type ",
                                                   static_cast<int>(type), ", which is not known"));
    }
    const std::string_view typed = log.substr(at + kLogHeader - 1, size + 1);
    if (LogChecksum(typed) != checksum) {
      return absl::DataLossError(absl::StrCat("the checksum at byte ", at, " is wrong"));
    }
    const bool begins = type == kFull || type == kFirst;
    if (begins == is_inside) {
      return absl::DataLossError(absl::StrCat("a record at byte ", at, " is incomplete"));
    }
    if (begins) record.clear();
    record.append(typed.substr(1));
    is_inside = type == kFirst || type == kMiddle;
    if (!is_inside) records.push_back(record);
    at += kLogHeader + size;
  }
  return records;
}

void AppendRecord(std::string_view record, std::string* log) {
  bool is_first = true;
  do {
    size_t left = kLogBlock - log->size() % kLogBlock;
    if (left < kLogHeader) {
      log->append(left, '\0');
      left = kLogBlock;
    }
    const size_t size = std::min(left - kLogHeader, record.size());
    const bool is_last = size == record.size();
    std::string typed(1, is_first ? (is_last ? kFull : kFirst) : (is_last ? kLast : kMiddle));
    typed.append(record.substr(0, size));
    const uint32_t checksum = LogChecksum(typed);
    PutFixed(checksum, 4, log);
    PutFixed(size, 2, log);
    log->append(typed);
    record.remove_prefix(size);
    is_first = false;
  } while (!record.empty());
}

// A record that is read, and written anew with the facts of renewed files.
class Edit {
 public:
  explicit Edit(std::string_view record, const std::map<uint64_t, RenewedFile>* renewed = nullptr)
      : record_(record), decoder_(record), renewed_(renewed) {}

  // Returns OK, or a clause.
  absl::Status Read();
  void ApplyTo(Manifest* manifest) const;
  // Number of records of its atomic group that follow; unset if it is in none.
  std::optional<uint64_t> left_of_group() const { return left_of_group_; }
  bool has_log() const { return has_log_; }
  std::string Renewed() && {
    CopyUpTo(record_.size());
    return std::move(written_);
  }

 private:
  // Number of bytes that were read.
  size_t At() const { return record_.size() - decoder_.left(); }
  std::string_view Text() { return decoder_.Bytes(decoder_.Varint()); }
  void CopyUpTo(size_t end) {
    written_.append(record_.substr(copied_, end - copied_));
    copied_ = end;
  }
  // Writes what replaces the bytes of the record from `begin` to here.
  void Replace(size_t begin, const std::string& by) {
    CopyUpTo(begin);
    written_ += by;
    copied_ = At();
  }
  void ReplaceField(size_t begin, uint64_t tag, const std::string& value) {
    Replace(begin, VarintText(tag) + VarintText(value.size()) + value);
  }
  // Returns null for a file that stays.
  const RenewedFile* RenewedOf(uint64_t number) const {
    if (renewed_ == nullptr) return nullptr;
    const auto found = renewed_->find(number);
    return found == renewed_->end() ? nullptr : &found->second;
  }

  absl::Status ReadNewFile();
  absl::Status Copy(uint64_t tag);

  const std::string_view record_;
  BlockDecoder decoder_;
  const std::map<uint64_t, RenewedFile>* const renewed_;
  std::string written_;
  size_t copied_ = 0;

  uint32_t family_ = 0;
  std::optional<std::string> added_family_;
  std::string comparator_;
  bool is_drop_ = false;
  bool has_log_ = false;
  uint64_t next_file_ = 0;
  uint64_t last_sequence_ = 0;
  std::optional<uint64_t> left_of_group_;
  std::vector<ManifestFile> added_;
  std::vector<uint64_t> deleted_;
};

absl::Status Edit::Read() {
  absl::Status status;
  while (status.ok() && decoder_.ok() && !decoder_.AtEnd()) {
    const size_t begin_of_tag = At();
    const uint64_t tag = decoder_.Varint();
    if (tag == kComparator) {
      comparator_ = std::string(Text());
    } else if (tag == kLog) {
      decoder_.Varint();
      has_log_ = true;
    } else if (tag == kNextFile) {
      next_file_ = decoder_.Varint();
      if (renewed_ != nullptr) Replace(begin_of_tag, "");
    } else if (tag == kLastSequence) {
      last_sequence_ = decoder_.Varint();
      if (renewed_ != nullptr) Replace(begin_of_tag, "");
    } else if (tag == kAtomicGroup) {
      left_of_group_ = decoder_.Varint();
    } else if (tag == kDeletedFile) {
      decoder_.Varint();  // level
      const size_t begin = At();
      deleted_.push_back(decoder_.Varint());
      const RenewedFile* const renewed = RenewedOf(deleted_.back());
      if (renewed != nullptr) Replace(begin, VarintText(renewed->number));
    } else if (tag == kFamily) {
      family_ = static_cast<uint32_t>(decoder_.Varint());
    } else if (tag == kFamilyAdd) {
      added_family_ = std::string(Text());
    } else if (tag == kFamilyDrop) {
      is_drop_ = true;
    } else {
      status = tag == kNewFile ? ReadNewFile() : Copy(tag);
    }
  }
  if (!status.ok() || decoder_.ok()) return status;
  return absl::DataLossError("one of its records is cut off");
}

absl::Status Edit::Copy(uint64_t tag) {
  if (std::find(std::begin(kOldForms), std::end(kOldForms), tag) != std::end(kOldForms)) {
    return absl::UnimplementedError(
        "it has records of an old form, which RocksDB replaces: open and close the database once");
  }
  const char* fields = (tag & kMayBeIgnored) != 0 ? "t" : nullptr;
  for (const CopiedTag& copied : kCopiedTags) {
    if (copied.tag == tag) fields = copied.fields;
  }
  if (fields == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("it has a record with tag ", tag,
                     ", which is not known: a Winnow for the RocksDB that wrote it is needed"));
  }
  for (; *fields != '\0'; ++fields) {
    if (*fields == 'n') decoder_.Varint();
    if (*fields == 't') Text();
    while (*fields == 'f' && decoder_.ok() && decoder_.Varint() != 0) Text();
  }
  return absl::OkStatus();
}

absl::Status Edit::ReadNewFile() {
  ManifestFile file;
  file.level = static_cast<int>(decoder_.Varint());
  size_t begin = At();
  file.number = decoder_.Varint();
  const RenewedFile* const renewed = RenewedOf(file.number);
  file.bytes = decoder_.Varint();
  if (renewed != nullptr) Replace(begin, VarintText(renewed->number) + VarintText(renewed->bytes));
  file.smallest = std::string(Text());
  file.largest = std::string(Text());
  decoder_.Varint();  // sequence numbers
  decoder_.Varint();
  while (decoder_.ok()) {
    begin = At();
    const uint64_t tag = decoder_.Varint();
    if (tag == kEndOfFields) break;
    const std::string_view value = Text();
    if (tag == kChecksum && renewed != nullptr && !renewed->checksum.empty()) {
      ReplaceField(begin, tag, renewed->checksum);
    } else if (tag == kChecksumFunction) {
      file.checksum_function = value == kUnknownChecksumFunction ? "" : std::string(value);
    } else if (tag == kTailSize && renewed != nullptr) {
      const uint64_t bytes = BlockDecoder(value).Varint() + renewed->bytes - file.bytes;
      ReplaceField(begin, tag, VarintText(bytes));
    } else if (tag == kOpenMetadata) {
      file.has_open_metadata = true;
    } else if (tag == kPath && value.size() == 1) {
      file.path = value[0];
    } else if ((tag & kMustBeKnown) != 0) {
      return absl::UnimplementedError(
          absl::StrCat("it has a file with field ", tag, ", which is not known"));
    }
  }
  added_.push_back(std::move(file));
  return absl::OkStatus();
}

void Edit::ApplyTo(Manifest* manifest) const {
  manifest->next_file = std::max(manifest->next_file, next_file_);
  manifest->last_sequence = std::max(manifest->last_sequence, last_sequence_);
  if (added_family_) manifest->families[family_].name = *added_family_;
  if (!comparator_.empty()) manifest->families[family_].comparator = comparator_;
  if (is_drop_) {
    manifest->families.erase(family_);
    for (auto file = manifest->files.begin(); file != manifest->files.end();) {
      file = file->second.family == family_ ? manifest->files.erase(file) : std::next(file);
    }
  }
  for (const uint64_t number : deleted_) manifest->files.erase(number);
  for (const ManifestFile& added : added_) {
    ManifestFile& file = manifest->files[added.number] = added;
    file.family = family_;
  }
}

}  // namespace

std::string ManifestName(uint64_t number) { return absl::StrFormat("MANIFEST-%06d", number); }
std::string TableName(uint64_t number) { return absl::StrFormat("%06d.sst", number); }

absl::StatusOr<Manifest> ReadManifest(ROCKSDB_NAMESPACE::Env* env, const std::string& database) {
  std::string current;
  Status status = ReadFileToString(env, database + "/CURRENT", &current);
  if (!status.ok()) {
    return absl::NotFoundError(
        absl::StrCat(database, " is no database: ", status.ToString(),
                     ". Name the folder of a database, which has a file CURRENT"));
  }
  Manifest manifest;
  absl::string_view number = absl::StripSuffix(current, "\n");
  if (!absl::ConsumePrefix(&number, "MANIFEST-") || !absl::SimpleAtoi(number, &manifest.number)) {
    return absl::DataLossError(absl::StrCat(database,
                                            "/CURRENT names no MANIFEST. Open the database by "
                                            "RocksDB first"));
  }
  const std::string path = database + "/" + ManifestName(manifest.number);
  std::string log;
  status = ReadFileToString(env, path, &log);
  if (!status.ok()) return absl::NotFoundError(absl::StrCat(path, ": ", status.ToString()));
  const auto fails = [&path](const absl::Status& why) {
    return absl::Status(why.code(), absl::StrCat(path, " can't be taken over: ", why.message()));
  };
  absl::StatusOr<std::vector<std::string>> records = RecordsOf(log);
  if (!records.ok()) return fails(records.status());
  manifest.families[0].name = "default";
  bool has_log = false;
  std::vector<Edit> group;  // records that only count together
  for (const std::string& record : *records) {
    Edit edit(record);
    if (const absl::Status read = edit.Read(); !read.ok()) return fails(read);
    has_log = has_log || edit.has_log();
    if (!group.empty() && !edit.left_of_group()) {
      return fails(absl::DataLossError("an atomic group in it is incomplete"));
    }
    const bool is_last = edit.left_of_group().value_or(0) == 0;
    group.push_back(std::move(edit));
    if (!is_last) continue;
    for (const Edit& one : group) one.ApplyTo(&manifest);
    group.clear();
  }
  if (manifest.next_file == 0 || !has_log) {
    return fails(absl::DataLossError("its beginning is missing"));
  }
  records->resize(records->size() - group.size());
  manifest.records = std::move(*records);
  return manifest;
}

std::string IdentityOf(ROCKSDB_NAMESPACE::Env* env, const std::string& database) {
  std::string identity;
  ReadFileToString(env, database + "/IDENTITY", &identity).PermitUncheckedError();
  return identity;
}

std::string RenewedManifest(const Manifest& manifest,
                            const std::map<uint64_t, RenewedFile>& renewed, uint64_t next_file) {
  // In place of those that the records have.
  const std::string numbers = VarintText(kNextFile) + VarintText(next_file) +
                              VarintText(kLastSequence) + VarintText(manifest.last_sequence);
  std::string log;
  for (const std::string& record : manifest.records) {
    Edit edit(record, &renewed);
    edit.Read().IgnoreError();  // it was read before
    AppendRecord(std::move(edit).Renewed() + numbers, &log);
  }
  return log;
}

}  // namespace winnow::inspect
