// Writing a verb's output, all of it.

#ifndef WINNOW_TOOLS_WINNOW_CLI_PRINT_H_
#define WINNOW_TOOLS_WINNOW_CLI_PRINT_H_

#include <absl/strings/string_view.h>

#include <string>
#include <vector>

namespace winnow::tools {

// Call it first of all: gives standard streams that are closed to a file that can't be used, so
// that no file or socket that is opened later takes their place; lets a closed pipe end the
// program quietly, as others do; and makes the limit to the size of files an error of the write.
void PrepareStandardStreams();

// Undoes that, for a program that takes this one's place.
void RestoreStandardStreams();

// Writes the text to standard output. False if that did not take all of it, as on a full disk; said
// on stderr then.
bool Print(absl::string_view verb, absl::string_view text);

// Says each sentence on stderr, in a line.
void SayWarnings(absl::string_view verb, const std::vector<std::string>& warnings);

// For SayAllUnread.
void SayUnreadLines(absl::string_view verb, const std::vector<std::string>& lines);

// Says on stderr of each of these files that has an error that it, or what is in it, could not be
// read: one line, which names it. The report on standard output leaves that out, and comes first.
// On a terminal it says so only of as many as one can look at, and the number of the others.
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

// Writes the text to a file, under another name beside it until it is whole: what had the name
// before stays if that fails or the program is interrupted. A pipe or device is written to as it
// is. False if the file could not be written in full; said on stderr then, with its name.
bool PrintToFile(absl::string_view verb, const std::string& path, absl::string_view text);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_PRINT_H_
