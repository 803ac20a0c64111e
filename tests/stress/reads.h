// Questions to the database, each answer compared with the model. What differs is thrown as
// DifferenceFound.

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

// An owner's part of a database to be asked, as it is or as it was at the snapshot, and what must
// be found. Nobody else may write there.
struct View {
  const Database* database;
  const KeySpace* keys;
  const PartModel* model;
  const ROCKSDB_NAMESPACE::Snapshot* snapshot = nullptr;
};

class Reads {
 public:
  Reads(const View& view, Random* random, Counts* counts);

  // A read of a random kind, of random keys.
  void Any();

  void Get(size_t family, const std::string& key);
  void MultiGet(size_t family, const std::vector<std::string>& keys);
  void MultiGetOfStrings(size_t family, const std::vector<std::string>& keys);
  void MultiGetInFamilies(const std::vector<std::string>& keys);
  void KeyMayExist(size_t family, const std::string& key);
  // All keys with the prefix of the target from the target on, by one of RocksDB's ways to ask for
  // a prefix. Nothing if the family has no extractor that takes the target.
  void PrefixSeek(size_t family, const std::string& target);
  // All keys in a range from the target on, where the family's extractor is about ranges. At most a
  // hundred.
  void RangeSeek(size_t family, const std::string& target);
  // The last key with the prefix of the target that is not after it.
  void PrefixSeekForPrev(size_t family, const std::string& target);
  // Without filters: some entries on from the target, then some back.
  void Walk(size_t family, const std::string& target, uint64_t steps);

  // All that the model holds, by iterators, and each key of the key space by MultiGet and Get, so
  // that every filter is asked for every key.
  void All();

  // Returns what an iterator that asks no filter finds in the part.
  PartModel Scan() const;

  // Chooses keys as Any() does: mostly some that are written to often.
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
  // All that is in the model from the target on, while `is_in` says so, and at most a hundred.
  template <typename IsIn>
  void CompareForward(const Difference& about, ROCKSDB_NAMESPACE::Iterator* at, IsIn is_in);
  // Behind the target, of this part's keys; also where there is no key of the key space.
  std::string SomeBound(const std::string& target);
  void CompareEntry(const Difference& about, const ROCKSDB_NAMESPACE::Iterator& at,
                    FamilyModel::const_iterator expected, bool is_expected, bool is_found);

  const View view_;
  Random* const random_;
  Counts* const counts_;
};

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_READS_H_
