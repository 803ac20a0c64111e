// Path of the library that is preloaded, and the value of LD_PRELOAD.

#ifndef WINNOW_TOOLS_WINNOW_RUN_PRELOAD_LIBRARY_H_
#define WINNOW_TOOLS_WINNOW_RUN_PRELOAD_LIBRARY_H_

#include <string>

namespace winnow::inspect {

struct PreloadLibrary {
  std::string path;      // path of the library; empty with some problems
  std::string variable;  // the value of LD_PRELOAD
  std::string problem;   // sentences that say why it can't be preloaded, and what to do; else empty
};

// Finds the library next to the plugin that this program is linked with, and so in the same build
// tree or installation. `preloaded` is the current LD_PRELOAD, whose libraries are kept.
PreloadLibrary FindPreloadLibrary(const std::string& preloaded);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_RUN_PRELOAD_LIBRARY_H_
