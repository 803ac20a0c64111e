#include "src/core/ranges/range_note.h"

#include "src/core/notes.h"
#include "winnow/range_filter.h"

namespace winnow {
namespace {

// The role of a table's range filter that has all keys of the filter beside it.
constexpr char kAllKeys = 0;

}  // namespace

std::string_view RangeFilterOf(std::string_view filter_block) noexcept {
  return core::NoteOf(filter_block, core::kRangeNote);
}

FilterBlock WithRangeFilter(std::string_view filter_block, std::string_view range_filter) {
  return core::WithNote(filter_block, core::kRangeNote, {}, range_filter);
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
