// Notes of a filter block: bytes behind its layers that readers skip (FORMAT.md).

#ifndef WINNOW_SRC_CORE_NOTES_H_
#define WINNOW_SRC_CORE_NOTES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "winnow/builder.h"

namespace winnow::core {

inline constexpr uint8_t kRangeNote = 1;       // a range filter added by an engine
inline constexpr uint8_t kTableRangeNote = 2;  // a range filter of a RocksDB table, behind its role
inline constexpr uint8_t kTreeNote = 3;        // place of a table in its tree (tree_note.h)

// Sets up to `most` elements of `notes` to the first notes with this parameter, and returns their
// number; 0 if the block can't be used.
size_t FindNotes(std::string_view filter_block, uint8_t parameter, std::string_view* notes,
                 size_t most) noexcept;
// Returns the first note with this parameter; null data if there is none.
std::string_view NoteOf(std::string_view filter_block, uint8_t parameter) noexcept;

// Bytes of a note: the head, then the body.
struct NoteToAdd {
  std::string_view head;
  std::string_view body;
};

// Returns a copy of the block with these notes behind its other notes. The copy has no new notes if
// a body is empty, a note is too large, the block is damaged or unusable, has notes with this
// parameter already, or has no room for all notes. Throws std::bad_alloc.
FilterBlock WithNotes(std::string_view filter_block, uint8_t parameter, const NoteToAdd* notes,
                      size_t num_notes);
FilterBlock WithNote(std::string_view filter_block, uint8_t parameter, std::string_view head,
                     std::string_view body);

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_NOTES_H_
