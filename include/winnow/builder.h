// Building a filter from key hashes.

#ifndef WINNOW_BUILDER_H_
#define WINNOW_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "winnow/hash.h"
#include "winnow/options.h"
#include "winnow/version.h"

namespace winnow {

// A finished filter: bytes to be stored beside the keys, in the form that src/core/FORMAT.md
// describes, and to be read by FilterView. Never empty.
struct FilterBlock {
  std::unique_ptr<char[]> data;
  size_t size = 0;

  std::string_view bytes() const noexcept { return {data.get(), size}; }
};

// A finished filter in memory that the caller had for it, or, where that is too small, in memory of
// its own.
struct PlacedBlock {
  std::string_view bytes;            // the filter, wherever it is; never empty
  std::unique_ptr<char[]> overflow;  // holds the bytes if they are not the caller's; else null
};

// Collects the hashes of a file's keys and makes one filter of them, then is ready for the next.
//
// The bytes of the filter depend only on the options and on the multiset of the hashes kept, not on
// their order nor on the machine. Adding and finishing allocate memory and throw std::bad_alloc
// when there is none; the builder then lacks keys, which a filter would deny, and every Finish
// throws from then on, until Clear. Not safe for use by several threads at once.
class WINNOW_EXPORT FilterBuilder {
 public:
  // Options out of their range count as the nearest valid ones: ask CheckOptions first. A number
  // that is NaN counts as its default, and kind kEmpty as not set; either is taken for a mistake in
  // the program, which ends by assert() where the library was built for debugging.
  WINNOW_HIDDEN explicit FilterBuilder(const FilterOptions& options) noexcept
      : FilterBuilder(&options, sizeof options) {}
  ~FilterBuilder();
  // A builder that was moved from is empty and keeps its options, ready for the next filter.
  FilterBuilder(FilterBuilder&&) noexcept;
  FilterBuilder& operator=(FilterBuilder&&) noexcept;

  // The filter of the hashes kept, and those after it, get these options instead: where a level
  // plan needs all keys to know how much lies below the file.
  WINNOW_HIDDEN void SetOptions(const FilterOptions& options) noexcept {
    SetOptions(&options, sizeof options);
  }

  // Adds a hash, unless it equals the one added just before it: the versions of a key follow each
  // other in a sorted file. Equal hashes that are apart are each kept and counted: such a filter is
  // as large as one of so many different keys, a Ribbon some hundredths smaller, and right; its
  // rate is not higher for it.
  void Add(KeyHash hash);
  void Add(const KeyHash* hashes, size_t n);

  // The same for a key.
  void Add(std::string_view key) { Add(HashKey(key)); }

  // The same for hashes by their values. So {0} is one hash, and no key without bytes.
  void Add(std::initializer_list<uint64_t> values) {
    for (const uint64_t value : values) Add(KeyHash{value});
  }

  // The hashes kept since the last Finish.
  uint64_t num_hashes() const noexcept;

  // The size in bytes that Finish would give for n different hashes. Exact, but for Ribbon it
  // is what is expected: a filter of random hashes takes at most 1 % and 64 + 32 b bytes more or
  // less, where b is log2(1/rate), rounded up (7 at 10 bits a key). So filters of some hundred
  // hashes may take three quarters more, those of 20,000 differ by 5 %. It may fall by some bytes
  // as n grows. Takes constant time.
  size_t EstimateSize(uint64_t n) const noexcept;

  // The most hashes n for which EstimateSize(n) is at most `bytes`; at least 1, even where not one
  // fits, and at most the 2^40 - 1 that a filter can record. So EstimateCapacity(EstimateSize(n))
  // is never less than n. Looks at some hundred estimates: takes some ten microseconds, up to
  // some hundred at few bits a key.
  uint64_t EstimateCapacity(size_t bytes) const noexcept;

  // Makes the filter of the hashes kept. No hashes: a filter of kind kEmpty. The builder is empty
  // again afterwards and keeps its options.
  FilterBlock Finish();

  // The same into `capacity` bytes at `buffer`, at any address: the filter begins there if it fits.
  // A Ribbon's size is known only when it is built (EstimateSize); where the buffer is 1 % and 400
  // bytes larger than that it is also built there, and not copied. What is in the buffer behind the
  // filter, or where it did not fit or this throws, is not specified.
  PlacedBlock Finish(char* buffer, size_t capacity);

  // Forgets the hashes kept, also those that memory was lacking for. The options stay.
  void Clear() noexcept;

  // Memory that this thread keeps for its next filters, in bytes, and a way to free it at once.
  static constexpr size_t kMostThreadMemory = size_t{13} << 20;
  static size_t ThreadMemory() noexcept;
  static void FreeThreadMemory() noexcept;

 private:
  struct State;
  FilterBuilder(const FilterOptions* options, size_t size) noexcept;
  void SetOptions(const FilterOptions* options, size_t size) noexcept;
  WINNOW_HIDDEN State& state() noexcept;
  WINNOW_HIDDEN const State& state() const noexcept;

  alignas(8) unsigned char state_[256];  // a State, and room for the options of later versions
};

}  // namespace winnow

#endif  // WINNOW_BUILDER_H_
