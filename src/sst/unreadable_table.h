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

// Returns, for a path that is no regular file, "a folder", "a pipe", "a socket" or "a device".
absl::string_view NameOf(std::filesystem::file_type type);

// Why there is nothing to open, as a sentence: no file, a folder, a pipe or a device, which would
// keep a reader waiting, or one without permission. Unset for a regular file that can be read.
std::optional<std::string> WhyNotAFile(const std::string& path);

// Why the files in a folder are not known, as a sentence.
std::string WhyNotListed(const std::string& folder, const std::error_code& code);

// Why RocksDB failed to open a regular file, as a sentence: by what its last bytes tell, or else by
// what RocksDB said.
std::string WhyNotATable(const std::string& path, const ROCKSDB_NAMESPACE::Status& failure);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_UNREADABLE_TABLE_H_
