// The library that is preloaded: where it is, and LD_PRELOAD with it.

#ifndef WINNOW_TOOLS_WINNOW_RUN_PRELOAD_LIBRARY_H_
#define WINNOW_TOOLS_WINNOW_RUN_PRELOAD_LIBRARY_H_

#include <string>

namespace winnow::inspect {

struct PreloadLibrary {
  std::string path;      // of the library; empty with some problems
  std::string variable;  // the value of LD_PRELOAD
  std::string problem;   // why it can't be preloaded: sentences, with what to do. Empty: it can be
};

// Finds the library of this program's own build: beside the plugin that this program runs with,
// which the library opens and which is nowhere else. So it is the one of the build folder, of the
// prefix, or of the system, wherever the loader found the plugin. `preloaded` is LD_PRELOAD as it
// is, and stays in force.
PreloadLibrary FindPreloadLibrary(const std::string& preloaded);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_RUN_PRELOAD_LIBRARY_H_
