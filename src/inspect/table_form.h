// What a file is whose name says that it is a table: by its last bytes, before RocksDB reads it.

#ifndef WINNOW_SRC_INSPECT_TABLE_FORM_H_
#define WINNOW_SRC_INSPECT_TABLE_FORM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace winnow::inspect {

// As much of a file's end as its form can be told by; shorter files are whole.
inline constexpr size_t kFooterBytes = 53;

// Why RocksDB can't read a file that ends so as a block-based table, as a sentence about "it":
// another of RocksDB's formats, a version from the future, no table, or one that is cut off. Unset
// for a footer that is right. Pure, for any bytes.
std::optional<std::string> WhyNoTable(std::string_view end, uint64_t file_bytes);

// The same of a file; unset as well where it can't be read, which others will say.
std::optional<std::string> WhyNoTable(const std::string& path);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_INSPECT_TABLE_FORM_H_
