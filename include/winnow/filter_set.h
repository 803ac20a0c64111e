// Many filters, one hash: which of a tree's files may hold a key.
//
// An engine keeps one FilterSet in each version of its tree, with the filters of that version's
// files in the order in which a lookup searches them, newest first. A lookup hashes its key once
// and asks them all at the same time; a flush or a compaction makes the next version's set from
// this one.
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

// Indices from `first` on, `last` not among them.
struct IndexRange {
  size_t first = 0;
  size_t last = 0;
};

// A file whose filter can't be used: every lookup has it among the candidates.
struct UnusableFilter {
  size_t index = 0;
  uint64_t id = 0;
  Fault fault = Fault::kNone;
};

// The filters of a version's files, in search order. A file is known by its index, from 0 on, and
// carries a number of the caller's, the id, to which the set gives no meaning.
//
// Immutable, and cheap to copy: a copy shares everything and keeps it alive. Any number of threads
// may use a set, and copies of it, at once. Assigning to a FilterSet while another thread reads the
// same object is a race, as with a shared_ptr: where a tree's current set is replaced, replace it
// under the lock, or in the version object, by which readers get the rest of the tree.
//
// Lookups never throw, never allocate, take at most 24 KiB of stack and read nothing outside the
// filters' bytes, whatever these are. They have no false negatives: a file that holds the key is a
// candidate, and so is every file whose filter can't be used. Other files are candidates at the
// rate of their filters.
class WINNOW_EXPORT FilterSet {
 public:
  // No files. FilterSetEdit makes other sets.
  FilterSet() noexcept = default;

  size_t size() const noexcept;
  bool empty() const noexcept { return size() == 0; }

  // The words that hold a bit for each of so many files.
  static constexpr size_t WordsFor(size_t files) noexcept { return (files + 63) / 64; }
  size_t num_words() const noexcept { return WordsFor(size()); }

  // ---- Lookups
  //
  // All of them assign every one of the words that they are said to, whatever was in them; bits of
  // files that were not asked for, and those behind the last file, are 0. What they return is the
  // same words, ready to be walked while they are kept. There may be more words than are said.
  //
  // Fewer are an error of the caller's: builds of the library with assertions stop there. Others
  // ask no filter and write no word, and every file is a candidate: of a range every one that is in
  // it, of a list every one that is listed, else every one of the set.

  // Which files may hold a key with this hash. Writes num_words() words.
  CandidateList Candidates(KeyHash hash, WordSpan words) const noexcept {
    // Inlined for a single file: a call would take half as long as the lookup.
    if (front_ == nullptr || front_->only == nullptr || words.size() == 0) {
      return CandidatesOfAll(hash, words);
    }
    *words.data() = front_->only->MayContain(hash) ? 1 : 0;
    return {words.data(), 1};
  }

  // The same among the files of a range, as a level's or the newest. What of the range is not in
  // the set counts as not asked for.
  CandidateList Candidates(KeyHash hash, IndexRange range, WordSpan words) const noexcept;

  // The same among the files of a bitmap of num_words() words, as those whose range of keys the key
  // is in. `words` may be `among`.
  CandidateList CandidatesAmong(KeyHash hash, ConstWordSpan among, WordSpan words) const noexcept;

  // The same among n listed files, in the caller's order: bit i belongs to files[i]. Writes
  // WordsFor(n) words. For trees of thousands of files of which a lookup needs a few: takes no time
  // for the others. An index that the set does not have is a candidate. n is below 2^32.
  CandidateList CandidatesOf(KeyHash hash, const uint32_t* files, size_t n,
                             WordSpan words) const noexcept;

  // Which files may hold each of n keys: a row of num_words() words for each, one after the other.
  // Faster than one key after the other where the filters are larger than the caches and not so
  // many that one key keeps the memory busy.
  CandidateRows Candidates(const KeyHash* hashes, size_t n, WordSpan words) const noexcept;

  // The same among the files of a range, for all keys.
  CandidateRows Candidates(const KeyHash* hashes, size_t n, IndexRange range,
                           WordSpan words) const noexcept;

  // The same among the files of bitmaps, a row for each key. `words` may be `among`.
  CandidateRows CandidatesAmong(const KeyHash* hashes, size_t n, ConstWordSpan among,
                                WordSpan words) const noexcept;

  // ---- Files. An index must be below size().

  uint64_t id(size_t index) const noexcept;

  // The first file with this id. Takes time in proportion to the number of files.
  std::optional<size_t> Find(uint64_t id) const noexcept;

  // The filter itself, for its info(); its bytes live as long as any set or
  // edit that has the file.
  FilterView filter(size_t index) const noexcept;

  // Why the filter of a file can't be used; kNone if it can.
  Fault fault(size_t index) const noexcept;

  // All files whose filter can't be used, in search order. Empty when all is well.
  std::vector<UnusableFilter> Unusable() const;

  // The bytes of all filters, copied or the caller's, and of them those of the copies; this set
  // keeps both alive, alone or with other sets. Bytes that can't be used count too.
  uint64_t total_bytes() const noexcept;
  uint64_t copied_bytes() const noexcept;

 private:
  friend class FilterSetEdit;
  struct WINNOW_HIDDEN File;
  struct WINNOW_HIDDEN State;

  // Base of State, at its beginning.
  struct Front {
    const FilterView* only = nullptr;  // where there is one file
  };

  CandidateList CandidatesOfAll(KeyHash hash, WordSpan words) const noexcept;
  WINNOW_HIDDEN const State* state() const noexcept;

  std::shared_ptr<const Front> front_;  // of the State; null: no files
};

// Selects whether the checksum of a filter's payload is computed before the filter is used.
enum class PayloadCheck : uint8_t { kSkip, kVerify };

// Makes the next version of a set: files go in and out at any place, as in a vector. Starts with
// the files of a set, or with none; the set that it started with does not change.
//
//     FilterSetEdit edit(version.filters);          // a compaction of files 3 to 6 into one
//     edit.Remove(IndexRange{3, 7});
//     edit.InsertCopy(3, file.number, file.filter_block);
//     next_version.filters = edit.Build();
//
// Bytes of filters are never copied but by InsertCopy: Build takes time in proportion to the number
// of files, not to their size. Functions throw std::bad_alloc where there is no memory,
// std::out_of_range for an index behind the end, with a sentence that names it, and
// std::length_error for more files than 32 bits can number; then nothing has changed. Not safe for
// use by several threads at once.
class WINNOW_EXPORT FilterSetEdit {
 public:
  FilterSetEdit() noexcept;
  explicit FilterSetEdit(const FilterSet& base);
  ~FilterSetEdit();
  FilterSetEdit(FilterSetEdit&&) noexcept;
  FilterSetEdit& operator=(FilterSetEdit&&) noexcept;

  size_t size() const noexcept;
  uint64_t id(size_t index) const;
  std::optional<size_t> Find(uint64_t id) const noexcept;  // the first one

  // Inserts a file before the one that has this index now; index size() appends. The block is the
  // one of FilterBlock. Says if it can't be used; the file is in the set all the same, and a
  // candidate of every lookup. A file without a filter has an empty block,
  // for which this says kForeign.
  //
  // This one checks all bytes, as FilterView::Verified does, and copies the block, to where lookups
  // are fastest: its bytes begin at a multiple of 64, so that a lookup touches fewer lines of the
  // cache. The copy lives as long as any set or edit that has the file. It comes from operator new:
  // where filters are larger than the caches, lookups take a quarter less with a memory allocator
  // that uses huge pages, as glibc's does with GLIBC_TUNABLES=glibc.malloc.hugetlb=1.
  Fault InsertCopy(size_t index, uint64_t id, std::string_view block);

  // This one uses the caller's bytes, which may lie at any address and must stay, unchanged, as
  // long as any set or edit that has the file. If `owner` is given, the file holds it until then: a
  // handle of a cache, or whatever else frees the bytes in its destructor, on the thread that gives
  // up the last such set or edit. The payload is looked at only when that is asked for: a mapped
  // file would be read whole.
  Fault InsertView(size_t index, uint64_t id, std::string_view block,
                   std::shared_ptr<const void> owner = nullptr,
                   PayloadCheck check = PayloadCheck::kSkip);

  // Inserts files of a set, with their ids; their bytes are shared. For an engine that lists the
  // next version's files itself, taking those it had from the last set.
  void InsertFrom(size_t index, const FilterSet& from, IndexRange range);

  // Takes the file at `from` out and inserts it so that its index is `to`: a file that goes to
  // another level as it is.
  void Move(size_t from, size_t to);

  void Remove(size_t index);
  void Remove(IndexRange range);
  bool RemoveId(uint64_t id);  // the first one; false if there is none

  // The set of these files. The edit keeps them and may go on.
  FilterSet Build() const;

 private:
  WINNOW_HIDDEN Fault Insert(size_t index, uint64_t id, std::string_view block,
                             std::shared_ptr<const void> owner, uint64_t copied_bytes,
                             PayloadCheck check);

  std::vector<std::shared_ptr<const FilterSet::File>> files_;
};

}  // namespace winnow

#endif  // WINNOW_FILTER_SET_H_
