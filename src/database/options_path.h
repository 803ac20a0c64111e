// Which file is meant by a path of an OPTIONS file or of a database, and whether it can be one.

#ifndef WINNOW_SRC_DATABASE_OPTIONS_PATH_H_
#define WINNOW_SRC_DATABASE_OPTIONS_PATH_H_

#include <absl/strings/string_view.h>

#include <string>

namespace winnow::inspect {

// By what a text, be there a file or not, is meant to be a path and no policy: "it has a slash", or
// "it is called like an OPTIONS file" (OPTIONS-000007, options.ini). Empty: by nothing.
absl::string_view SignOfPath(absl::string_view text);

struct OptionsPath {
  std::string path;   // of the OPTIONS file, as far as it is known
  std::string error;  // why that can't be one; empty: it can
};

// The file itself or, for a database's folder, its latest OPTIONS file. What is no regular file is
// not opened, as a pipe may never answer, and of one only the beginning is read.
OptionsPath FindOptionsFile(const std::string& path);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_OPTIONS_PATH_H_
