#include "src/core/notes.h"

#include <algorithm>
#include <array>
#include <memory>

#include "src/core/format.h"

namespace winnow::core {
namespace {

std::string_view FindNote(const ParsedBlock& parsed, uint8_t parameter) noexcept {
  const Columns columns = UnpackColumns(parsed.tail.columns);
  const unsigned char* at = parsed.payload;
  for (unsigned i = 0; i < parsed.tail.entries; ++i) {
    const LayerEntry entry = ReadLayerEntry(parsed.directory, i);
    if (entry.type == LayerType::kNote && entry.parameter == parameter) {
      return {reinterpret_cast<const char*>(at), entry.count};
    }
    at += LayerBytes(entry, columns);
  }
  return {};
}

FilterBlock CopyOf(std::string_view bytes) {
  FilterBlock block{std::unique_ptr<char[]>(new char[bytes.size()]), bytes.size()};
  std::copy(bytes.begin(), bytes.end(), block.data.get());
  return block;
}

}  // namespace

std::string_view NoteOf(std::string_view filter_block, uint8_t parameter) noexcept {
  ParsedBlock parsed;
  if (Parse(filter_block, &parsed) != Fault::kNone) return {};
  return FindNote(parsed, parameter);
}

FilterBlock WithNote(std::string_view filter_block, uint8_t parameter, std::string_view head,
                     std::string_view body) {
  ParsedBlock parsed;
  const uint64_t note_size = uint64_t{head.size()} + body.size();
  if (body.empty() || note_size > UINT32_MAX || Parse(filter_block, &parsed) != Fault::kNone ||
      parsed.tail.entries == kMaxEntries || FindNote(parsed, parameter).data() != nullptr ||
      Checksum(parsed.payload, parsed.payload_size) != parsed.tail.payload_checksum) {
    return CopyOf(filter_block);
  }
  std::array<LayerEntry, kMaxEntries> entries;
  unsigned n = 0;
  for (; n < parsed.tail.entries; ++n) entries[n] = ReadLayerEntry(parsed.directory, n);
  entries[n++] = {LayerType::kNote, parameter, static_cast<uint32_t>(note_size)};
  Tail tail = parsed.tail;
  tail.entries = static_cast<uint8_t>(n);

  FilterBlock block;
  block.size = filter_block.size() + note_size + kEntryBytes;
  block.data.reset(new char[block.size]);
  char* const payload_end = std::copy_n(filter_block.data(), parsed.payload_size, block.data.get());
  char* const head_end = std::copy(head.begin(), head.end(), payload_end);
  std::copy(body.begin(), body.end(), head_end);
  WriteDirectoryAndTail(reinterpret_cast<unsigned char*>(block.data.get()),
                        parsed.payload_size + note_size, entries.data(), tail);
  return block;
}

}  // namespace winnow::core
