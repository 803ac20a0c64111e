#include "tests/stress/part.h"

#include <utility>

#include "tests/stress/blame/difference.h"
#include "tests/stress/reads.h"

namespace winnow::stress {

Part::Part(const std::string& folder, const KeySpace& keys)
    : path_(folder + "/journal-" + keys.Begin()), keys_(keys) {
  Recovered recovered = ReadJournal(path_);
  model_ = std::move(recovered.model);
  in_doubt_ = std::move(recovered.in_doubt);
}

void Part::Settle(const Database& database, Random* random, Counts* counts) {
  if (!in_doubt_.empty()) {
    PartModel happened = model_;
    Apply(in_doubt_, &happened);
    const PartModel found = Reads({&database, &keys_, &model_}, random, counts).Scan();
    if (found == happened) {
      counts->Add(Count::kHappened);
      model_ = std::move(happened);
    } else if (found == model_) {
      counts->Add(Count::kDidNotHappen);
    } else {
      // Reports the difference from the closer outcome: if the first difference is not at a key of
      // the write, the write is assumed not to have happened.
      const ModelDifference first = *FirstDifference(model_, found);
      Difference difference;
      difference.question = Question::kTotalOrder;
      difference.operation = "a scan after a kill, of neither of the two states that there may be";
      difference.family = first.family;
      difference.key = first.key;
      if (first.family == kTimedFamily) difference.question = Question::kStatus;
      difference.expected = first.expected;
      difference.found = first.found;
      throw DifferenceFound{difference};
    }
    in_doubt_.clear();
  }
  journal_ = std::make_unique<Journal>(path_, model_);
}

std::string Part::NewValue(const std::string& key) { return MakeValue(key, ++model_.serial); }

void Part::Do(const Writes& writes, const std::function<bool()>& write) {
  journal_->Begin(writes, model_.serial);
  const bool happened = write();
  journal_->End(happened);
  if (happened) Apply(writes, &model_);
}

void Part::Do(const Writes& writes, const char* operation,
              const std::function<ROCKSDB_NAMESPACE::Status()>& write) {
  Do(writes, [&] {
    Require(write(), operation);
    return true;
  });
}

}  // namespace winnow::stress
