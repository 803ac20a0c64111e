#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "src/core/filter_set.h"

namespace winnow {
namespace {

constexpr size_t kLineBytes = 64;
constexpr size_t kMaxFiles = std::numeric_limits<uint32_t>::max() - 2;

using Place = std::vector<int>::difference_type;

// Returns a copy of the bytes at a multiple of kLineBytes, as its owner.
std::shared_ptr<const void> AlignedCopy(std::string_view bytes) {
  constexpr std::align_val_t kAlignment{kLineBytes};
  void* const copy = ::operator new(std::max<size_t>(bytes.size(), 1), kAlignment);
  std::shared_ptr<const void> owner(
      copy, [](const void* memory) { ::operator delete(const_cast<void*>(memory), kAlignment); });
  if (!bytes.empty()) std::memcpy(copy, bytes.data(), bytes.size());
  return owner;
}

void CheckIndex(const char* what, size_t index, size_t limit, size_t size) {
  if (index < limit) return;
  throw std::out_of_range(std::string("FilterSetEdit::") + what + ": there is no place " +
                          std::to_string(index) + " among " + std::to_string(size) + " files");
}

void CheckRange(const char* what, IndexRange range, size_t size) {
  if (range.first <= range.last && range.last <= size) return;
  throw std::out_of_range(std::string("FilterSetEdit::") + what + ": there are no files " +
                          std::to_string(range.first) + " to " + std::to_string(range.last) +
                          " (excluded) among " + std::to_string(size));
}

void CheckCount(size_t files, size_t more) {
  if (more <= kMaxFiles - files) return;
  throw std::length_error("FilterSetEdit: more than " + std::to_string(kMaxFiles) + " files");
}

}  // namespace

FilterSet::State::State(const std::vector<std::shared_ptr<const File>>& all)
    : files(all), table([&all] {
        std::vector<const core::Segment*> segments;
        segments.reserve(all.size());
        for (const auto& file : all) segments.push_back(&file->segment);
        return core::SegmentTable(segments);
      }()) {
  only = table.only();
  ids.reserve(files.size());
  for (const auto& file : files) {
    ids.push_back(file->id);
    total_bytes += file->total_bytes;
    copied_bytes += file->copied_bytes;
  }
}

FilterSetEdit::FilterSetEdit() noexcept = default;
FilterSetEdit::~FilterSetEdit() = default;
FilterSetEdit::FilterSetEdit(FilterSetEdit&&) noexcept = default;
FilterSetEdit& FilterSetEdit::operator=(FilterSetEdit&&) noexcept = default;

FilterSetEdit::FilterSetEdit(const FilterSet& base) {
  if (base.front_ != nullptr) files_ = base.state()->files;
}

size_t FilterSetEdit::size() const noexcept { return files_.size(); }

uint64_t FilterSetEdit::id(size_t index) const {
  CheckIndex("id", index, size(), size());
  return files_[index]->id;
}

std::optional<size_t> FilterSetEdit::Find(uint64_t id) const noexcept {
  const auto found =
      std::find_if(files_.begin(), files_.end(), [id](const auto& file) { return file->id == id; });
  if (found == files_.end()) return std::nullopt;
  return static_cast<size_t>(found - files_.begin());
}

Fault FilterSetEdit::InsertCopy(size_t index, uint64_t id, std::string_view block) {
  CheckIndex("InsertCopy", index, size() + 1, size());
  std::shared_ptr<const void> copy = AlignedCopy(block);
  const std::string_view bytes(static_cast<const char*>(copy.get()), block.size());
  return Insert(index, id, bytes, std::move(copy), block.size(), PayloadCheck::kVerify);
}

Fault FilterSetEdit::InsertView(size_t index, uint64_t id, std::string_view block,
                                std::shared_ptr<const void> owner, PayloadCheck check) {
  CheckIndex("InsertView", index, size() + 1, size());
  return Insert(index, id, block, std::move(owner), 0, check);
}

Fault FilterSetEdit::Insert(size_t index, uint64_t id, std::string_view block,
                            std::shared_ptr<const void> owner, uint64_t copied_bytes,
                            PayloadCheck check) {
  CheckCount(size(), 1);
  const auto file = std::make_shared<FilterSet::File>();
  file->id = id;
  file->segment = core::TakeApart(
      block, check == PayloadCheck::kVerify ? FilterView::Verified(block) : FilterView(block));
  file->owner = std::move(owner);
  file->total_bytes = block.size();
  file->copied_bytes = copied_bytes;
  files_.insert(files_.begin() + static_cast<Place>(index), file);
  return file->segment.view.fault();
}

void FilterSetEdit::InsertFrom(size_t index, const FilterSet& from, IndexRange range) {
  CheckIndex("InsertFrom", index, size() + 1, size());
  CheckRange("InsertFrom", range, from.size());
  CheckCount(size(), range.last - range.first);
  if (range.first == range.last) return;
  const auto begin = from.state()->files.begin();
  files_.insert(files_.begin() + static_cast<Place>(index), begin + static_cast<Place>(range.first),
                begin + static_cast<Place>(range.last));
}

void FilterSetEdit::Move(size_t from, size_t to) {
  CheckIndex("Move", from, size(), size());
  CheckIndex("Move", to, size(), size());
  const auto begin = files_.begin();
  const auto first = static_cast<Place>(std::min(from, to));
  const auto last = static_cast<Place>(std::max(from, to)) + 1;
  if (from < to) {
    std::rotate(begin + first, begin + first + 1, begin + last);
  } else {
    std::rotate(begin + first, begin + last - 1, begin + last);
  }
}

void FilterSetEdit::Remove(size_t index) {
  CheckIndex("Remove", index, size(), size());
  files_.erase(files_.begin() + static_cast<Place>(index));
}

void FilterSetEdit::Remove(IndexRange range) {
  CheckRange("Remove", range, size());
  files_.erase(files_.begin() + static_cast<Place>(range.first),
               files_.begin() + static_cast<Place>(range.last));
}

bool FilterSetEdit::RemoveId(uint64_t id) {
  const std::optional<size_t> found = Find(id);
  if (found) Remove(*found);
  return found.has_value();
}

FilterSet FilterSetEdit::Build() const {
  FilterSet set;
  if (!files_.empty()) set.front_ = std::make_shared<const FilterSet::State>(files_);
  return set;
}

}  // namespace winnow
