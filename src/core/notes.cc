#include "src/core/notes.h"

#include <algorithm>
#include <array>
#include <memory>

#include "src/core/format.h"

namespace winnow::core {
namespace {

size_t FindNotes(const ParsedBlock& parsed, uint8_t parameter, std::string_view* notes,
                 size_t most) noexcept {
  const Columns columns = UnpackColumns(parsed.tail.columns);
  const unsigned char* at = parsed.payload;
  size_t found = 0;
  for (unsigned i = 0; i < parsed.tail.entries && found < most; ++i) {
    const LayerEntry entry = ReadLayerEntry(parsed.directory, i);
    if (entry.type == LayerType::kNote && entry.parameter == parameter) {
      notes[found++] = {reinterpret_cast<const char*>(at), entry.count};
    }
    at += LayerBytes(entry, columns);
  }
  return found;
}

FilterBlock CopyOf(std::string_view bytes) {
  FilterBlock block{std::unique_ptr<char[]>(new char[bytes.size()]), bytes.size()};
  std::copy(bytes.begin(), bytes.end(), block.data.get());
  return block;
}

}  // namespace

size_t FindNotes(std::string_view filter_block, uint8_t parameter, std::string_view* notes,
                 size_t most) noexcept {
  ParsedBlock parsed;
  if (Parse(filter_block, &parsed) != Fault::kNone) return 0;
  return FindNotes(parsed, parameter, notes, most);
}

std::string_view NoteOf(std::string_view filter_block, uint8_t parameter) noexcept {
  std::string_view note;
  FindNotes(filter_block, parameter, &note, 1);
  return note;
}

FilterBlock WithNotes(std::string_view filter_block, uint8_t parameter, const NoteToAdd* notes,
                      size_t num_notes) {
  ParsedBlock parsed;
  std::string_view before;
  bool can_add = Parse(filter_block, &parsed) == Fault::kNone &&
                 parsed.tail.entries + num_notes <= kMaxEntries &&
                 FindNotes(parsed, parameter, &before, 1) == 0 &&
                 Checksum(parsed.payload, parsed.payload_size) == parsed.tail.payload_checksum;
  uint64_t notes_size = 0;
  for (size_t i = 0; i < num_notes; ++i) {
    const uint64_t size = uint64_t{notes[i].head.size()} + notes[i].body.size();
    can_add = can_add && !notes[i].body.empty() && size <= UINT32_MAX;
    notes_size += size;
  }
  if (!can_add) return CopyOf(filter_block);

  std::array<LayerEntry, kMaxEntries> entries;
  unsigned n = 0;
  for (; n < parsed.tail.entries; ++n) entries[n] = ReadLayerEntry(parsed.directory, n);
  FilterBlock block;
  block.size = filter_block.size() + notes_size + num_notes * kEntryBytes;
  block.data.reset(new char[block.size]);
  char* at = std::copy_n(filter_block.data(), parsed.payload_size, block.data.get());
  for (size_t i = 0; i < num_notes; ++i) {
    const NoteToAdd& note = notes[i];
    entries[n++] = {LayerType::kNote, parameter,
                    static_cast<uint32_t>(note.head.size() + note.body.size())};
    at = std::copy(note.head.begin(), note.head.end(), at);
    at = std::copy(note.body.begin(), note.body.end(), at);
  }
  Tail tail = parsed.tail;
  tail.entries = static_cast<uint8_t>(n);
  WriteDirectoryAndTail(reinterpret_cast<unsigned char*>(block.data.get()),
                        parsed.payload_size + notes_size, entries.data(), tail);
  return block;
}

FilterBlock WithNote(std::string_view filter_block, uint8_t parameter, std::string_view head,
                     std::string_view body) {
  const NoteToAdd note{head, body};
  return WithNotes(filter_block, parameter, &note, 1);
}

}  // namespace winnow::core
