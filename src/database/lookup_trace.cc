#include "src/database/lookup_trace.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <rocksdb/trace_record.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "src/text/key_list.h"

namespace winnow::inspect {
namespace {

// A record has a time of 8 bytes, a type of 1 byte, the length of the payload in 4 bytes, and the
// payload; numbers are little-endian.
constexpr size_t kTimeBytes = 8;
constexpr size_t kRecordHeadBytes = kTimeBytes + 1 + 4;
static_assert(kRecordHeadBytes == kBeforeTraceMagic);

// Maximum payload of a record: a MultiGet of a million keys of 1 KB.
constexpr uint32_t kMaxPayload = uint32_t{1} << 30;

// Version 0.2: a payload begins with a bit mask of 8 bytes that lists the parts that follow, in
// order.
constexpr uint64_t kGetFamily = 1 << 2;
constexpr uint64_t kGetKey = 1 << 3;
constexpr uint64_t kSeekFamily = 1 << 4;
constexpr uint64_t kSeekKey = 1 << 5;
constexpr uint64_t kSeekLowerBound = 1 << 6;
constexpr uint64_t kSeekUpperBound = 1 << 7;
constexpr uint64_t kMultiGetCount = 1 << 8;
constexpr uint64_t kMultiGetFamilies = 1 << 9;
constexpr uint64_t kMultiGetKeys = 1 << 10;

template <typename T>
bool TakeFixed(absl::string_view* bytes, T* value) {
  if (bytes->size() < sizeof(T)) {
    return false;
  }
  *value = 0;
  for (size_t i = sizeof(T); i-- > 0;) {
    *value = static_cast<T>(*value << 8 | static_cast<unsigned char>((*bytes)[i]));
  }
  bytes->remove_prefix(sizeof(T));
  return true;
}

// Takes length-prefixed bytes; the length is a varint.
bool TakePart(absl::string_view* bytes, absl::string_view* part) {
  uint64_t size = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    if (bytes->empty()) {
      return false;
    }
    const auto byte = static_cast<unsigned char>(bytes->front());
    bytes->remove_prefix(1);
    size |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) {
      if (bytes->size() < size) {
        return false;
      }
      *part = bytes->substr(0, size);
      bytes->remove_prefix(size);
      return true;
    }
  }
  return false;
}

struct Lookup {
  uint32_t family = 0;
  absl::string_view key;
};

bool TakeGet(absl::string_view payload, int version, std::vector<Lookup>* lookups) {
  Lookup lookup;
  uint64_t parts = 0;
  if ((version > 1 && (!TakeFixed(&payload, &parts) || parts != (kGetFamily | kGetKey))) ||
      !TakeFixed(&payload, &lookup.family) || !TakePart(&payload, &lookup.key)) {
    return false;
  }
  lookups->push_back(lookup);
  return payload.empty();
}

bool TakeMultiGet(absl::string_view payload, int version, std::vector<Lookup>* lookups) {
  constexpr uint64_t kParts = kMultiGetCount | kMultiGetFamilies | kMultiGetKeys;
  uint64_t parts = 0;
  uint32_t count = 0;
  absl::string_view families, keys;
  if (version < 2 || !TakeFixed(&payload, &parts) || parts != kParts ||
      !TakeFixed(&payload, &count) || !TakePart(&payload, &families) ||
      !TakePart(&payload, &keys)) {
    return false;
  }
  for (uint32_t i = 0; i < count; ++i) {
    Lookup lookup;
    if (!TakeFixed(&families, &lookup.family) || !TakePart(&keys, &lookup.key)) {
      return false;
    }
    lookups->push_back(lookup);
  }
  return payload.empty() && families.empty() && keys.empty();
}

bool TakeSeek(absl::string_view payload, int version, uint32_t* family, TracedSeek* seek) {
  uint64_t parts = kSeekFamily | kSeekKey;
  constexpr uint64_t kBounds = kSeekLowerBound | kSeekUpperBound;
  absl::string_view lower_bound;
  return (version < 2 ||
          (TakeFixed(&payload, &parts) && (parts & ~kBounds) == (kSeekFamily | kSeekKey))) &&
         TakeFixed(&payload, family) && TakePart(&payload, &seek->key) &&
         ((parts & kSeekLowerBound) == 0 || TakePart(&payload, &lower_bound)) &&
         ((parts & kSeekUpperBound) == 0 || TakePart(&payload, &seek->upper_bound)) &&
         payload.empty();
}

class TraceFile {
 public:
  explicit TraceFile(const std::string& path) : file_(path, std::ios::binary) {}

  bool is_open() const { return file_.is_open(); }
  uint64_t offset() const { return offset_; }  // offset of the last record

  enum class Found { kRecord, kNothing, kPart };

  // Reads the header of the next record.
  Found Next(ROCKSDB_NAMESPACE::TraceType* type, uint32_t* payload_bytes) {
    offset_ = end_;
    char head[kRecordHeadBytes];
    file_.read(head, sizeof(head));
    if (file_.gcount() != sizeof(head)) {
      return file_.gcount() == 0 ? Found::kNothing : Found::kPart;
    }
    absl::string_view rest(head + kTimeBytes, sizeof(head) - kTimeBytes);
    *type = static_cast<ROCKSDB_NAMESPACE::TraceType>(rest.front());
    rest.remove_prefix(1);
    TakeFixed(&rest, payload_bytes);
    end_ += kRecordHeadBytes + *payload_bytes;
    return Found::kRecord;
  }

  // Reads the payload piece by piece, so that a damaged length allocates no more memory than the
  // file's size.
  bool ReadPayload(uint32_t bytes, std::string* payload) {
    constexpr uint32_t kPiece = 1 << 20;
    payload->clear();
    while (payload->size() < bytes) {
      const size_t had = payload->size();
      payload->resize(had + std::min<size_t>(bytes - had, kPiece));
      file_.read(payload->data() + had, static_cast<std::streamsize>(payload->size() - had));
      if (!file_) {
        return false;
      }
    }
    return true;
  }

  bool SkipPayload(uint32_t bytes) {
    file_.ignore(bytes);
    return file_.gcount() == static_cast<std::streamsize>(bytes);
  }

 private:
  std::ifstream file_;
  uint64_t offset_ = 0;
  uint64_t end_ = 0;
};

std::string Count(uint64_t count, absl::string_view one, absl::string_view several) {
  return absl::StrCat(count, " ", count == 1 ? one : several);
}

}  // namespace

std::string TraceNotes::Sentence() const {
  std::vector<std::string> passed_over;
  if (of_other_families > 0) {
    passed_over.push_back(Count(of_other_families, "lookup of another column family",
                                "lookups of other column families"));
  }
  if (writes > 0) passed_over.push_back(Count(writes, "write", "writes"));
  if (seeks > 0) passed_over.push_back(Count(seeks, "seek of an iterator", "seeks of iterators"));
  if (others > 0) passed_over.push_back(Count(others, "other record", "other records"));
  std::string text;
  const std::string taken = absl::StrCat(
      Count(lookups, "lookup", "lookups"),
      taken_seeks > 0 ? absl::StrCat(" and ", Count(taken_seeks, "seek", "seeks")) : "");
  if (!passed_over.empty()) {
    text =
        absl::StrCat("taken were its ", taken, "; passed over ", absl::StrJoin(passed_over, ", "));
  }
  if (!cut_off.empty()) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", cut_off, ": read up to there, with ", taken);
  }
  return text;
}

std::string VisitTrace(const std::string& path, uint32_t family,
                       absl::FunctionRef<void(absl::string_view key)> visit, TraceNotes* notes,
                       const VisitSeek& visit_seek) {
  using Found = TraceFile::Found;
  errno = 0;
  TraceFile file(path);
  if (!file.is_open()) {
    return absl::StrCat("can't read ", path, ": ", std::strerror(errno));
  }
  ROCKSDB_NAMESPACE::TraceType type{};
  uint32_t bytes = 0;
  std::string payload;
  if (file.Next(&type, &bytes) != Found::kRecord || type != ROCKSDB_NAMESPACE::kTraceBegin ||
      bytes > kMaxPayload || !file.ReadPayload(bytes, &payload) ||
      !absl::StartsWith(payload, kTraceMagic)) {
    return absl::StrCat(path, " is not a trace of RocksDB's");
  }
  const absl::string_view rest = absl::string_view(payload).substr(kTraceMagic.size());
  const absl::string_view name = rest.substr(0, rest.find('\t'));
  const int version = name == "0.1" ? 1 : name == "0.2" ? 2 : 0;
  if (version == 0) {
    return absl::StrCat(path, " is a trace of version ", name.substr(0, 20),
                        ", and this program reads the versions 0.1 and 0.2, which RocksDB writes "
                        "up to 11.9");
  }
  std::vector<Lookup> lookups;
  for (;;) {
    const Found found = file.Next(&type, &bytes);
    const std::string place = absl::StrCat(" at byte ", file.offset());
    if (found == Found::kNothing) {
      notes->cut_off = absl::StrCat("the trace was not ended by EndTrace, or is cut off", place);
      break;
    }
    if (found == Found::kRecord && type == ROCKSDB_NAMESPACE::kTraceEnd) {
      break;
    }
    const bool is_get = type == ROCKSDB_NAMESPACE::kTraceGet;
    const bool is_lookup = is_get || type == ROCKSDB_NAMESPACE::kTraceMultiGet;
    const bool is_seek = visit_seek && type == ROCKSDB_NAMESPACE::kTraceIteratorSeek;
    const bool is_read = is_lookup || is_seek;
    const bool is_damaged =
        type <= ROCKSDB_NAMESPACE::kTraceBegin || (is_read && bytes > kMaxPayload);
    if (found == Found::kPart ||
        !(is_damaged || (is_read ? file.ReadPayload(bytes, &payload) : file.SkipPayload(bytes)))) {
      notes->cut_off = absl::StrCat("the trace is cut off in the record", place);
      break;
    }
    lookups.clear();
    TracedSeek seek;
    uint32_t family_of_seek = 0;
    if (is_damaged || (is_seek && !TakeSeek(payload, version, &family_of_seek, &seek)) ||
        (is_lookup && !(is_get ? TakeGet(payload, version, &lookups)
                               : TakeMultiGet(payload, version, &lookups)))) {
      notes->cut_off = absl::StrCat("the trace is damaged in the record", place);
      break;
    }
    for (const Lookup& lookup : lookups) {
      if (lookup.family == family) {
        ++notes->lookups;
        visit(lookup.key);
      } else {
        ++notes->of_other_families;
      }
    }
    if (is_seek && family_of_seek == family) {
      ++notes->taken_seeks;
      visit_seek(seek);
    } else if (type == ROCKSDB_NAMESPACE::kTraceWrite) {
      ++notes->writes;
    } else if (type == ROCKSDB_NAMESPACE::kTraceIteratorSeek ||
               type == ROCKSDB_NAMESPACE::kTraceIteratorSeekForPrev) {
      ++notes->seeks;
    } else if (!is_lookup) {
      ++notes->others;
    }
  }
  return std::string();
}

}  // namespace winnow::inspect
