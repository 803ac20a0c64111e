// Worker processes for work that may crash: RocksDB as built by Debian has assertions, and files
// may be damaged. stderr of the workers is dropped, and they leave no core file.
//
// Workers are forked from the calling thread: other threads of this process must not hold locks
// that the work needs.

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
  std::optional<std::string> text;  // result of the work; unset: the work was not finished
  std::string problem;              // reason if unset: "it ended by signal 6 (Aborted)"
};

// Progress report of a long piece of work, with a message of at most 60 KiB.
using WorkerReport = std::function<void(std::string_view)>;

// Maximum silence of work on a large file, which reports nothing while it builds a filter or reads
// checksums.
inline constexpr std::chrono::seconds kLongestSilence{900};

// Returns the message about a file whose answer is missing because of this problem.
inline std::string LostFile(const std::string& problem) {
  return "the process that read the file did not get through: " + problem;
}

struct PooledWork {
  // Called in a worker with the index of a piece; returns the answer.
  std::function<std::string(size_t piece, const WorkerReport& report)> work;

  // Called in this process, in order of arrival; each piece has exactly one answer. on_report may
  // be null.
  std::function<void(size_t piece, std::string_view report)> on_report;
  std::function<void(size_t piece, const ChildAnswer& answer)> on_answer;

  int workers = 1;
  // Timeout: a worker that is silent for longer is killed. Its piece has no answer, and a new
  // worker takes over.
  std::chrono::seconds longest_silence{120};
  // Clock, replaced in tests.
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

// Runs the pieces 0 to `pieces` - 1 in long-lived workers, and returns when all are answered.
void RunInWorkers(size_t pieces, const PooledWork& work);

// Runs one piece of work in a child process, which is killed after the time limit.
ChildAnswer AskChild(const std::function<std::string()>& work, std::chrono::seconds limit);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_WORKERS_WORKER_POOL_H_
