// Output of verbs, with checks that all of it was written.

#ifndef WINNOW_TOOLS_WINNOW_CLI_PRINT_H_
#define WINNOW_TOOLS_WINNOW_CLI_PRINT_H_

#include <absl/strings/string_view.h>

#include <string>
#include <vector>

namespace winnow::tools {

// Must be called first in main(). Opens /dev/null for closed standard streams, so that no file or
// socket gets their descriptors; lets SIGPIPE end the program without a message; and ignores
// SIGXFSZ, so that a write beyond the file size limit fails.
void PrepareStandardStreams();

// Undoes PrepareStandardStreams() before another program is executed.
void RestoreStandardStreams();

// Writes the text to standard output. Returns false, with a message on stderr, if not all of it was
// written, as on a full disk.
bool Print(absl::string_view verb, absl::string_view text);

// Prints each warning on a line of stderr.
void SayWarnings(absl::string_view verb, const std::vector<std::string>& warnings);

// Implementation of SayAllUnread().
void SayUnreadLines(absl::string_view verb, const std::vector<std::string>& lines);

// Prints a line on stderr for each file with an error. Must be called after the report on standard
// output, which leaves these errors out. On a terminal, prints at most kRowsOnTerminal lines, and
// the number of the other files.
template <typename File>
void SayAllUnread(absl::string_view verb, const std::vector<File>& files) {
  std::vector<std::string> lines;
  for (const File& file : files) {
    if (file.error) {
      lines.push_back(file.path + ": " + *file.error);
    }
  }
  SayUnreadLines(verb, lines);
}

// Replaces the file atomically: the text is written to a temporary file in its folder, which is
// then renamed, so that the old file stays on failure or interruption. Pipes and devices are
// written directly. Returns false, with a message on stderr, if not all of the text was written.
bool PrintToFile(absl::string_view verb, const std::string& path, absl::string_view text);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_PRINT_H_
