// Checks that the RocksDB that is loaded is the one that this library was compiled for.
//
// The layout of classes and options differs between versions of RocksDB, and calling a wrong
// version crashes or corrupts data. So this is asked before anything of RocksDB is touched.

#ifndef WINNOW_SRC_ROCKSDB_VERSION_GUARD_H_
#define WINNOW_SRC_ROCKSDB_VERSION_GUARD_H_

#include <string>
#include <string_view>

namespace winnow::plugin {

// Empty if `loaded` ("MAJOR.MINOR" or "MAJOR.MINOR.PATCH") has this MAJOR.MINOR, else a sentence
// that says what was found, what is needed and what to do.
std::string CompareVersions(std::string_view loaded, int major, int minor);

// Empty if both the loaded RocksDB and our classes have type information, or neither has, else a
// sentence as above.
std::string CompareTypeInformation(bool loaded, bool ours);

// "MAJOR.MINOR.PATCH" of the RocksDB headers that this library was compiled with.
const char* CompiledVersion() noexcept;

// Why the RocksDB that is loaded can't be used, by the two above, or empty; the string lives as
// long as the library. Asks RocksDB once. Safe from any thread.
const std::string& VersionProblem();

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_VERSION_GUARD_H_
