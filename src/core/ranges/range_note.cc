#include <algorithm>
#include <array>
#include <cstdint>

#include "src/core/format.h"
#include "src/core/ranges/range_format.h"
#include "winnow/range_filter.h"

namespace winnow {
namespace {

// The range filter's bytes in a block that was found valid; null if there is none.
std::string_view FindNote(const core::ParsedBlock& parsed) noexcept {
  const core::Columns columns = core::UnpackColumns(parsed.tail.columns);
  const unsigned char* at = parsed.payload;
  for (unsigned i = 0; i < parsed.tail.entries; ++i) {
    const core::LayerEntry entry = core::ReadLayerEntry(parsed.directory, i);
    if (entry.type == core::LayerType::kNote && entry.parameter == core::kRangeNote) {
      return {reinterpret_cast<const char*>(at), entry.count};
    }
    at += core::LayerBytes(entry, columns);
  }
  return {};
}

FilterBlock CopyOf(std::string_view bytes) {
  FilterBlock block{std::unique_ptr<char[]>(new char[bytes.size()]), bytes.size()};
  std::copy(bytes.begin(), bytes.end(), block.data.get());
  return block;
}

}  // namespace

std::string_view RangeFilterOf(std::string_view filter_block) noexcept {
  core::ParsedBlock parsed;
  if (core::Parse(filter_block, &parsed) != Fault::kNone) return {};
  return FindNote(parsed);
}

FilterBlock WithRangeFilter(std::string_view filter_block, std::string_view range_filter) {
  core::ParsedBlock parsed;
  if (range_filter.empty() || range_filter.size() > UINT32_MAX ||
      core::Parse(filter_block, &parsed) != Fault::kNone ||
      parsed.tail.entries == core::kMaxEntries || FindNote(parsed).data() != nullptr ||
      core::Checksum(parsed.payload, parsed.payload_size) != parsed.tail.payload_checksum) {
    return CopyOf(filter_block);
  }
  std::array<core::LayerEntry, core::kMaxEntries> entries;
  unsigned n = 0;
  for (; n < parsed.tail.entries; ++n) entries[n] = core::ReadLayerEntry(parsed.directory, n);
  entries[n++] = {core::LayerType::kNote, core::kRangeNote,
                  static_cast<uint32_t>(range_filter.size())};
  core::Tail tail = parsed.tail;
  tail.entries = static_cast<uint8_t>(n);

  FilterBlock block;
  block.size = filter_block.size() + range_filter.size() + core::kEntryBytes;
  block.data.reset(new char[block.size]);
  char* const end = std::copy_n(filter_block.data(), parsed.payload_size, block.data.get());
  std::copy(range_filter.begin(), range_filter.end(), end);
  core::WriteDirectoryAndTail(reinterpret_cast<unsigned char*>(block.data.get()),
                              parsed.payload_size + range_filter.size(), entries.data(), tail);
  return block;
}

}  // namespace winnow
