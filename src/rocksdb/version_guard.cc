#include "src/rocksdb/version_guard.h"

#include <rocksdb/version.h>

#define WINNOW_QUOTE_EXPANDED(text) #text
#define WINNOW_QUOTE(text) WINNOW_QUOTE_EXPANDED(text)

namespace winnow::plugin {

std::string CompareVersions(std::string_view loaded, int major, int minor) {
  const std::string needed = std::to_string(major) + "." + std::to_string(minor);
  const bool same = loaded.substr(0, needed.size()) == needed &&
                    (loaded.size() == needed.size() || loaded[needed.size()] == '.');
  if (same) {
    return {};
  }
  return "this Winnow was built for RocksDB " + needed + ", but the RocksDB that is loaded is " +
         (loaded.empty() ? std::string("of an unknown version") : std::string(loaded)) +
         "; Winnow stays out of its way: build Winnow with the headers of that version";
}

const char* CompiledVersion() noexcept {
  return WINNOW_QUOTE(ROCKSDB_MAJOR) "." WINNOW_QUOTE(ROCKSDB_MINOR) "." WINNOW_QUOTE(
      ROCKSDB_PATCH);
}

const std::string& VersionProblem() {
  // Never destroyed: a policy may be asked for while the program ends.
  static const std::string& problem = *new std::string(
      CompareVersions(ROCKSDB_NAMESPACE::GetRocksVersionAsString(), ROCKSDB_MAJOR, ROCKSDB_MINOR));
  return problem;
}

}  // namespace winnow::plugin
