// Work that may end its process, done in others: RocksDB as Debian builds it has assertions, and
// files may be damaged. What these processes write to stderr is dropped, and they leave no core
// file.
//
// They are forked from the calling thread: not to be used while other threads of this process hold
// locks that the work needs.

#ifndef WINNOW_SRC_WORKERS_WORKER_POOL_H_
#define WINNOW_SRC_WORKERS_WORKER_POOL_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace winnow::inspect {

struct ChildAnswer {
  std::optional<std::string> text;  // what the work returned; unset: it did not get so far
  std::string problem;              // then why, as a clause: "it ended by signal 6 (Aborted)"
};

// A sign of life of a piece of work that takes long, with something to say; at most 60 KiB.
using WorkerReport = std::function<void(std::string_view)>;

// How long work on a large file may be silent: its filter is built, or its checksums are read,
// without a word.
inline constexpr std::chrono::seconds kLongestSilence{900};

// The sentence on a file whose answer is missing for that problem.
inline std::string LostFile(const std::string& problem) {
  return "the process that read the file did not get through: " + problem;
}

struct PooledWork {
  // Called in a worker, with the number of a piece; what it returns is the answer.
  std::function<std::string(size_t piece, const WorkerReport& report)> work;

  // Called in this process, in the order of their coming; each piece has one answer. on_report may
  // be null.
  std::function<void(size_t piece, std::string_view report)> on_report;
  std::function<void(size_t piece, const ChildAnswer& answer)> on_answer;

  int workers = 1;
  // A worker that is silent for longer is ended: its piece has no answer, and another takes over.
  std::chrono::seconds longest_silence{120};
  // Tests set the time.
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

// Does the pieces 0 to `pieces` - 1 in long-lived workers, and returns when all are answered.
void RunInWorkers(size_t pieces, const PooledWork& work);

// One piece of work, which is given up on when it takes longer than the limit.
ChildAnswer AskChild(const std::function<std::string()>& work, std::chrono::seconds limit);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_WORKERS_WORKER_POOL_H_
