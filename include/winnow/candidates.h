// Answers of a FilterSet: the files that may hold a key, as a bitmap in the caller's words.

#ifndef WINNOW_CANDIDATES_H_
#define WINNOW_CANDIDATES_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

namespace winnow {

// A span of the caller's words. Converts from a vector, an array, or any type with data() and
// size(). The words must outlive the span. Word is uint64_t, or const uint64_t for words that are
// only read.
template <typename Word>
class BasicWordSpan {
 public:
  constexpr BasicWordSpan() noexcept = default;
  constexpr BasicWordSpan(Word* words, size_t size) noexcept : words_(words), size_(size) {}
  template <size_t kSize>
  constexpr BasicWordSpan(Word (&words)[kSize]) noexcept : words_(words), size_(kSize) {}
  template <typename Words, typename = std::enable_if_t<std::is_convertible_v<
                                decltype(std::declval<Words&>().data()), Word*>>>
  constexpr BasicWordSpan(Words& words) noexcept : words_(words.data()), size_(words.size()) {}

  constexpr Word* data() const noexcept { return words_; }
  constexpr size_t size() const noexcept { return size_; }

 private:
  Word* words_ = nullptr;
  size_t size_ = 0;
};

using WordSpan = BasicWordSpan<uint64_t>;
using ConstWordSpan = BasicWordSpan<const uint64_t>;

// Iterates over the files that may hold a key, in ascending order, which is the search order. A
// view of the words to which a lookup wrote its answer: the words must outlive it and are read
// during iteration. Bit i % 64 of word i / 64 belongs to file i.
class CandidateList {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = size_t;
    using difference_type = std::ptrdiff_t;
    using pointer = const size_t*;
    using reference = size_t;

    Iterator() noexcept = default;
    size_t operator*() const noexcept {
      return next_index_ - 64 + static_cast<size_t>(__builtin_ctzll(bits_));
    }
    Iterator& operator++() noexcept {
      bits_ &= bits_ - 1;
      SkipEmptyWords();
      return *this;
    }
    Iterator operator++(int) noexcept {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    // Both iterators must belong to the same list.
    friend bool operator==(const Iterator& a, const Iterator& b) noexcept {
      return a.bits_ == b.bits_ && (a.bits_ == 0 || a.next_index_ == b.next_index_);
    }
    friend bool operator!=(const Iterator& a, const Iterator& b) noexcept { return !(a == b); }

   private:
    friend class CandidateList;
    Iterator(const uint64_t* words, size_t first, size_t last) noexcept
        : next_(words), next_index_(first), last_(last) {
      SkipEmptyWords();
    }
    // Leaves bits_ 0 at the end of the list.
    void SkipEmptyWords() noexcept {
      while (bits_ == 0 && next_index_ < last_) {
        bits_ = next_ != nullptr ? *next_++ : Ones(last_ - next_index_);
        next_index_ += 64;
      }
    }
    static uint64_t Ones(size_t n) noexcept {
      return n < 64 ? (uint64_t{1} << n) - 1 : ~uint64_t{0};
    }

    const uint64_t* next_ = nullptr;  // null: all bits are 1
    size_t next_index_ = 0;           // index of bit 0 of the next word
    size_t last_ = 0;
    uint64_t bits_ = 0;  // remaining bits of the current word
  };
  using iterator = Iterator;
  using const_iterator = Iterator;

  CandidateList() noexcept = default;
  // `words` has one bit for each of `files` files; `files` is at most 2^32 - 1.
  CandidateList(const uint64_t* words, size_t files) noexcept
      : words_(words), last_(static_cast<uint32_t>(files)) {}
  // Returns a list of all files in [first, last), which needs no words.
  static CandidateList Every(size_t first, size_t last) noexcept {
    CandidateList list(nullptr, last);
    list.first_ = static_cast<uint32_t>(first);
    return list;
  }

  Iterator begin() const noexcept { return {words_, first_, last_}; }
  Iterator end() const noexcept { return {}; }
  bool empty() const noexcept { return begin() == end(); }
  // Returns the number of candidates. Takes time in proportion to the number of words.
  size_t size() const noexcept {
    if (words_ == nullptr) return last_ - first_;
    size_t count = 0;
    for (size_t w = 0; w * 64 < last_; ++w) {
      count += static_cast<size_t>(__builtin_popcountll(words_[w]));
    }
    return count;
  }

 private:
  // Fits in 16 bytes, so that a list is returned in registers.
  const uint64_t* words_ = nullptr;  // null: all bits are 1
  uint32_t first_ = 0;               // 0 if there are words
  uint32_t last_ = 0;
};

// Answers for a batch of keys: one row of words per key, in order. A view, like CandidateList.
class CandidateRows {
 public:
  CandidateRows() noexcept = default;
  CandidateRows(const uint64_t* words, size_t files) noexcept : words_(words), files_(files) {}
  // Returns rows that have all files in [first, last) for each key.
  static CandidateRows Every(size_t first, size_t last) noexcept {
    CandidateRows rows;
    rows.every_ = CandidateList::Every(first, last);
    return rows;
  }

  // Returns the candidates for key i of the batch.
  CandidateList operator[](size_t i) const noexcept {
    if (words_ == nullptr) return every_;
    return {words_ + i * ((files_ + 63) / 64), files_};
  }

 private:
  const uint64_t* words_ = nullptr;  // null: every key has every_
  size_t files_ = 0;
  CandidateList every_;
};

}  // namespace winnow

#endif  // WINNOW_CANDIDATES_H_
