// Offsets of the blocks in a block-based SST file, and the bytes that neither a checksum nor the
// meaning of the footer covers. Parsed by independent code, for tests that damage files.

#ifndef WINNOW_TESTS_TOOLS_DAMAGED_LAYOUT_H_
#define WINNOW_TESTS_TOOLS_DAMAGED_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::testing {

// A block with its trailer: the compression type, and a checksum of both.
struct LaidBlock {
  // "data", "index", "index partition", "filter", "filter partition", "metaindex", "properties" or
  // the metaindex's name of the block. "blocks" means several blocks, if the index is compressed
  // and can't be parsed.
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
  std::vector<LaidBlock> blocks;  // sorted by offset
  size_t footer = 0;              // offset of the footer
  // Offset of the eight bytes that an ingestion may overwrite, which RocksDB omits from the
  // properties' checksum; 0 if the file has none.
  size_t global_seqno = 0;
};

inline constexpr size_t kFooterBytes = 53;
inline constexpr size_t kTrailerBytes = 5;

// Parses the last bytes of a file, which may be damaged.
LaidFooter ParseFooter(std::string_view file);

// Returns the layout of an undamaged file. Throws std::runtime_error if it is not as expected.
SstLayout LayoutOf(std::string_view file);

// Returns a short phrase that says why the change is not covered; empty if it is, so that the file
// must be reported. `file` and `damaged` must differ and have equal sizes. Files without checksums
// must have Winnow's filters, which have their own.
std::string WhyNotCovered(std::string_view file, const SstLayout& layout, std::string_view damaged);

// Results of WhyNotCovered().
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
