#include "db_bench_ext/read_amplification/lookups/readers.h"

#include <absl/strings/escaping.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <string>
#include <vector>

namespace winnow::bench {
namespace {

rocksdb::Slice ToSlice(std::string_view key) { return {key.data(), key.size()}; }

absl::Status Unexpected(const Lookups& lookups, const Asked& asked, const std::string& result) {
  return absl::InternalError(absl::StrCat(
      "the key '", absl::CHexEscape({asked.key.data(), asked.key.size()}), "' should be ",
      asked.expected == Expected::kPresent  ? "present"
      : asked.expected == Expected::kAbsent ? "absent"
                                            : "readable",
      " in ", lookups.name, ", but looking it up gives: ", result, "; the figures would be wrong"));
}

bool AsExpected(Expected expected, const rocksdb::Status& status) {
  switch (expected) {
    case Expected::kPresent:
      return status.ok();
    case Expected::kAbsent:
      return status.IsNotFound();
    case Expected::kEither:
      break;
  }
  return status.ok() || status.IsNotFound();
}

class Getter : public Reader {
 public:
  Getter(rocksdb::DB* db, const Lookups& lookups)
      : db_(db), family_(db->DefaultColumnFamily()), lookups_(lookups) {}

  absl::Status Read(const Asked* first, size_t) override {
    const Asked& asked = *first;
    value_.Reset();
    const rocksdb::Status status = db_->Get(read_, family_, ToSlice(asked.key), &value_);
    if (!AsExpected(asked.expected, status)) {
      return Unexpected(lookups_, asked, status.ToString());
    }
    if (status.ok()) {
      ++found_;
      value_bytes_ += value_.size();
    }
    return absl::OkStatus();
  }

 private:
  rocksdb::DB* const db_;
  rocksdb::ColumnFamilyHandle* const family_;
  const Lookups& lookups_;
  const rocksdb::ReadOptions read_;
  rocksdb::PinnableSlice value_;
};

class MultiGetter : public Reader {
 public:
  MultiGetter(rocksdb::DB* db, const Lookups& lookups)
      : db_(db),
        lookups_(lookups),
        keys_(lookups.batch),
        pinned_(lookups.batch),
        statuses_(lookups.batch) {}

  absl::Status Read(const Asked* asked, size_t n) override {
    keys_.resize(n);
    for (size_t i = 0; i < n; ++i) keys_[i] = ToSlice(asked[i].key);
    if (lookups_.batched) {
      for (rocksdb::PinnableSlice& value : pinned_) value.Reset();
      db_->MultiGet(read_, db_->DefaultColumnFamily(), n, keys_.data(), pinned_.data(),
                    statuses_.data());
    } else {
      statuses_ = db_->MultiGet(read_, keys_, &values_);
    }
    for (size_t i = 0; i < n; ++i) {
      if (!AsExpected(asked[i].expected, statuses_[i])) {
        return Unexpected(lookups_, asked[i], statuses_[i].ToString());
      }
      if (!statuses_[i].ok()) continue;
      ++found_;
      value_bytes_ += lookups_.batched ? pinned_[i].size() : values_[i].size();
    }
    return absl::OkStatus();
  }

 private:
  rocksdb::DB* const db_;
  const Lookups& lookups_;
  const rocksdb::ReadOptions read_;
  std::vector<rocksdb::Slice> keys_;
  std::vector<rocksdb::PinnableSlice> pinned_;
  std::vector<std::string> values_;
  std::vector<rocksdb::Status> statuses_;
};

// Seeks with a new iterator each time, as db_bench does. If the key has a prefix, the iteration
// ends with it, so that keys excluded by filters are not missed; a key without a prefix is sought
// in all files.
class Seeker : public Reader {
 public:
  Seeker(rocksdb::DB* db, const Lookups& lookups)
      : db_(db), lookups_(lookups), prefixes_(db->GetOptions().prefix_extractor) {}

  absl::Status Read(const Asked* first, size_t) override {
    const Asked& asked = *first;
    const bool has_prefix = prefixes_ != nullptr && prefixes_->InDomain(ToSlice(asked.key));
    read_.prefix_same_as_start = has_prefix;
    read_.total_order_seek = !has_prefix;
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(read_));
    iterator->Seek(ToSlice(asked.key));
    if (!iterator->status().ok()) {
      return Unexpected(lookups_, asked, iterator->status().ToString());
    }
    last_was_empty_ = !iterator->Valid();
    const bool found = iterator->Valid() && iterator->key() == ToSlice(asked.key);
    if (found != (asked.expected == Expected::kPresent) && asked.expected != Expected::kEither) {
      return Unexpected(
          lookups_, asked,
          iterator->Valid()
              ? "the key '" +
                    absl::CHexEscape(std::string(iterator->key().data(), iterator->key().size())) +
                    "'"
              : "nothing");
    }
    if (found) {
      ++found_;
      value_bytes_ += iterator->value().size();
    }
    for (uint64_t i = 0; i < lookups_.nexts && iterator->Valid(); ++i) {
      iterator->Next();
      if (iterator->Valid()) value_bytes_ += iterator->value().size();
    }
    return absl::OkStatus();
  }

 private:
  rocksdb::DB* const db_;
  const Lookups& lookups_;
  const std::shared_ptr<const rocksdb::SliceTransform> prefixes_;
  rocksdb::ReadOptions read_;
};

// Reads all rows up to the bound, with a new iterator each time, as programs read ranges.
class Scanner : public Reader {
 public:
  Scanner(rocksdb::DB* db, const Lookups& lookups) : db_(db), lookups_(lookups) {
    const auto prefixes = db->GetOptions().prefix_extractor;
    read_.auto_prefix_mode = prefixes != nullptr && !IsRangeExtractor(*prefixes);
    read_.iterate_upper_bound = &bound_;
  }

  absl::Status Read(const Asked* first, size_t) override {
    const Asked& asked = *first;
    bound_ = ToSlice(asked.bound);
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(read_));
    iterator->Seek(ToSlice(asked.key));
    last_was_empty_ = !iterator->Valid();
    if (last_was_empty_ ? asked.expected == Expected::kPresent
                        : asked.expected == Expected::kAbsent) {
      return Unexpected(lookups_, asked, last_was_empty_ ? "nothing" : "a row");
    }
    if (!last_was_empty_) ++found_;
    for (; iterator->Valid(); iterator->Next()) value_bytes_ += iterator->value().size();
    return iterator->status().ok() ? absl::OkStatus()
                                   : Unexpected(lookups_, asked, iterator->status().ToString());
  }

 private:
  // Scans need no prefix mode with this extractor.
  static bool IsRangeExtractor(const rocksdb::SliceTransform& prefixes) {
    return absl::StartsWith(prefixes.Name(), "winnow.range");
  }

  rocksdb::DB* const db_;
  const Lookups& lookups_;
  rocksdb::Slice bound_;
  rocksdb::ReadOptions read_;
};

}  // namespace

std::unique_ptr<Reader> MakeReader(rocksdb::DB* db, const Lookups& lookups) {
  switch (lookups.kind) {
    case LookupKind::kMultiGet:
      return std::make_unique<MultiGetter>(db, lookups);
    case LookupKind::kSeek:
      return std::make_unique<Seeker>(db, lookups);
    case LookupKind::kScan:
      return std::make_unique<Scanner>(db, lookups);
    case LookupKind::kGet:
      break;
  }
  return std::make_unique<Getter>(db, lookups);
}

uint64_t KeysOfCall(const Lookups& lookups) {
  return lookups.kind == LookupKind::kMultiGet ? lookups.batch : 1;
}

void PreparedCalls::Add(uint64_t call, uint64_t n) {
  const size_t begin = size_ * step_;
  const size_t keys = std::min<uint64_t>(step_, n - call * step_);
  sizes_[size_++] = keys;
  for (size_t i = 0; i < keys; ++i) {
    std::string& room = rooms_[begin + i];
    Asked& asked = asked_[begin + i];
    asked = lookups_.at(call * step_ + i, &room);
    // Keys are copied into the room: a key elsewhere may or may not be in the cache.
    if (asked.key.data() == room.data()) continue;  // a bound does too
    room.assign(asked.key);
    asked.key = room;
  }
}

}  // namespace winnow::bench
