// Reads of the database, each compared with the model. Differences are thrown as DifferenceFound.

#ifndef WINNOW_TESTS_STRESS_READS_H_
#define WINNOW_TESTS_STRESS_READS_H_

#include <rocksdb/iterator.h>
#include <rocksdb/options.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/stress/blame/difference.h"
#include "tests/stress/counts.h"
#include "tests/stress/database.h"
#include "tests/stress/keys.h"
#include "tests/stress/model.h"

namespace winnow::stress {

// An owner's part of a database, current or at a snapshot, and the expected contents. Nothing else
// may write to the part.
struct View {
  const Database* database;
  const KeySpace* keys;
  const PartModel* model;
  const ROCKSDB_NAMESPACE::Snapshot* snapshot = nullptr;
};

class Reads {
 public:
  Reads(const View& view, Random* random, Counts* counts);

  // Runs a read of random kind and keys.
  void Any();

  void Get(size_t family, const std::string& key);
  void MultiGet(size_t family, const std::vector<std::string>& keys);
  void MultiGetOfStrings(size_t family, const std::vector<std::string>& keys);
  void MultiGetInFamilies(const std::vector<std::string>& keys);
  void KeyMayExist(size_t family, const std::string& key);
  // Reads all keys with the target's prefix from the target on, by one of RocksDB's modes for
  // prefixes. Does nothing if the target is not in the domain of the column family's extractor.
  void PrefixSeek(size_t family, const std::string& target);
  // Reads up to 100 keys of a range from the target on, for column families with the range
  // extractor.
  void RangeSeek(size_t family, const std::string& target);
  // Finds the last key with the target's prefix that is not after the target.
  void PrefixSeekForPrev(size_t family, const std::string& target);
  // Iterates without filters: some entries forward from the target, then some back.
  void Walk(size_t family, const std::string& target, uint64_t steps);

  // Reads the whole model by iterators, and each key of the key space by MultiGet or Get, so that
  // every filter is checked for every key.
  void All();

  // Returns the part's contents by an iterator that uses no filters.
  PartModel Scan() const;

  // Choose keys like Any(): mostly keys that are often written.
  uint64_t SomeNumber();
  std::string SomeKey();

 private:
  ROCKSDB_NAMESPACE::ReadOptions Options();
  std::unique_ptr<ROCKSDB_NAMESPACE::Iterator> NewIterator(
      const ROCKSDB_NAMESPACE::ReadOptions& options, size_t family) const;
  Difference About(Question question, const char* operation, size_t family,
                   const std::string& key) const;
  void Compare(Question question, const char* operation, size_t family, const std::string& key,
               const ROCKSDB_NAMESPACE::Status& status, const std::string& value);
  // Compares the model's entries from the target on, while `is_in` returns true, up to 100.
  template <typename IsIn>
  void CompareForward(const Difference& about, ROCKSDB_NAMESPACE::Iterator* at, IsIn is_in);
  // Returns a bound after the target, within this part, which need not be a key of the key space.
  std::string SomeBound(const std::string& target);
  void CompareEntry(const Difference& about, const ROCKSDB_NAMESPACE::Iterator& at,
                    FamilyModel::const_iterator expected, bool is_expected, bool is_found);

  const View view_;
  Random* const random_;
  Counts* const counts_;
};

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_READS_H_
