#include "src/core/filter_set.h"

#include <algorithm>
#include <cassert>

namespace winnow {
namespace {

static_assert(sizeof(KeyHash) == sizeof(uint64_t));

const uint64_t* ValuesOf(const KeyHash* hashes) {
  return reinterpret_cast<const uint64_t*>(hashes);
}

// Returns the part of a range that a set of `size` files has.
IndexRange Clamp(IndexRange range, size_t size) noexcept {
  const size_t last = std::min(range.last, size);
  return {std::min(range.first, last), last};
}

// Returns true if there are fewer than `needed` words, which is a caller error.
template <typename Word>
bool AreTooFew(BasicWordSpan<Word> words, size_t needed) noexcept {
  const bool are_too_few = words.size() < needed;
  assert(!are_too_few && "fewer words than FilterSet::num_words()");
  return __builtin_expect(are_too_few, false);
}

// Returns true if there are too few words for n rows, which is a caller error.
template <typename Word>
bool AreTooFewRows(BasicWordSpan<Word> words, size_t n, size_t words_in_row) noexcept {
  // Divides, since a product might overflow.
  const bool are_too_few = words.size() / words_in_row < n;
  assert(!are_too_few && "fewer words than a row of FilterSet::num_words() for each key");
  return __builtin_expect(are_too_few, false);
}

}  // namespace

size_t FilterSet::size() const noexcept { return front_ != nullptr ? state()->table.size() : 0; }

CandidateList FilterSet::CandidatesOfAll(KeyHash hash, WordSpan words) const noexcept {
  if (front_ == nullptr) return {};
  const core::SegmentTable& table = state()->table;
  if (AreTooFew(words, table.num_words())) return CandidateList::Every(0, table.size());
  table.AskAll(hash.value, words.data());
  return {words.data(), table.size()};
}

CandidateList FilterSet::Candidates(KeyHash hash, IndexRange range, WordSpan words) const noexcept {
  if (front_ == nullptr) return {};
  range = Clamp(range, size());
  if (AreTooFew(words, num_words())) return CandidateList::Every(range.first, range.last);
  state()->table.AskRange(&hash.value, 1, range.first, range.last, words.data());
  return {words.data(), range.last};
}

CandidateList FilterSet::CandidatesAmong(KeyHash hash, ConstWordSpan among,
                                         WordSpan words) const noexcept {
  if (front_ == nullptr) return {};
  if (AreTooFew(among, num_words()) || AreTooFew(words, num_words())) {
    return CandidateList::Every(0, size());
  }
  state()->table.AskBitmap(&hash.value, 1, among.data(), words.data());
  return {words.data(), size()};
}

CandidateList FilterSet::CandidatesOf(KeyHash hash, const uint32_t* files, size_t n,
                                      WordSpan words) const noexcept {
  if (AreTooFew(words, WordsFor(n))) return CandidateList::Every(0, n);
  if (front_ == nullptr) {
    std::fill_n(words.data(), WordsFor(n), 0);
    for (size_t i = 0; i < n; ++i) words.data()[i / 64] |= uint64_t{1} << (i % 64);
  } else {
    state()->table.AskList(hash.value, files, n, words.data());
  }
  return {words.data(), n};
}

CandidateRows FilterSet::Candidates(const KeyHash* hashes, size_t n,
                                    WordSpan words) const noexcept {
  return Candidates(hashes, n, IndexRange{0, size()}, words);
}

CandidateRows FilterSet::Candidates(const KeyHash* hashes, size_t n, IndexRange range,
                                    WordSpan words) const noexcept {
  if (front_ == nullptr) return {};
  range = Clamp(range, size());
  if (AreTooFewRows(words, n, num_words())) return CandidateRows::Every(range.first, range.last);
  state()->table.AskRange(ValuesOf(hashes), n, range.first, range.last, words.data());
  return {words.data(), size()};
}

CandidateRows FilterSet::CandidatesAmong(const KeyHash* hashes, size_t n, ConstWordSpan among,
                                         WordSpan words) const noexcept {
  if (front_ == nullptr) return {};
  if (AreTooFewRows(among, n, num_words()) || AreTooFewRows(words, n, num_words())) {
    return CandidateRows::Every(0, size());
  }
  state()->table.AskBitmap(ValuesOf(hashes), n, among.data(), words.data());
  return {words.data(), size()};
}

uint64_t FilterSet::id(size_t index) const noexcept { return state()->ids[index]; }

std::optional<size_t> FilterSet::Find(uint64_t id) const noexcept {
  if (front_ == nullptr) return std::nullopt;
  const auto found = std::find(state()->ids.begin(), state()->ids.end(), id);
  if (found == state()->ids.end()) return std::nullopt;
  return static_cast<size_t>(found - state()->ids.begin());
}

FilterView FilterSet::filter(size_t index) const noexcept {
  return state()->files[index]->segment.view;
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
  return front_ != nullptr ? state()->total_bytes : 0;
}

uint64_t FilterSet::copied_bytes() const noexcept {
  return front_ != nullptr ? state()->copied_bytes : 0;
}

}  // namespace winnow
