// How the program ends when somebody ends it from outside.

#ifndef WINNOW_TOOLS_WINNOW_CLI_INTERRUPTION_H_
#define WINNOW_TOOLS_WINNOW_CLI_INTERRUPTION_H_

#include <cstddef>
#include <string>

namespace winnow::tools {

// From now on SIGINT, SIGTERM and SIGHUP end the program in order: its workers are killed and
// waited for, unfinished files are removed, and a line of progress on the terminal is taken away.
// Shells see 130, 143 and 129. A signal that is ignored, as SIGINT in a shell's background, stays
// so.
void EndInOrderWhenInterrupted();

// A file that is not whole yet: it is removed when the program is interrupted, or when this is
// destroyed, unless it was kept.
class UnfinishedFile {
 public:
  // To be there before the file is made. At most 16 at once, with paths shorter than PATH_MAX;
  // throws std::length_error beyond.
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  // The file is whole, or has another name now.
  void Keep() noexcept;

 private:
  size_t place_ = 0;
};

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_INTERRUPTION_H_
