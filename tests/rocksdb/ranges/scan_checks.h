// Comparison of iterators with a model's rows: forward, backward, with changes of direction,
// tailing.

#ifndef WINNOW_TESTS_ROCKSDB_RANGES_SCAN_CHECKS_H_
#define WINNOW_TESTS_ROCKSDB_RANGES_SCAN_CHECKS_H_

#include <gtest/gtest.h>
#include <rocksdb/iterator.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>

namespace winnow::testing {

using Rows = std::map<std::string, std::string>;

inline uint64_t Below(uint64_t n, std::mt19937_64* random) { return (*random)() % n; }

inline void Check(const ROCKSDB_NAMESPACE::Status& status) {
  ASSERT_TRUE(status.ok()) << status.ToString();
}

class ScanChecks {
 public:
  using Iterator = ROCKSDB_NAMESPACE::Iterator;
  using Slice = ROCKSDB_NAMESPACE::Slice;

  // `random` must outlive this object.
  explicit ScanChecks(std::mt19937_64* random) : random_(random) {}

  uint64_t scans() const { return scans_; }
  uint64_t empty() const { return empty_; }

  // Scans [begin, end) forward, backward, or with changes of direction.
  void Scan(Iterator* iterator, const Rows& rows, const std::string& begin, const std::string& end,
            const char* how) {
    const bool is_range = begin < end;
    switch (Below(8)) {
      case 0:
        if (!is_range) break;
        iterator->SeekForPrev(end);
        if (iterator->Valid() && iterator->key() == Slice(end)) iterator->Prev();
        return CompareBackward(iterator, rows, begin, end, how);
      case 1:
        if (!is_range) break;
        iterator->SeekToLast();
        return CompareBackward(iterator, rows, begin, end, how);
      case 2:
        return ScanWithTurns(iterator, rows, begin, end, how);
      default:
        break;
    }
    ScanForward(iterator, rows, begin, end, how);
  }

  // RocksDB's transaction iterators may pass the bound at uncommitted keys.
  void ScanInTransaction(Iterator* iterator, const Rows& rows, const std::string& begin,
                         const std::string& end) {
    auto row = rows.lower_bound(begin);
    const auto last = begin < end ? rows.lower_bound(end) : row;
    const auto is_there = [&] { return iterator->Valid() && iterator->key().compare(end) < 0; };
    ++scans_;
    empty_ += row == last ? 1 : 0;
    int n = 0;
    for (iterator->Seek(begin); is_there() && n < kMaxRows; ++n, iterator->Next(), ++row) {
      if (row == last || !IsAt(iterator, row)) return Wrong("in a transaction", begin, end);
    }
    Check(iterator->status());
    if (!is_there() && row != last) Wrong("in a transaction", begin, end);
  }

  // RocksDB's tailing iterators sometimes apply a merge twice, even without a prefix extractor, so
  // only keys are compared.
  void ScanTailing(Iterator* iterator, const Rows& rows, const std::string& begin,
                   const std::string& end) {
    auto row = rows.lower_bound(begin);
    const auto last = rows.lower_bound(end);
    ++scans_;
    int n = 0;
    for (iterator->Seek(begin); iterator->Valid() && n < kMaxRows; ++n, iterator->Next(), ++row) {
      if (row == last || iterator->key() != Slice(row->first)) return Wrong("tailing", begin, end);
    }
    if (!iterator->Valid() && row != last) Wrong("tailing", begin, end);
  }

  void CompareForward(Iterator* iterator, const Rows& rows, const std::string& begin,
                      const std::string& end, const char* how) {
    auto row = rows.lower_bound(begin);
    const auto last = begin < end ? rows.lower_bound(end) : row;
    ++scans_;
    empty_ += row == last ? 1 : 0;
    for (int n = 0; iterator->Valid() && n < kMaxRows; ++n, iterator->Next(), ++row) {
      if (row == last || !IsAt(iterator, row)) return Wrong(how, begin, end);
    }
    Check(iterator->status());
    if (!iterator->Valid() && row != last) Wrong(how, begin, end);
  }

  // Compares all rows that a scan returned.
  void CompareAll(const Rows& found, const Rows& rows, const std::string& begin,
                  const std::string& end, const char* how) {
    const Rows expected(rows.lower_bound(begin), rows.lower_bound(end));
    ++scans_;
    empty_ += expected.empty() ? 1 : 0;
    if (found != expected) Wrong(how, begin, end);
  }

 private:
  uint64_t Below(uint64_t n) { return testing::Below(n, random_); }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

  // Maximum number of rows to compare in a scan.
  static constexpr int kMaxRows = 60;

  void ScanForward(Iterator* iterator, const Rows& rows, const std::string& begin,
                   const std::string& end, const char* how) {
    iterator->Seek(begin);
    CompareForward(iterator, rows, begin, end, how);
  }

  void CompareBackward(Iterator* iterator, const Rows& rows, const std::string& begin,
                       const std::string& end, const char* how) {
    const auto first = rows.lower_bound(begin);
    auto row = rows.lower_bound(end);
    ++scans_;
    int n = 0;
    for (; n < kMaxRows && iterator->Valid() && !(iterator->key().compare(begin) < 0);
         ++n, iterator->Prev()) {
      if (row == first || !IsAt(iterator, --row)) return Wrong(how, begin, end);
    }
    Check(iterator->status());
    if (n < kMaxRows && row != first) Wrong(how, begin, end);
  }

  // Between changes of direction the iterator may leave the range at its beginning, but not at its
  // end.
  void ScanWithTurns(Iterator* iterator, const Rows& rows, const std::string& begin,
                     const std::string& end, const char* how) {
    auto row = rows.lower_bound(begin);
    const auto last = begin < end ? rows.lower_bound(end) : row;
    ++scans_;
    iterator->Seek(begin);
    for (int n = 0; iterator->Valid() && n < kMaxRows; ++n) {
      if (row == last || !IsAt(iterator, row)) return Wrong(how, begin, end);
      for (uint64_t back = OneIn(3) ? 1 + Below(4) : 0; back > 0; --back) {
        iterator->Prev();
        if (row == rows.begin()) {
          if (iterator->Valid()) Wrong(how, begin, end);
          return;
        }
        --row;
        if (!iterator->Valid() || !IsAt(iterator, row)) return Wrong(how, begin, end);
      }
      iterator->Next();
      ++row;
    }
    Check(iterator->status());
    if (!iterator->Valid() && row != last) Wrong(how, begin, end);
  }

  static bool IsAt(const Iterator* iterator, Rows::const_iterator row) {
    return iterator->key() == Slice(row->first) && iterator->value() == Slice(row->second);
  }

  void Wrong(const char* how, const std::string& begin, const std::string& end) {
    ADD_FAILURE() << how << " of [" << Slice(begin).ToString(true) << ", "
                  << Slice(end).ToString(true) << ") gives other rows than the model";
  }

  std::mt19937_64* const random_;
  uint64_t scans_ = 0;
  uint64_t empty_ = 0;
};

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_ROCKSDB_RANGES_SCAN_CHECKS_H_
