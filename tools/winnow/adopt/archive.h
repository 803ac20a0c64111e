// Static archives (ar), read whole, and the object files in them.

#ifndef WINNOW_TOOLS_WINNOW_ADOPT_ARCHIVE_H_
#define WINNOW_TOOLS_WINNOW_ADOPT_ARCHIVE_H_

#include <absl/strings/string_view.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tools/winnow/adopt/object_file.h"

namespace winnow::inspect {

// One file of an archive.
struct Member : ObjectSymbols {
  absl::string_view name;
  size_t number = 1;  // among those of that name: archives may have several
  absl::string_view bytes;

  bool Defines(absl::string_view symbol) const;
};

struct Archive {
  std::string content;  // which all names and bytes below are parts of
  std::vector<Member> members;
  std::string problem;  // why it can't be read: a clause about the file. Empty: it could be

  // Null where no member defines it.
  const Member* MemberThatDefines(absl::string_view symbol) const;

  Archive() = default;
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
};

// A file's bytes, as far as they can be read, and writing them: false if that fails.
std::string ReadBytes(const std::string& path);
bool WriteBytes(const std::string& path, absl::string_view bytes);

// Reads the file at `path` into *archive. Object files must be for the machine of this program.
void ReadArchive(const std::string& path, Archive* archive);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADOPT_ARCHIVE_H_
