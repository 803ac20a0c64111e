// FilterSet, which asks many filters at once which files of an LSM tree may hold a key.
//
// An engine keeps one FilterSet in each version of its tree, with the filters of that version's
// files in search order, newest first. A lookup hashes its key once and asks all filters together;
// a flush or a compaction builds the next version's set from the current one.
//
//     std::vector<uint64_t> words(set.num_words());
//     for (const size_t i : set.Candidates(HashKey(key), words)) {
//       if (files[i].Get(key, &value)) return true;
//     }

#ifndef WINNOW_FILTER_SET_H_
#define WINNOW_FILTER_SET_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "winnow/candidates.h"
#include "winnow/filter.h"
#include "winnow/hash.h"
#include "winnow/version.h"

namespace winnow {

// Half-open range of indices: [first, last).
struct IndexRange {
  size_t first = 0;
  size_t last = 0;
};

// A file whose filter can't be used; the file is a candidate of every lookup.
struct UnusableFilter {
  size_t index = 0;
  uint64_t id = 0;
  Fault fault = Fault::kNone;
};

// Filters of a version's files, in search order. A file is identified by its index, from 0 on, and
// has an id, a number that the caller chooses and the set does not interpret.
//
// Immutable and cheap to copy: copies share all filters and keep them alive. Any number of threads
// may use a set and its copies at once. Assigning to a FilterSet while another thread reads the
// same object is a race, as with a shared_ptr: replace a tree's current set under the lock, or in
// the version object, that protects the rest of the tree.
//
// Lookups never throw, never allocate, use at most 24 KiB of stack and never read outside the
// filters' bytes, even if these are damaged. There are no false negatives: a file that holds the
// key is a candidate, and so is every file whose filter can't be used. Other files are candidates
// at the false-positive rate of their filters.
class WINNOW_EXPORT FilterSet {
 public:
  // An empty set. FilterSetEdit builds other sets.
  FilterSet() noexcept = default;

  size_t size() const noexcept;
  bool empty() const noexcept { return size() == 0; }

  // Returns the number of words that hold one bit for each of `files` files.
  static constexpr size_t WordsFor(size_t files) noexcept { return (files + 63) / 64; }
  size_t num_words() const noexcept { return WordsFor(size()); }

  // ---- Lookups
  //
  // Each lookup assigns all words of its answer, regardless of their former values; bits of files
  // that were not asked for and bits behind the last file are 0. The returned list is a view of
  // these words. `words` may be longer than the answer.
  //
  // Too few words are a caller error: debug builds of the library assert. Release builds ask no
  // filter, write no word and return every file as a candidate: all files of the range, of the list
  // or of the set.

  // Returns the files that may hold a key with this hash. Writes num_words() words.
  CandidateList Candidates(KeyHash hash, WordSpan words) const noexcept {
    // Inlined for a single file: a call would add half of the lookup's time.
    if (front_ == nullptr || front_->only == nullptr || words.size() == 0) {
      return CandidatesOfAll(hash, words);
    }
    *words.data() = front_->only->MayContain(hash) ? 1 : 0;
    return {words.data(), 1};
  }

  // Looks up the key in the files of `range`, such as one level's or the newest ones. Indices
  // behind the last file are ignored.
  CandidateList Candidates(KeyHash hash, IndexRange range, WordSpan words) const noexcept;

  // Looks up the key in the files of the bitmap `among` of num_words() words, such as those whose
  // key range includes the key. `words` may be `among`.
  CandidateList CandidatesAmong(KeyHash hash, ConstWordSpan among, WordSpan words) const noexcept;

  // Looks up the key in n listed files, in the caller's order: bit i belongs to files[i]. Writes
  // WordsFor(n) words. Takes no time for unlisted files, for trees of thousands of files. An index
  // that the set lacks is a candidate. n must be below 2^32.
  CandidateList CandidatesOf(KeyHash hash, const uint32_t* files, size_t n,
                             WordSpan words) const noexcept;

  // Returns the files that may hold each of n keys. Writes one row of num_words() words per key.
  // Faster than single lookups if the filters are larger than the CPU caches but too few for one
  // key to saturate memory.
  CandidateRows Candidates(const KeyHash* hashes, size_t n, WordSpan words) const noexcept;

  // Looks up all keys in the files of `range`.
  CandidateRows Candidates(const KeyHash* hashes, size_t n, IndexRange range,
                           WordSpan words) const noexcept;

  // Looks up each key in the files of its row of `among`. `words` may be `among`.
  CandidateRows CandidatesAmong(const KeyHash* hashes, size_t n, ConstWordSpan among,
                                WordSpan words) const noexcept;

  // ---- Files. `index` must be less than size().

  uint64_t id(size_t index) const noexcept;

  // Returns the index of the first file with this id. Takes time linear in the number of files.
  std::optional<size_t> Find(uint64_t id) const noexcept;

  // Returns the filter of a file, for its info(). Its bytes live as long as any set or edit that
  // has the file.
  FilterView filter(size_t index) const noexcept;

  // Returns the reason why the filter of a file can't be used, or kNone.
  Fault fault(size_t index) const noexcept;

  // Returns all files whose filter can't be used, in search order.
  std::vector<UnusableFilter> Unusable() const;

  // Bytes of all filters, copied or borrowed, and bytes of the copies alone. The set keeps both
  // alive, possibly shared with other sets. Unusable filters count too.
  uint64_t total_bytes() const noexcept;
  uint64_t copied_bytes() const noexcept;

 private:
  friend class FilterSetEdit;
  struct WINNOW_HIDDEN File;
  struct WINNOW_HIDDEN State;

  // Base of State, at offset 0.
  struct Front {
    const FilterView* only = nullptr;  // the filter of a set with one file, else null
  };

  CandidateList CandidatesOfAll(KeyHash hash, WordSpan words) const noexcept;
  WINNOW_HIDDEN const State* state() const noexcept;

  std::shared_ptr<const Front> front_;  // the State; null: no files
};

// Selects whether the checksum of a filter's payload is computed before the filter is used.
enum class PayloadCheck : uint8_t { kSkip, kVerify };

// Builds the next version of a set: inserts and removes files at any index, as in a vector. Starts
// with the files of a set, which does not change, or empty.
//
//     FilterSetEdit edit(version.filters);          // a compaction of files 3 to 6 into one
//     edit.Remove(IndexRange{3, 7});
//     edit.InsertCopy(3, file.number, file.filter_block);
//     next_version.filters = edit.Build();
//
// InsertCopy is the only function that copies a filter's bytes; Build takes time linear in the
// number of files, not in their size. Functions throw std::bad_alloc if out of memory,
// std::out_of_range for an index behind the end, and std::length_error for more files than fit in
// 32 bits; the edit is then unchanged. Not thread-safe.
class WINNOW_EXPORT FilterSetEdit {
 public:
  FilterSetEdit() noexcept;
  explicit FilterSetEdit(const FilterSet& base);
  ~FilterSetEdit();
  FilterSetEdit(FilterSetEdit&&) noexcept;
  FilterSetEdit& operator=(FilterSetEdit&&) noexcept;

  size_t size() const noexcept;
  uint64_t id(size_t index) const;
  std::optional<size_t> Find(uint64_t id) const noexcept;  // first match

  // Inserts a file before the one at `index`; index size() appends. `block` is the bytes of a
  // FilterBlock. Returns the filter's fault, if it can't be used; the file is in the set
  // nevertheless, as a candidate of every lookup. A file without a filter has an empty block, for
  // which the fault is kForeign.
  //
  // Checks all bytes, as FilterView::Verified does, and copies the block to a multiple of 64, so
  // that lookups touch fewer cache lines. The copy lives as long as any set or edit that has the
  // file. It is allocated by operator new: if filters are larger than the CPU caches, lookups take
  // a quarter less time with a memory allocator that uses huge pages, such as glibc's with
  // GLIBC_TUNABLES=glibc.malloc.hugetlb=1.
  Fault InsertCopy(size_t index, uint64_t id, std::string_view block);

  // Inserts a file like InsertCopy, but borrows `block`, which may be unaligned and must stay
  // unchanged as long as any set or edit has the file. If `owner` is given, the file holds it until
  // then, for example a cache handle; its destructor runs on the thread that drops the last such
  // set or edit. The payload is checked only with PayloadCheck::kVerify, as that would read a
  // mapped file as a whole.
  Fault InsertView(size_t index, uint64_t id, std::string_view block,
                   std::shared_ptr<const void> owner = nullptr,
                   PayloadCheck check = PayloadCheck::kSkip);

  // Inserts the files of `range` of a set, with their ids; their bytes are shared. For an engine
  // that lists the next version's files itself.
  void InsertFrom(size_t index, const FilterSet& from, IndexRange range);

  // Moves the file at `from` so that its index becomes `to`, for a file that changes its level
  // without being rewritten.
  void Move(size_t from, size_t to);

  void Remove(size_t index);
  void Remove(IndexRange range);
  bool RemoveId(uint64_t id);  // removes the first match; returns false if there is none

  // Returns a set of the current files. The edit keeps them and may be used further.
  FilterSet Build() const;

 private:
  WINNOW_HIDDEN Fault Insert(size_t index, uint64_t id, std::string_view block,
                             std::shared_ptr<const void> owner, uint64_t copied_bytes,
                             PayloadCheck check);

  std::vector<std::shared_ptr<const FilterSet::File>> files_;
};

}  // namespace winnow

#endif  // WINNOW_FILTER_SET_H_
