// The answers of a FilterSet: which files may hold a key, as bits in words of the caller's.

#ifndef WINNOW_CANDIDATES_H_
#define WINNOW_CANDIDATES_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

namespace winnow {

// Words of the caller's and how many they are. Made of a vector or an array of them, of whatever
// else has data() and size(), or of both; they must be kept while the span is in use. Word is
// uint64_t, or const uint64_t where words are only read.
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

// The files that may hold a key, in ascending order, which is the search order: to be walked. A
// view of the words to which a lookup wrote its answer: they must be kept, and a walk reads each
// when it reaches it. Bit i % 64 of word i / 64 belongs to file i.
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
    // Both must be of the same list.
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
    // Where nothing is left, bits_ is 0.
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
    size_t next_index_ = 0;           // the index of the next word's bit 0
    size_t last_ = 0;
    uint64_t bits_ = 0;  // what is left of the word before
  };
  using iterator = Iterator;
  using const_iterator = Iterator;

  CandidateList() noexcept = default;
  // The words have a bit for each of so many files, at most 2^32 - 1.
  CandidateList(const uint64_t* words, size_t files) noexcept
      : words_(words), last_(static_cast<uint32_t>(files)) {}
  // Every file from `first` on, `last` not among them: an answer without words.
  static CandidateList Every(size_t first, size_t last) noexcept {
    CandidateList list(nullptr, last);
    list.first_ = static_cast<uint32_t>(first);
    return list;
  }

  Iterator begin() const noexcept { return {words_, first_, last_}; }
  Iterator end() const noexcept { return {}; }
  bool empty() const noexcept { return begin() == end(); }
  // Counts the bits.
  size_t size() const noexcept {
    if (words_ == nullptr) return last_ - first_;
    size_t count = 0;
    for (size_t w = 0; w * 64 < last_; ++w) {
      count += static_cast<size_t>(__builtin_popcountll(words_[w]));
    }
    return count;
  }

 private:
  // 16 bytes in all, so that it is returned in registers.
  const uint64_t* words_ = nullptr;  // null: all bits are 1
  uint32_t first_ = 0;               // 0 if there are words
  uint32_t last_ = 0;
};

// The answers for a batch of keys: a row of words for each, one after the other. A view like
// CandidateList.
class CandidateRows {
 public:
  CandidateRows() noexcept = default;
  CandidateRows(const uint64_t* words, size_t files) noexcept : words_(words), files_(files) {}
  // Every file from `first` on, `last` not among them, for each key.
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
  const uint64_t* words_ = nullptr;  // null: every_, for each key
  size_t files_ = 0;
  CandidateList every_;
};

}  // namespace winnow

#endif  // WINNOW_CANDIDATES_H_
