// Search for the OPTIONS file of a path, and a check that it can be one.

#ifndef WINNOW_SRC_DATABASE_OPTIONS_PATH_H_
#define WINNOW_SRC_DATABASE_OPTIONS_PATH_H_

#include <absl/strings/string_view.h>

#include <string>

namespace winnow::inspect {

// Returns a reason to take a text for a path rather than a policy, "it has a slash" or "it is
// called like an OPTIONS file" (OPTIONS-000007, options.ini), or an empty string. The path need not
// exist.
absl::string_view SignOfPath(absl::string_view text);

struct OptionsPath {
  std::string path;   // path of the OPTIONS file, if known
  std::string error;  // reason why the file can't be an OPTIONS file, or empty
};

// Returns the file itself or, for a database's folder, the latest OPTIONS file. Only regular files
// are opened, as a pipe could block, and only their beginning is read.
OptionsPath FindOptionsFile(const std::string& path);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_OPTIONS_PATH_H_
