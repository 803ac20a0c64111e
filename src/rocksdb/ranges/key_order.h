// Proof that a file's keys are in bytewise order, as a range filter requires.
//
// RocksDB tells neither a builder nor a reader of filters the order of a family's keys, and with
// another order a range filter would deny existing rows. So a builder makes one only if one of the
// following proves the order. The note that it writes (src/core/FORMAT.md) says that the order was
// proven: readers check the filter in any process, however the database was opened.
//
//   job        A policy object that was made for one compaction in a worker: PrepareOpenAndCompact,
//              or the preloaded library, compared its comparator with the database's.
//   listener   OnTableFileCreationStarted tells the builder's thread database, family and job of
//              the file, after OnFlushBegin or OnCompactionBegin reported this job (job_orders.h).
//   open       Without these two: family `default`, a flush or a compaction, and a policy object
//              that DB::Open validated before its first builder, and that was never shown another
//              order.
//
// Callers of NewTableBuilder in RocksDB 7.1 to 11.9, and the proof for their files:
//
//   caller                       reason       job  listener                        open
//   FlushJob                     kFlush       -    its family's, default's handle  default
//   CompactionJob                kCompaction  -    its family's and its inputs'    default
//     of DB::CompactFiles        kCompaction  -    - (no event when it begins)     default
//     in a worker's process      kCompaction  yes  - (no event of jobs)            -
//   WriteLevel0TableForRecovery  kRecovery    -    -                               -
//   Repairer                     kRecovery    -    -                               -
//   SstFileWriter                kMisc        -    -                               -
//   SstFileDumper                kMisc        -    -                               -
//   table_reader_bench           kMisc        -    -                               -
//
// DB::Open alone shows a policy a comparator: families that are created later, read-only and
// secondary databases, repair, SstFileWriter and SetOptions do not. So "open" assumes that the
// program does not pass the validated object to a worker that was not prepared, or to the default
// family of an open database with another order.

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
  kBytewise,  // order of the keys' bytes
  kOther,
};

// Returns the order by a comparator's name, which identifies the order, whichever object it is.
inline KeyOrder OrderOf(std::string_view comparator) {
  return comparator == ROCKSDB_NAMESPACE::BytewiseComparator()->Name() ? KeyOrder::kBytewise
                                                                       : KeyOrder::kOther;
}

// A file that is begun, as far as known to its builder's thread and policy.
struct FileOrigin {
  std::string_view family;
  ROCKSDB_NAMESPACE::TableFileCreationReason reason =
      ROCKSDB_NAMESPACE::TableFileCreationReason::kMisc;
  std::optional<KeyOrder> of_job;       // order of the worker's job; unset if there is none
  std::optional<KeyOrder> by_listener;  // unset if no listener was told of the file
  bool was_validated_first = false;     // DB::Open came before the policy's first builder
  bool was_shown_other = false;  // the policy object, or a predecessor, was shown another order
};

// Result for a file: it may have a range filter, or the reason why not.
enum class RangeProof : uint8_t {
  kProven,
  kOtherOrder,
  kNoListener,   // a listener would prove it
  kFirstFile,    // first file of a family: a listener will prove it for the next
  kOtherReason,  // neither a flush nor a compaction
};
RangeProof ProofOf(const FileOrigin& origin) noexcept;

// Key order of one compaction in a worker, for its policy object or thread.
class OrderOfJob {
 public:
  void Set(std::string family, KeyOrder order) {
    family_ = std::move(family);
    order_ = order;
  }
  // Returns nullopt if the builder is not for a file of this job.
  std::optional<KeyOrder> Of(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const noexcept;

 private:
  std::string family_;
  std::optional<KeyOrder> order_;
};

// Key orders that one policy object was shown. Thread-safe.
class OrderShown {
 public:
  // DB::Open shows a family's comparator, which is the bytewise one.
  void Validated() noexcept { Become(State::kValidated); }
  void BuilderAsked() noexcept { Become(State::kUsed); }
  bool was_validated_first() const noexcept {
    return state_.load(std::memory_order_relaxed) == State::kValidated;
  }

  // Must be set before the object is asked for a builder.
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
