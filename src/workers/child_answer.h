// Work that may end its process, done in another one: RocksDB as Debian builds it has assertions.

#ifndef WINNOW_SRC_WORKERS_CHILD_ANSWER_H_
#define WINNOW_SRC_WORKERS_CHILD_ANSWER_H_

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace winnow::inspect {

struct ChildAnswer {
  std::optional<std::string> text;  // what the work returned; unset: it did not get so far
  std::string problem;              // then why, as a clause: "it ended by signal 6 (Aborted)"
};

// Calls `work` in a forked process and waits for what it returns, at most for the given time; then
// the process is killed. What the process writes to stderr is dropped, and it leaves no core file.
// The forked process has the calling thread alone: not to be called while other threads of this
// process hold locks that the work needs.
ChildAnswer AskChild(const std::function<std::string()>& work, std::chrono::seconds limit);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_WORKERS_CHILD_ANSWER_H_
