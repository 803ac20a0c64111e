// Check that the RocksDB at run time is the one that this library was compiled for.
//
// The layout of classes and options differs between versions of RocksDB, and calling the wrong
// version crashes or corrupts data. So this check must come before any other use of RocksDB.

#ifndef WINNOW_SRC_ROCKSDB_VERSION_GUARD_H_
#define WINNOW_SRC_ROCKSDB_VERSION_GUARD_H_

#include <string>
#include <string_view>

namespace winnow::plugin {

// Returns an empty string if `loaded` ("MAJOR.MINOR" or "MAJOR.MINOR.PATCH") has this MAJOR.MINOR,
// else a sentence that says what was found, what is needed and what to do.
std::string CompareVersions(std::string_view loaded, int major, int minor);

// Returns an empty string if both the loaded RocksDB and Winnow's classes have type information, or
// neither has, else a sentence that says what to do.
std::string CompareTypeInformation(bool loaded, bool ours);

// Returns "MAJOR.MINOR.PATCH" of the RocksDB headers that this library was compiled with.
const char* CompiledVersion() noexcept;

// Returns the result of CompareVersions and CompareTypeInformation for the loaded RocksDB: empty if
// it can be used, else a sentence. The string lives as long as the library. The check runs once.
// Thread-safe.
const std::string& VersionProblem();

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_VERSION_GUARD_H_
