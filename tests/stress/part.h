// One owner's part of the database: his keys, what they hold, and the record of it.

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

  // With a write in doubt, looks which of its two outcomes the database has, and takes it; any
  // other state is a difference. To be called before anything is written.
  void Settle(const Database& database, Random* random, Counts* counts);

  // A value for the key that was not there before.
  std::string NewValue(const std::string& key);

  // Records the writes, calls `write`, and takes them into the model if it says so: all of them
  // have to happen or none. `write` throws for what it did not expect.
  void Do(const Writes& writes, const std::function<bool()>& write);

  // The same of a write that has to happen.
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
