#include "src/core/ranges/range_note.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "src/core/format.h"
#include "src/core/ranges/range_format.h"
#include "winnow/range_filter.h"

namespace winnow {
namespace {

// The role of a table's range filter that has all keys of the filter beside it.
constexpr char kAllKeys = 0;

// The bytes of the first note with this parameter in a block that was found valid; null if there is
// none.
std::string_view FindNote(const core::ParsedBlock& parsed, uint8_t parameter) noexcept {
  const core::Columns columns = core::UnpackColumns(parsed.tail.columns);
  const unsigned char* at = parsed.payload;
  for (unsigned i = 0; i < parsed.tail.entries; ++i) {
    const core::LayerEntry entry = core::ReadLayerEntry(parsed.directory, i);
    if (entry.type == core::LayerType::kNote && entry.parameter == parameter) {
      return {reinterpret_cast<const char*>(at), entry.count};
    }
    at += core::LayerBytes(entry, columns);
  }
  return {};
}

std::string_view NoteOf(std::string_view filter_block, uint8_t parameter) noexcept {
  core::ParsedBlock parsed;
  if (core::Parse(filter_block, &parsed) != Fault::kNone) return {};
  return FindNote(parsed, parameter);
}

FilterBlock CopyOf(std::string_view bytes) {
  FilterBlock block{std::unique_ptr<char[]>(new char[bytes.size()]), bytes.size()};
  std::copy(bytes.begin(), bytes.end(), block.data.get());
  return block;
}

// The block with a note behind its entries: a head and the range filter. As WithRangeFilter says, a
// copy where it can't have it.
FilterBlock WithNote(std::string_view filter_block, uint8_t parameter, std::string_view head,
                     std::string_view range_filter) {
  core::ParsedBlock parsed;
  const uint64_t note_size = uint64_t{head.size()} + range_filter.size();
  if (range_filter.empty() || note_size > UINT32_MAX ||
      core::Parse(filter_block, &parsed) != Fault::kNone ||
      parsed.tail.entries == core::kMaxEntries || FindNote(parsed, parameter).data() != nullptr ||
      core::Checksum(parsed.payload, parsed.payload_size) != parsed.tail.payload_checksum) {
    return CopyOf(filter_block);
  }
  std::array<core::LayerEntry, core::kMaxEntries> entries;
  unsigned n = 0;
  for (; n < parsed.tail.entries; ++n) entries[n] = core::ReadLayerEntry(parsed.directory, n);
  entries[n++] = {core::LayerType::kNote, parameter, static_cast<uint32_t>(note_size)};
  core::Tail tail = parsed.tail;
  tail.entries = static_cast<uint8_t>(n);

  FilterBlock block;
  block.size = filter_block.size() + note_size + core::kEntryBytes;
  block.data.reset(new char[block.size]);
  char* const payload_end = std::copy_n(filter_block.data(), parsed.payload_size, block.data.get());
  char* const head_end = std::copy(head.begin(), head.end(), payload_end);
  std::copy(range_filter.begin(), range_filter.end(), head_end);
  core::WriteDirectoryAndTail(reinterpret_cast<unsigned char*>(block.data.get()),
                              parsed.payload_size + note_size, entries.data(), tail);
  return block;
}

}  // namespace

std::string_view RangeFilterOf(std::string_view filter_block) noexcept {
  return NoteOf(filter_block, core::kRangeNote);
}

FilterBlock WithRangeFilter(std::string_view filter_block, std::string_view range_filter) {
  return WithNote(filter_block, core::kRangeNote, {}, range_filter);
}

namespace core {

std::string_view RangeFilterOfTable(std::string_view filter_block) noexcept {
  const std::string_view note = NoteOf(filter_block, kTableRangeNote);
  return note.empty() || note.front() != kAllKeys ? std::string_view() : note.substr(1);
}

FilterBlock WithRangeFilterOfTable(std::string_view filter_block, std::string_view range_filter) {
  return WithNote(filter_block, kTableRangeNote, {&kAllKeys, 1}, range_filter);
}

}  // namespace core
}  // namespace winnow
