// The rule by which a file may have a range filter: its keys are known to be in the order of their
// bytes.
//
// RocksDB tells neither a builder nor a reader of filters the order of a family's keys, and a range
// filter denies rows in any other order. So a builder makes one only where one of these proves the
// order, and the note that it writes (src/core/FORMAT.md) says that it was proven: readers ask it
// in any process, however the database was opened.
//
//   job        A policy object that was made for one compaction in a worker, whose comparator
//              PrepareOpenAndCompact compared with the database's. Or the preloaded library did.
//   listener   OnTableFileCreationStarted tells the builder's thread database, family and job of
//              the file. OnFlushBegin or OnCompactionBegin told of that job (job_orders.h).
//   open       Without both: family `default`, a flush or a compaction, and a policy object that
//              DB::Open validated before its first builder, and that was never shown another order.
//
// The callers of NewTableBuilder, in RocksDB 7.1 to 11.9, and what proves the order of their files:
//
//   caller                       reason       job  listener                        open
//   FlushJob                     kFlush       -    its family's, default's handle  default
//   CompactionJob                kCompaction  -    the same, and its inputs'       default
//     of DB::CompactFiles        kCompaction  -    - (no event when it begins)     default
//     in a worker's process      kCompaction  yes  - (no event of jobs)            - (not
//     validated)
//   WriteLevel0TableForRecovery  kRecovery    -    -                               -
//   Repairer                     kRecovery    -    -                               -
//   SstFileWriter                kMisc        -    -                               -
//   SstFileDumper                kMisc        -    -                               -
//   table_reader_bench           kMisc        -    -                               -
//
// DB::Open alone shows a policy a comparator: families that are made later, read-only and secondary
// databases, repair, writers of files and SetOptions do not. So "open" takes for granted that
// nobody hands the validated object to a worker that was not prepared, or to the default family of
// a database that is open, with another order.

#ifndef WINNOW_SRC_ROCKSDB_RANGES_KEY_ORDER_H_
#define WINNOW_SRC_ROCKSDB_RANGES_KEY_ORDER_H_

#include <rocksdb/comparator.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace winnow::plugin {

enum class KeyOrder : uint8_t {
  kUnknown,
  kBytewise,  // that of their bytes
  kOther,
};

// By a comparator's name, which tells the order, whichever object it is.
inline KeyOrder OrderOf(std::string_view comparator) {
  return comparator == ROCKSDB_NAMESPACE::BytewiseComparator()->Name() ? KeyOrder::kBytewise
                                                                       : KeyOrder::kOther;
}

// A file that is begun, as its builder's thread and policy know it.
struct FileOrigin {
  std::string_view family;
  ROCKSDB_NAMESPACE::TableFileCreationReason reason =
      ROCKSDB_NAMESPACE::TableFileCreationReason::kMisc;
  std::optional<KeyOrder> of_job;       // of a job in a worker, if this is of one
  std::optional<KeyOrder> by_listener;  // if a listener was told of the file
  bool was_validated_first = false;     // the policy object, before its first builder
  bool was_shown_other = false;         // it, or one that it replaced
};

// The verdict on a file: it may have a range filter, or why not.
enum class RangeProof : uint8_t {
  kProven,
  kOtherOrder,
  kNoListener,   // a listener would prove it
  kFirstFile,    // of a family: a listener will prove it of the next
  kOtherReason,  // neither a flush nor a compaction
};
RangeProof ProofOf(const FileOrigin& origin) noexcept;

// The order of one compaction in a worker, for which a policy object or a thread is there.
class OrderOfJob {
 public:
  void Set(std::string family, KeyOrder order) {
    family_ = std::move(family);
    order_ = order;
  }
  // Unset if the builder is not for a file of such a job.
  std::optional<KeyOrder> Of(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const noexcept;

 private:
  std::string family_;
  std::optional<KeyOrder> order_;
};

// The orders that one policy object was shown. Safe from any number of threads.
class OrderShown {
 public:
  // DB::Open shows a family's comparator, which is the bytewise one.
  void Validated() noexcept { Become(State::kValidated); }
  void BuilderAsked() noexcept { Become(State::kUsed); }
  bool was_validated_first() const noexcept {
    return state_.load(std::memory_order_relaxed) == State::kValidated;
  }

  // To be set before the object is asked for a builder.
  OrderOfJob& job() noexcept { return job_; }

 private:
  enum class State : uint8_t { kFresh, kValidated, kUsed };
  void Become(State state) noexcept {
    State fresh = State::kFresh;
    state_.compare_exchange_strong(fresh, state, std::memory_order_relaxed);
  }

  std::atomic<State> state_{State::kFresh};
  OrderOfJob job_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_RANGES_KEY_ORDER_H_
