// Handlers of the signals that interrupt a program: SIGINT, SIGTERM and SIGHUP. Signals that were
// ignored at the start, as by nohup or in a shell's background job, stay ignored.

#ifndef WINNOW_SRC_CLI_INTERRUPTION_H_
#define WINNOW_SRC_CLI_INTERRUPTION_H_

#include <atomic>
#include <string>

namespace winnow::cli {

// Installs a handler that kills worker processes and waits for them, removes unfinished files and
// clears the progress line, and then ends the program by the signal; shells report 130, 143 and
// 129.
void EndInOrderWhenInterrupted();

// Installs handlers that record the signals instead, for a program that looks now and then whether
// it has to stop. A pipe without a reader causes a write error instead of SIGPIPE. Call once,
// before other threads are started.
void CatchStopSignals();

// Installs handlers that record the first signal, for a program that ends its step before it stops;
// a second one ends it at once. System calls are not interrupted. May follow
// EndInOrderWhenInterrupted().
void StopAtSignal();

// Returns a flag that is true once one of the signals was received. Valid as long as the process.
const std::atomic<bool>* StopAsked();

// Returns the exit status for a received signal, 128 + the number of the first one; 0 if none was
// received.
int StopStatus();

// A file that is being written. The destructor, or the signal handler, removes it unless Keep() was
// called. Belongs to the main thread; several of them end in the reverse order.
class UnfinishedFile {
 public:
  // Must be constructed before the file is created.
  explicit UnfinishedFile(std::string path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  // Must be called once the file is complete or renamed.
  void Keep() noexcept { is_kept_ = true; }

  // Removes all unfinished files, in the signal handler.
  static void RemoveAll() noexcept;

 private:
  const std::string path_;
  std::atomic<bool> is_kept_{false};
  UnfinishedFile* const older_;
};

}  // namespace winnow::cli

#endif  // WINNOW_SRC_CLI_INTERRUPTION_H_
