// Static libraries (ar archives), read into memory, and their object files.

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
  size_t number = 1;  // 1-based, among members of this name: archives may have several
  absl::string_view bytes;

  bool Defines(absl::string_view symbol) const;
};

struct Archive {
  std::string content;  // bytes of the file; names and members are views of them
  std::vector<Member> members;
  std::string problem;  // a clause about the file if it can't be read, else empty

  // Returns the member that defines the symbol, or null.
  const Member* MemberThatDefines(absl::string_view symbol) const;

  Archive() = default;
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
};

// Returns the file's bytes, up to a read error if there is one.
std::string ReadBytes(const std::string& path);
bool WriteBytes(const std::string& path, absl::string_view bytes);

// Reads the file at `path` into *archive; sets archive->problem on failure. Object files must be
// for this program's machine.
void ReadArchive(const std::string& path, Archive* archive);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADOPT_ARCHIVE_H_
