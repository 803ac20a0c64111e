#include "tests/stress/timestamps.h"

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/slice.h>

#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "tests/stress/blame/difference.h"

namespace winnow::stress {
namespace {

using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::PinnableSlice;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::WriteOptions;

constexpr uint64_t kNow = std::numeric_limits<uint64_t>::max();

// Entries of an iterator over all versions: the key, the timestamp, and an eight-byte footer whose
// first byte is the type (RocksDB's dbformat.h).
constexpr size_t kFooterBytes = 8;
constexpr char kTypeValue = 1;

// Encodes a time so that newer versions sort first. No key is a prefix of another, so a key's
// versions are contiguous.
std::string Backwards(uint64_t time) {
  std::string text;
  for (int shift = 56; shift >= 0; shift -= 8) {
    text.push_back(static_cast<char>(~time >> shift));
  }
  return text;
}

uint64_t TimeOf(const Slice& timestamp) {
  uint64_t time = 0;
  for (size_t i = 0; i < kTimestampBytes; ++i) {
    time |= uint64_t{static_cast<unsigned char>(timestamp[i])} << (8 * i);
  }
  return time;
}

Difference About(const View& view, Question question, const char* operation, const std::string& key,
                 uint64_t time) {
  Difference difference;
  difference.question = question;
  difference.operation = operation;
  difference.family = kTimedFamily;
  difference.key = key;
  difference.timestamp = Timestamp(time);
  difference.expected = FindVersion(view.model->families[kTimedFamily], key, time);
  return difference;
}

// Read options that own their timestamp.
class OptionsAt : public ReadOptions {
 public:
  explicit OptionsAt(uint64_t time) : text_(Timestamp(time)), slice_(text_) { timestamp = &slice_; }
  OptionsAt(const OptionsAt&) = delete;
  OptionsAt& operator=(const OptionsAt&) = delete;

 private:
  const std::string text_;
  const Slice slice_;
};

void Get(const View& view, const std::string& key, uint64_t time) {
  const OptionsAt options(time);
  std::string value;
  const Status status =
      view.database->db().Get(options, view.database->family(kTimedFamily), key, &value);
  RequireAnswer(About(view, Question::kGet, "Get at a time", key, time), status, value);
}

void MultiGet(const View& view, const std::vector<std::string>& keys, uint64_t time) {
  const OptionsAt options(time);
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<PinnableSlice> values(keys.size());
  std::vector<Status> statuses(keys.size());
  view.database->db().MultiGet(options, view.database->family(kTimedFamily), keys.size(),
                               slices.data(), values.data(), statuses.data());
  for (size_t i = 0; i < keys.size(); ++i) {
    RequireAnswer(About(view, Question::kMultiGet, "MultiGet at a time", keys[i], time),
                  statuses[i], values[i].ToString());
  }
}

// Iterates over the keys of one group: by their prefix if they are in the extractor's domain, else
// in total order.
void Walk(const View& view, uint64_t group, uint64_t time, Counts* counts) {
  const Extractor& extractor = view.database->extractor(kTimedFamily);
  const std::string start = view.keys->GroupStart(group);
  const std::string end = view.keys->GroupStart(group + 1);
  const bool by_prefix = extractor.InDomain(start) && extractor.length <= start.size();
  const Slice upper_bound = end;
  OptionsAt options(time);
  options.iterate_upper_bound = &upper_bound;
  options.total_order_seek = !by_prefix;
  if (by_prefix) counts->Add(Count::kPrefixSeeks);
  const std::unique_ptr<Iterator> at(
      view.database->db().NewIterator(options, view.database->family(kTimedFamily)));
  at->Seek(start);
  const uint64_t first = group * view.keys->keys_in_group();
  for (uint64_t i = first; i < first + view.keys->keys_in_group() && i < view.keys->keys(); ++i) {
    const std::string key = view.keys->Key(i);
    counts->Add(Count::kAnswers);
    const bool is_found = at->Valid() && at->key() == key;
    Difference about = About(view, by_prefix ? Question::kPrefixSeek : Question::kTotalOrder,
                             "Seek at a time", key, time);
    about.target = start;
    RequireAnswer(about, is_found ? Status::OK() : Status::NotFound(),
                  is_found ? at->value().ToString() : "");
    if (is_found) at->Next();
  }
  Require(at->status(), "Seek at a time");
}

}  // namespace

const Comparator* TimestampComparator() {
  // Created by name, since the headers of 7.8 do not declare it.
  const Comparator* comparator = nullptr;
  const Status status = Comparator::CreateFromString(
      ROCKSDB_NAMESPACE::ConfigOptions(), "leveldb.BytewiseComparator.u64ts", &comparator);
  if (!status.ok() || comparator == nullptr || comparator->timestamp_size() != kTimestampBytes) {
    throw std::runtime_error("RocksDB has no comparator with timestamps: " + status.ToString());
  }
  return comparator;
}

std::string Timestamp(uint64_t time) {
  std::string text;
  for (int shift = 0; shift < 64; shift += 8) text.push_back(static_cast<char>(time >> shift));
  return text;
}

std::string VersionKey(const std::string& key, uint64_t time) { return key + Backwards(time); }

std::string VersionValue(const std::string& value) { return "=" + value; }

std::optional<std::string> FindVersion(const FamilyModel& versions, const std::string& key,
                                       uint64_t time) {
  const auto found = versions.lower_bound(VersionKey(key, time));
  // No key is a prefix of another, so an entry that begins with this key is one of its versions.
  if (found == versions.end() || found->first.compare(0, key.size(), key) != 0) return std::nullopt;
  if (found->second == kNoValue) return std::nullopt;
  return found->second.substr(1);
}

FamilyModel ScanVersions(const Database& database, const KeySpace& keys) {
  FamilyModel versions;
  const std::string first = Timestamp(0);
  const std::string end = keys.End();
  const Slice first_slice = first;
  const Slice upper_bound = end;
  OptionsAt options(kNow);
  options.total_order_seek = true;
  options.iter_start_ts = &first_slice;
  options.iterate_upper_bound = &upper_bound;
  const std::unique_ptr<Iterator> at(
      database.db().NewIterator(options, database.family(kTimedFamily)));
  for (at->Seek(keys.Begin()); at->Valid(); at->Next()) {
    const Slice entry = at->key();
    const size_t key_bytes = entry.size() - kTimestampBytes - kFooterBytes;
    const std::string key(entry.data(), key_bytes);
    const uint64_t time = TimeOf(Slice(entry.data() + key_bytes, kTimestampBytes));
    const bool has_value = entry[key_bytes + kTimestampBytes] == kTypeValue;
    versions[VersionKey(key, time)] = has_value ? VersionValue(at->value().ToString()) : kNoValue;
  }
  Require(at->status(), "a scan of all versions");
  return versions;
}

void WriteSomeVersion(const Database& database, Part* part, Random* random, Counts* counts) {
  // Transactions do not support such column families.
  if (database.settings().kind != DatabaseKind::kPlain) return;
  counts->Add(Count::kVersions);
  const KeySpace& keys = part->keys();
  const std::string key = keys.Key(random->Below(keys.keys()));
  const std::string value = part->NewValue(key);
  const uint64_t time = part->model().serial;
  const std::string timestamp = Timestamp(time);
  const bool is_deletion = random->Below(4) == 0;
  const Write version{Change::kPut, kTimedFamily, VersionKey(key, time),
                      is_deletion ? std::string(kNoValue) : VersionValue(value)};
  part->Do({version}, "a write with a timestamp", [&] {
    auto* const family = database.family(kTimedFamily);
    return is_deletion ? database.db().Delete(WriteOptions(), family, key, timestamp)
                       : database.db().Put(WriteOptions(), family, key, timestamp, value);
  });
}

void ReadSomeVersions(const View& view, Random* random, Counts* counts) {
  const uint64_t time = random->Below(2) == 0 ? kNow : random->Below(view.model->serial + 1);
  const uint64_t kind = random->Below(10);
  if (kind < 5) {
    counts->Add(Count::kAnswers);
    Get(view, view.keys->Key(random->Below(view.keys->keys())), time);
  } else if (kind < 8) {
    std::vector<std::string> keys;
    for (uint64_t n = 1 + random->Below(40); n > 0; --n) {
      keys.push_back(view.keys->Key(random->Below(view.keys->keys())));
    }
    counts->Add(Count::kAnswers, keys.size());
    MultiGet(view, keys, time);
  } else {
    Walk(view, random->Below(view.keys->groups()), time, counts);
  }
}

}  // namespace winnow::stress
