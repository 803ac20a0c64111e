#include "src/core/filter_set.h"

#include <algorithm>

namespace winnow {
namespace {

static_assert(sizeof(KeyHash) == sizeof(uint64_t));

const uint64_t* ValuesOf(const KeyHash* hashes) {
  return reinterpret_cast<const uint64_t*>(hashes);
}

// The part of a range that a set of `size` files has.
IndexRange Clamp(IndexRange range, size_t size) noexcept {
  const size_t last = std::min(range.last, size);
  return {std::min(range.first, last), last};
}

}  // namespace

size_t FilterSet::size() const noexcept { return state_ != nullptr ? state_->ids.size() : 0; }

CandidateList FilterSet::Candidates(KeyHash hash, uint64_t* words) const noexcept {
  if (state_ == nullptr) return {};
  state_->table.AskAll(hash.value, words);
  return {words, state_->table.num_words()};
}

CandidateList FilterSet::Candidates(KeyHash hash, IndexRange range,
                                    uint64_t* words) const noexcept {
  if (state_ == nullptr) return {};
  range = Clamp(range, size());
  state_->table.AskRange(&hash.value, 1, range.first, range.last, words);
  const size_t first_word = range.first / 64;
  return {words + first_word, WordsFor(range.last) - first_word, first_word * 64};
}

CandidateList FilterSet::Candidates(KeyHash hash, const uint64_t* among,
                                    uint64_t* words) const noexcept {
  if (state_ == nullptr) return {};
  state_->table.AskBitmap(&hash.value, 1, among, words);
  return {words, num_words()};
}

CandidateList FilterSet::CandidatesOf(KeyHash hash, const uint32_t* files, size_t n,
                                      uint64_t* words) const noexcept {
  if (state_ == nullptr) {
    std::fill_n(words, WordsFor(n), 0);
    for (size_t i = 0; i < n; ++i) words[i / 64] |= uint64_t{1} << (i % 64);
  } else {
    state_->table.AskList(hash.value, files, n, words);
  }
  return {words, WordsFor(n)};
}

void FilterSet::Candidates(const KeyHash* hashes, size_t n, uint64_t* words) const noexcept {
  Candidates(hashes, n, IndexRange{0, size()}, words);
}

void FilterSet::Candidates(const KeyHash* hashes, size_t n, IndexRange range,
                           uint64_t* words) const noexcept {
  if (state_ == nullptr) return;
  range = Clamp(range, size());
  state_->table.AskRange(ValuesOf(hashes), n, range.first, range.last, words);
}

void FilterSet::Candidates(const KeyHash* hashes, size_t n, const uint64_t* among,
                           uint64_t* words) const noexcept {
  if (state_ != nullptr) state_->table.AskBitmap(ValuesOf(hashes), n, among, words);
}

uint64_t FilterSet::id(size_t index) const noexcept { return state_->ids[index]; }

std::optional<size_t> FilterSet::Find(uint64_t id) const noexcept {
  if (state_ == nullptr) return std::nullopt;
  const auto found = std::find(state_->ids.begin(), state_->ids.end(), id);
  if (found == state_->ids.end()) return std::nullopt;
  return static_cast<size_t>(found - state_->ids.begin());
}

FilterView FilterSet::filter(size_t index) const noexcept {
  return state_->files[index]->segment.view;
}

Fault FilterSet::fault(size_t index) const noexcept { return filter(index).fault(); }

std::vector<UnusableFilter> FilterSet::Unusable() const {
  std::vector<UnusableFilter> unusable;
  for (size_t i = 0; i < size(); ++i) {
    if (fault(i) != Fault::kNone) unusable.push_back({i, id(i), fault(i)});
  }
  return unusable;
}

uint64_t FilterSet::total_bytes() const noexcept {
  return state_ != nullptr ? state_->total_bytes : 0;
}

uint64_t FilterSet::copied_bytes() const noexcept {
  return state_ != nullptr ? state_->copied_bytes : 0;
}

}  // namespace winnow
