#include "src/rocksdb/version_guard.h"

#include <rocksdb/version.h>

#include "third_party/rocksdb_abi/type_information.h"

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

std::string CompareTypeInformation(bool loaded, bool ours) {
  const auto with = [](bool has) { return std::string(has ? "with" : "without"); };
  return loaded == ours
             ? std::string()
             : "this Winnow was built for a RocksDB " + with(ours) +
                   " type information (RTTI), but the one that is loaded was built " +
                   with(loaded) + "; Winnow stays out of its way: build Winnow with that RocksDB";
}

const char* CompiledVersion() noexcept {
  return WINNOW_QUOTE(ROCKSDB_MAJOR) "." WINNOW_QUOTE(ROCKSDB_MINOR) "." WINNOW_QUOTE(
      ROCKSDB_PATCH);
}

const std::string& VersionProblem() {
  // Never destroyed: a policy may be made while the program exits.
  static const std::string& problem = *[] {
    auto* const found = new std::string(CompareVersions(
        ROCKSDB_NAMESPACE::GetRocksVersionAsString(), ROCKSDB_MAJOR, ROCKSDB_MINOR));
    if (found->empty()) {
      *found = CompareTypeInformation(rocksdb_abi::HasTypeInformation(),
                                      rocksdb_abi::kHaveTypeInformation);
    }
    return found;
  }();
  return problem;
}

}  // namespace winnow::plugin
