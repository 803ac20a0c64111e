// Messages about a path that RocksDB does not open as an SST file.

#ifndef WINNOW_SRC_SST_UNREADABLE_TABLE_H_
#define WINNOW_SRC_SST_UNREADABLE_TABLE_H_

#include <absl/strings/string_view.h>
#include <rocksdb/status.h>

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

namespace winnow::inspect {

// Returns "a folder", "a pipe", "a socket" or "a device" for a path that is no regular file.
absl::string_view NameOf(std::filesystem::file_type type);

// Returns a sentence if the path can't be opened as a file: it does not exist, is a folder, is a
// pipe or device, which would block a reader, or permission is missing. nullopt for a readable
// regular file.
std::optional<std::string> WhyNotAFile(const std::string& path);

// Returns a sentence that says why a folder could not be listed.
std::string WhyNotListed(const std::string& folder, const std::error_code& code);

// Returns a sentence that says why RocksDB failed to open a regular file, from the end of the file
// or else from RocksDB's message.
std::string WhyNotATable(const std::string& path, const ROCKSDB_NAMESPACE::Status& failure);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_UNREADABLE_TABLE_H_
