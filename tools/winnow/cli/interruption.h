// Cleanup when the program is ended by a signal.

#ifndef WINNOW_TOOLS_WINNOW_CLI_INTERRUPTION_H_
#define WINNOW_TOOLS_WINNOW_CLI_INTERRUPTION_H_

#include <cstddef>
#include <string>

namespace winnow::tools {

// Installs a handler of SIGINT, SIGTERM and SIGHUP that kills worker processes and waits for them,
// removes unfinished files and clears the progress line, and then ends the program by the signal;
// shells report 130, 143 and 129. Ignored signals, such as SIGINT in a shell's background job, stay
// ignored.
void EndInOrderWhenInterrupted();

// A file that is being written. The destructor, or the signal handler, removes it unless Keep() was
// called.
class UnfinishedFile {
 public:
  // Must be constructed before the file is created. Throws std::length_error if the path is not
  // shorter than PATH_MAX, or if there are 16 such files already.
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  // Must be called once the file is complete or renamed.
  void Keep() noexcept;

 private:
  size_t place_ = 0;
};

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_INTERRUPTION_H_
