#include "tools/winnow/run/preload_library.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "src/text/printable.h"

namespace winnow::inspect {
namespace {

namespace fs = std::filesystem;

// Separators of paths in LD_PRELOAD.
constexpr char kEndsOfPaths[] = " :";

// Returns the path from which this process has loaded the library, or an empty path.
fs::path LoadedFrom(const char* name) {
  void* const library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return {};
  const link_map* map = nullptr;
  const bool is_known = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0;
  std::error_code code;
  const fs::path path = is_known ? fs::canonical(map->l_name, code) : fs::path();
  dlclose(library);
  return path;
}

// Returns the path that the loader uses for a word of LD_PRELOAD. Names without a slash are
// searched for; this process has loaded them, too.
fs::path PreloadedFrom(const std::string& word) {
  const fs::path found =
      word.find('/') == std::string::npos ? LoadedFrom(word.c_str()) : fs::path();
  return found.empty() ? fs::path(word) : found;
}

// Returns a sentence if the loader would not find the library by this path, else an empty string.
std::string WhyNotNamed(const std::string& path) {
  constexpr absl::string_view kAdvice = "Install Winnow into a folder with another name";
  const size_t end = path.find_first_of(kEndsOfPaths);
  if (end != std::string::npos) {
    return absl::StrCat("the path of the library has a ", path[end] == ' ' ? "space" : "colon",
                        ", at which the loader ends a path in LD_PRELOAD: ", Printable(path), ". ",
                        kAdvice);
  }
  if (path.find('$') != std::string::npos) {
    return absl::StrCat("the path of the library has a $, behind which the loader replaces names: ",
                        Printable(path), ". ", kAdvice);
  }
  return std::string();
}

}  // namespace

PreloadLibrary FindPreloadLibrary(const std::string& preloaded) {
  PreloadLibrary library;
  const fs::path plugin = LoadedFrom(WINNOW_PLUGIN_NAME);
  if (plugin.empty()) {
    library.problem = "this program does not run with " WINNOW_PLUGIN_NAME
                      ", beside which the library to preload is expected. Install Winnow anew";
    return library;
  }
  library.path = (plugin.parent_path() / WINNOW_PRELOAD_NAME).string();
  if (access(library.path.c_str(), R_OK) != 0) {
    library.problem = absl::StrCat(
        "there is no ", Printable(library.path),
        " that can be read, and it is expected there: beside ",
        "the plugin that this program runs with. Install the library that is preloaded as well: ",
        "the package winnow-preload has it");
    return library;
  }
  library.problem = WhyNotNamed(library.path);
  if (!library.problem.empty()) return library;
  // Winnow is last: a malloc replacement or a sanitizer must be first, and no other library defines
  // RocksDB's functions.
  library.variable = preloaded.empty() ? library.path : absl::StrCat(preloaded, ":", library.path);
  std::error_code code;
  for (const absl::string_view other :
       absl::StrSplit(preloaded, absl::ByAnyChar(kEndsOfPaths), absl::SkipEmpty())) {
    const fs::path found = PreloadedFrom(std::string(other));
    if (fs::equivalent(found, library.path, code)) {
      library.variable = preloaded;
    } else if (found.filename() == WINNOW_PRELOAD_NAME) {
      library.problem = absl::StrCat("LD_PRELOAD has ", Printable(found.string()),
                                     " already, and one Winnow is enough: expected that of this "
                                     "program, ",
                                     library.path, ". Take the other one out");
    }
  }
  return library;
}

}  // namespace winnow::inspect
