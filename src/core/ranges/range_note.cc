#include "src/core/ranges/range_note.h"

#include <algorithm>
#include <cmath>

#include "src/core/format.h"
#include "src/core/level_plan.h"
#include "src/core/notes.h"
#include "src/core/options.h"
#include "src/core/ranges/range_format.h"
#include "src/core/sizing.h"
#include "src/simd/kernels.h"
#include "winnow/filter.h"
#include "winnow/range_filter.h"

namespace winnow {

std::string_view RangeFilterOf(std::string_view filter_block) noexcept {
  return core::NoteOf(filter_block, core::kRangeNote);
}

FilterBlock WithRangeFilter(std::string_view filter_block, std::string_view range_filter) {
  return core::WithNote(filter_block, core::kRangeNote, {}, range_filter);
}

namespace core {
namespace {

// Head of a note, before the range filter: its role, and for a part, the number of parts.
struct RangeNoteHead {
  RangeRole role;
  unsigned parts;
  std::string_view filter;
};

// Returns false for a note that is too short or has an unknown role.
bool ReadHead(std::string_view note, RangeNoteHead* head) noexcept {
  if (note.empty()) return false;
  head->role = static_cast<RangeRole>(note.front());
  head->parts = 0;
  size_t size = 1;
  if (head->role == RangeRole::kPart) {
    if (note.size() < 2) return false;
    head->parts = static_cast<unsigned char>(note[1]);
    size = 2;
  } else if (head->role != RangeRole::kAllKeys) {
    return false;
  }
  head->filter = note.substr(size);
  return true;
}

}  // namespace

TableRanges::TableRanges(std::string_view filter_block, bool verified) noexcept {
  std::array<std::string_view, kMost + 1> notes;
  const size_t n = FindNotes(filter_block, kTableRangeNote, notes.data(), notes.size());
  if (n > kMost) return;
  for (size_t i = 0; i < n; ++i) {
    RangeNoteHead head;
    if (!ReadHead(notes[i], &head)) continue;
    Add(head.role, head.parts,
        verified ? RangeFilterView::Verified(head.filter) : RangeFilterView(head.filter),
        head.filter);
  }
}

void TableRanges::Add(RangeRole role, unsigned parts, const RangeFilterView& view,
                      std::string_view bytes) noexcept {
  if (size_ == kMost) return;
  Filter& filter = filters_[size_++];
  filter.view = view;
  filter.bytes = bytes;
  filter.role = role;
  if (role == RangeRole::kAllKeys) return;
  ++parts_;
  if (parts == 0 || (parts_expected_ != 0 && parts_expected_ != parts)) has_doubt_ = true;
  parts_expected_ = static_cast<uint8_t>(parts);
  if (view.fault() != Fault::kNone) {
    has_doubt_ = true;
    return;
  }
  filter.last_key = LastKeyOf(bytes);
  last_key_ = std::max(last_key_, filter.last_key);
}

size_t TableRanges::size_bytes() const noexcept {
  size_t bytes = 0;
  for (size_t i = 0; i < size_; ++i) bytes += filters_[i].bytes.size();
  return bytes;
}

Fault TableRanges::fault() const noexcept {
  for (size_t i = 0; i < size_; ++i) {
    if (filters_[i].view.fault() != Fault::kNone) return filters_[i].view.fault();
  }
  return Fault::kNone;
}

bool TableRanges::MayContain(std::string_view begin, std::string_view end) const noexcept {
  for (size_t i = 0; i < size_; ++i) {
    const Filter& filter = filters_[i];
    if (filter.role == RangeRole::kAllKeys && !filter.view.MayContain(begin, end)) return false;
  }
  return parts_ == 0 || AnyPartMayContain(begin, end);
}

bool TableRanges::AnyPartMayContain(std::string_view begin, std::string_view end) const noexcept {
  if (has_doubt_ || parts_ != parts_expected_ || begin >= end || end > last_key_) return true;
  for (size_t i = 0; i < size_; ++i) {
    const Filter& filter = filters_[i];
    if (filter.role != RangeRole::kPart) continue;
    // A range that ends behind the part's last key has this key, unless it begins behind the key.
    if (end <= filter.last_key ? filter.view.MayContain(begin, end) : begin <= filter.last_key) {
      return true;
    }
  }
  return false;
}

FilterBlock PassingFilter(const FilterOptions& options, uint64_t num_hashes) {
  const LayerEntry layer{LayerType::kBloom, 1, 1};
  Tail tail;
  tail.num_hashes = num_hashes;
  tail.kind = FilterKind::kBloom;
  tail.level = options.level;
  tail.target = PackRate(PlannedRate(options));
  tail.plan = PackPlan(NearestValid(options));
  tail.entries = 1;
  FilterBlock block;
  block.data = std::make_unique<char[]>(kPassingFilterBytes);
  std::fill_n(block.data.get(), simd::kBloomBlockBytes, '\xff');
  block.size = WriteDirectoryAndTail(reinterpret_cast<unsigned char*>(block.data.get()),
                                     simd::kBloomBlockBytes, &layer, tail);
  return block;
}

bool ArePositionsOfAllKeys(const TableRanges& ranges) noexcept {
  if (ranges.size() != 1 || ranges.role(0) != RangeRole::kAllKeys) return false;
  const RangeFilterKind kind = ranges.view(0).info().kind;
  return kind == RangeFilterKind::kPositions || kind == RangeFilterKind::kRetrieval;
}

bool AnswersKeys(std::string_view filter_block, const TableRanges& ranges) noexcept {
  ParsedBlock parsed;
  if (!ArePositionsOfAllKeys(ranges) || Parse(filter_block, &parsed) != Fault::kNone ||
      parsed.tail.kind != FilterKind::kBloom || ReadLayerEntry(parsed.directory, 0).count != 1) {
    return false;
  }
  return std::all_of(parsed.payload, parsed.payload + simd::kBloomBlockBytes,
                     [](unsigned char byte) { return byte == 0xff; });
}

double KeyRate(const RangeFilterView& positions) noexcept {
  const RangeFilterInfo info = positions.info();
  return info.is_exact != 0 ? 0 : std::exp2(-info.range_bits);
}

double ExpectedKeyRate(std::string_view filter_block) noexcept {
  const FilterView view(filter_block);
  if (view.fault() != Fault::kNone) return 1;
  const TableRanges ranges(filter_block);
  return AnswersKeys(filter_block, ranges) ? KeyRate(ranges.view(0)) : view.info().expected_fpr;
}

unsigned PartsOf(const std::vector<TableRange>& ranges) noexcept {
  return static_cast<unsigned>(
      std::count_if(ranges.begin(), ranges.end(),
                    [](const TableRange& range) { return range.role == RangeRole::kPart; }));
}

FilterBlock WithRangesOfTable(std::string_view filter_block,
                              const std::vector<TableRange>& ranges) {
  const char of_all[] = {static_cast<char>(RangeRole::kAllKeys)};
  const char of_part[] = {static_cast<char>(RangeRole::kPart), static_cast<char>(PartsOf(ranges))};
  std::vector<NoteToAdd> notes;
  for (const TableRange& range : ranges) {
    const bool has_all = range.role == RangeRole::kAllKeys;
    notes.push_back({has_all ? std::string_view(of_all, sizeof of_all)
                             : std::string_view(of_part, sizeof of_part),
                     range.filter.bytes()});
  }
  return WithNotes(filter_block, kTableRangeNote, notes.data(), notes.size());
}

}  // namespace core
}  // namespace winnow
