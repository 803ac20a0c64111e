// Where the blocks of a block-based SST file lie, and which of its bytes nothing covers: neither
// a checksum nor the meaning of the footer. Read by code of its own, for tests that damage files.

#ifndef WINNOW_TESTS_TOOLS_DAMAGED_LAYOUT_H_
#define WINNOW_TESTS_TOOLS_DAMAGED_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::testing {

// A block with its trailer: the type of its compression, and a checksum over both.
struct LaidBlock {
  // "data", "index", "index partition", "filter", "filter partition", "metaindex", "properties" or
  // the name that the metaindex has for it. "blocks": several, where the index can't be parsed as
  // it is compressed.
  std::string role;
  size_t offset = 0;
  size_t bytes = 0;
};

// A footer of format versions 1 to 5.
struct LaidFooter {
  int checksum_type = 0;
  uint64_t metaindex_offset = 0;
  uint64_t metaindex_bytes = 0;
  uint64_t index_offset = 0;
  uint64_t index_bytes = 0;
  uint32_t version = 0;
  uint64_t magic = 0;
};

struct SstLayout {
  std::vector<LaidBlock> blocks;  // in the order of the file
  size_t footer = 0;              // its offset
  // The eight bytes that an ingestion may overwrite, and that RocksDB leaves out of the checksum of
  // the properties; 0 where the file has none.
  size_t global_seqno = 0;
};

inline constexpr size_t kFooterBytes = 53;
inline constexpr size_t kTrailerBytes = 5;

// Parses the last bytes of a file, which may be damaged.
LaidFooter ParseFooter(std::string_view file);

// The layout of a file that is not damaged. Throws std::runtime_error if it is not as expected.
SstLayout LayoutOf(std::string_view file);

// Why nothing covers what was changed, as a short phrase; empty: something does, so that the file
// must be named. The two have the same length, and differ. A file without checksums has filters of
// Winnow, which have some of their own.
std::string WhyNotCovered(std::string_view file, const SstLayout& layout, std::string_view damaged);

// All that WhyNotCovered answers.
inline constexpr std::string_view kPadding = "the padding of the footer";
inline constexpr std::string_view kVersionReadAlike =
    "a format version in the footer under which the same bytes are read alike";
inline constexpr std::string_view kNoChecksums =
    "a block other than Winnow's filters, in a file without checksums";
inline constexpr std::string_view kGlobalSeqno =
    "the sequence number that an ingestion writes into the file";
inline constexpr std::string_view kBetweenBlocks = "bytes between blocks that align them";

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_TOOLS_DAMAGED_LAYOUT_H_
