// One owner's part of the database: keys, model and journal.

#ifndef WINNOW_TESTS_STRESS_PART_H_
#define WINNOW_TESTS_STRESS_PART_H_

#include <rocksdb/status.h>

#include <functional>
#include <memory>
#include <string>

#include "tests/stress/counts.h"
#include "tests/stress/database.h"
#include "tests/stress/journal.h"
#include "tests/stress/keys.h"
#include "tests/stress/model.h"
#include "tests/stress/settings.h"

namespace winnow::stress {

class Part {
 public:
  // Reads the model from the journal in the folder; empty if there is none.
  Part(const std::string& folder, const KeySpace& keys);

  const KeySpace& keys() const { return keys_; }
  const PartModel& model() const { return model_; }

  // Resolves a write in doubt by the state of the database, which must be one of the two outcomes;
  // any other state is a difference. Must be called before the first write.
  void Settle(const Database& database, Random* random, Counts* counts);

  // Returns a value that the key never had.
  std::string NewValue(const std::string& key);

  // Records the writes, calls `write`, and adds them to the model if it returns true: they must
  // happen atomically. `write` throws on an unexpected failure.
  void Do(const Writes& writes, const std::function<bool()>& write);

  // Records and does writes that must succeed.
  void Do(const Writes& writes, const char* operation,
          const std::function<ROCKSDB_NAMESPACE::Status()>& write);

 private:
  std::string path_;
  KeySpace keys_;
  PartModel model_;
  Writes in_doubt_;
  std::unique_ptr<Journal> journal_;
};

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_PART_H_
