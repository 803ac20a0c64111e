// The notes of a filter block: bytes behind its layers that readers skip (FORMAT.md).

#ifndef WINNOW_SRC_CORE_NOTES_H_
#define WINNOW_SRC_CORE_NOTES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "winnow/builder.h"

namespace winnow::core {

inline constexpr uint8_t kRangeNote = 1;       // a range filter, as an engine adds it
inline constexpr uint8_t kTableRangeNote = 2;  // that of a RocksDB table, behind its role
inline constexpr uint8_t kTreeNote = 3;        // the table's place in its tree (tree_note.h)

// Sets the bytes of the first notes with this parameter, at most so many, and returns how many were
// set; 0 if the block can't be used.
size_t FindNotes(std::string_view filter_block, uint8_t parameter, std::string_view* notes,
                 size_t most) noexcept;
// Returns the bytes of the first one; null if there is none.
std::string_view NoteOf(std::string_view filter_block, uint8_t parameter) noexcept;

// A note's bytes: the head, then the body.
struct NoteToAdd {
  std::string_view head;
  std::string_view body;
};

// A copy of the block with these notes behind its other notes. Without any, if a body is empty, a
// note too large, the block damaged or one that can't be used, or if it has such a note or no room
// for all. May throw std::bad_alloc.
FilterBlock WithNotes(std::string_view filter_block, uint8_t parameter, const NoteToAdd* notes,
                      size_t num_notes);
FilterBlock WithNote(std::string_view filter_block, uint8_t parameter, std::string_view head,
                     std::string_view body);

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_NOTES_H_
