#include "tests/stress/session.h"

#include <rocksdb/db.h>

#include <csignal>
#include <string>
#include <thread>
#include <utility>

#include "tests/stress/blame/difference.h"
#include "tests/stress/reads.h"
#include "tests/stress/timestamps.h"
#include "tests/stress/upkeep.h"
#include "tests/stress/writes.h"

namespace winnow::stress {

using ROCKSDB_NAMESPACE::Snapshot;

// Snapshots held by a thread, with the model at that time.
class Snapshots {
 public:
  Snapshots(Database* database, Counts* counts) : database_(database), counts_(counts) {}
  ~Snapshots() {
    for (const Held& held : held_) database_->db().ReleaseSnapshot(held.snapshot);
  }
  Snapshots(const Snapshots&) = delete;
  Snapshots& operator=(const Snapshots&) = delete;

  void TakeOrRelease(const PartModel& model) {
    if (held_.size() < 2) {
      counts_->Add(Count::kSnapshots);
      held_.push_back({database_->db().GetSnapshot(), model});
    } else {
      database_->db().ReleaseSnapshot(held_.front().snapshot);
      held_.erase(held_.begin());
    }
  }

  void Read(const KeySpace& keys, Random* random) const {
    if (held_.empty()) return;
    const Held& held = held_[random->Below(held_.size())];
    Reads({database_, &keys, &held.model, held.snapshot}, random, counts_).Any();
  }

 private:
  struct Held {
    const Snapshot* snapshot;
    PartModel model;
  };
  Database* const database_;
  Counts* const counts_;
  std::vector<Held> held_;
};

void ThrowIfWatchedReaderWasWrong() {
  if (!Watch::HasWrongAnswer()) return;
  Difference difference;
  difference.operation = "a reader's answer is not its filter's";
  throw DifferenceFound{difference};
}

Session::Session(Database* database, const LifePlan& plan, Counts* counts, uint64_t seed)
    : database_(database), plan_(plan), counts_(counts), seed_(seed) {
  Random random(seed);
  // Sessions differ from very short ones to some with many flushes.
  operations_ = 1 + random.Below(2 * plan.operations);
}

std::optional<Finding> Session::Run(const std::vector<std::unique_ptr<Part>>& parts) {
  Fill(parts.back().get());
  std::vector<std::thread> threads;
  working_ = static_cast<unsigned>(parts.size() - 1);
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    threads.emplace_back([this, &parts, i] { Work(parts[i].get(), seed_ + 100 * (i + 1)); });
  }
  threads.emplace_back([this, &parts] { ReadOnly(parts, seed_ + 7); });
  for (std::thread& thread : threads) thread.join();
  return std::move(finding_);
}

template <typename Do>
void Session::UntilDifference(Do work) {
  try {
    work();
  } catch (const DifferenceFound& found) {
    stop_ = true;
    const Gate::Shared inside(&database_->gate);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!finding_) finding_ = LookCloser(found.difference, *database_);
  }
}

void Session::Fill(Part* stable) {
  Random random(seed_ + 1);
  WriteOperations writes(*database_, stable, plan_.with_merges, &random, counts_);
  for (uint64_t n = 1 + random.Below(operations_); n > 0; --n) writes.Any();
  writes.Ingest();
}

void Session::Work(Part* part, uint64_t seed) {
  Random random(seed);
  Snapshots snapshots(database_, counts_);
  UntilDifference([&] {
    for (uint64_t i = 0; i < operations_ && !stop_; ++i) {
      if (i == operations_ / 2) GoWrong(part);
      OneOperation(part, &snapshots, &random);
      ThrowIfWatchedReaderWasWrong();
    }
  });
  --working_;
}

void Session::GoWrong(Part* part) {
  const std::string key = part->keys().Key(0);
  if (plan_.fault == Fault::kSignal) raise(SIGTERM);
  if (plan_.fault == Fault::kLostWrite) {
    // Several keys, since one may be overwritten before it is read.
    for (uint64_t i = 0; i < 20; ++i) {
      const std::string lost = part->keys().Key(i);
      part->Do({{Change::kPut, 0, lost, part->NewValue(lost)}}, [] { return true; });
    }
  }
  if (plan_.fault == Fault::kMisheard) {
    Difference difference;
    difference.question = Question::kGet;
    difference.operation = "Get";
    difference.key = key;
    difference.expected = part->model().Find(0, key);
    throw DifferenceFound{difference};
  }
}

void Session::OneOperation(Part* part, Snapshots* snapshots, Random* random) {
  counts_->Add(Count::kOperations);
  const uint64_t kind = random->Below(10'000);
  // A repeated seek under another extractor does not use the range filter that rejected the range.
  if (kind < 2 && plan_.fault != Fault::kDeniedRange) {
    ChangeSomeExtractor(database_, random, counts_);
    return;
  }
  WriteOperations writes(*database_, part, plan_.with_merges, random, counts_);
  if (kind < 18 && kIngestsAlone) {
    const Gate::Alone alone(&database_->gate);
    writes.Ingest();
    return;
  }
  const Gate::Shared inside(&database_->gate);
  if (kind < 18) {
    writes.Ingest();
  } else if (kind < 30) {
    SomeUpkeep(*database_, random, counts_);
  } else if (kind < 41 && !plan_.with_merges) {
    snapshots->TakeOrRelease(part->model());
  } else if (kind < 200) {
    WriteSomeVersion(*database_, part, random, counts_);
  } else if (kind < 500) {
    ReadSomeVersions({database_, &part->keys(), &part->model()}, random, counts_);
  } else if (kind < 1'000) {
    snapshots->Read(part->keys(), random);
  } else if (kind < 1'005 && plan_.plans) {
    ChangeSomePlan(*database_, random, counts_);
  } else if (kind < 6'000) {
    Reads({database_, &part->keys(), &part->model()}, random, counts_).Any();
  } else {
    writes.Any();
  }
}

// Reads the stable part, and checks that values of other parts belong to their keys.
void Session::ReadOnly(const std::vector<std::unique_ptr<Part>>& parts, uint64_t seed) {
  Random random(seed);
  const Part& stable = *parts.back();
  UntilDifference([&] {
    while (working_ > 0 && !stop_) {
      counts_->Add(Count::kOperations);
      const Gate::Shared inside(&database_->gate);
      Reads({database_, &stable.keys(), &stable.model()}, &random, counts_).Any();
      const KeySpace& others = parts[random.Below(parts.size())]->keys();
      const std::string key = others.Key(random.Below(others.keys()));
      const size_t family = random.Below(kFamilies);
      std::string value;
      const ROCKSDB_NAMESPACE::Status status = database_->db().Get(
          ROCKSDB_NAMESPACE::ReadOptions(), database_->family(family), key, &value);
      if (!status.IsNotFound()) Require(status, "Get of another thread's key");
      counts_->Add(Count::kAnswers);
      if (status.ok() && !IsValueOf(key, value)) {
        Difference difference;
        difference.operation = "Get of another thread's key gives the value of none of its writes";
        difference.family = family;
        difference.key = key;
        difference.found = value;
        throw DifferenceFound{difference};
      }
    }
  });
}

}  // namespace winnow::stress
