// The notes of a filter block: bytes behind its layers that readers skip (FORMAT.md).

#ifndef WINNOW_SRC_CORE_NOTES_H_
#define WINNOW_SRC_CORE_NOTES_H_

#include <cstdint>
#include <string_view>

#include "winnow/builder.h"

namespace winnow::core {

inline constexpr uint8_t kRangeNote = 1;       // a range filter, as an engine adds it
inline constexpr uint8_t kTableRangeNote = 2;  // that of a RocksDB table, behind its role
inline constexpr uint8_t kTreeNote = 3;        // the table's place in its tree (tree_note.h)

// The bytes of the first note with this parameter; null if there is none, or the block can't be
// used.
std::string_view NoteOf(std::string_view filter_block, uint8_t parameter) noexcept;

// A copy of the block with a note of head and body behind its other notes. Without it, if the body
// is empty, the note too large, the block damaged or one that can't be used, or if it has such a
// note or no room for another. May throw std::bad_alloc.
FilterBlock WithNote(std::string_view filter_block, uint8_t parameter, std::string_view head,
                     std::string_view body);

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_NOTES_H_
