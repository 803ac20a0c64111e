// FilterBuilder, which builds a filter from key hashes.

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

// A finished filter: bytes to be stored with the keys and read by FilterView. Never empty.
// src/core/FORMAT.md describes the format.
struct FilterBlock {
  std::unique_ptr<char[]> data;
  size_t size = 0;

  std::string_view bytes() const noexcept { return {data.get(), size}; }
};

// A finished filter in the caller's buffer, or in its own memory if the buffer is too small.
struct PlacedBlock {
  std::string_view bytes;            // the filter in either case; never empty
  std::unique_ptr<char[]> overflow;  // owns the bytes if they did not fit; else null
};

// Collects the hashes of a file's keys and builds one filter from them; then it is ready for the
// next file.
//
// The bytes of the filter depend only on the options and the multiset of hashes kept, not on the
// order of the hashes or on the machine. Add and Finish throw std::bad_alloc if out of memory. The
// builder then lacks keys, which a filter would deny, so every Finish throws until Clear. Not
// thread-safe.
class WINNOW_EXPORT FilterBuilder {
 public:
  // Options out of range are replaced by the nearest valid ones; call CheckOptions first to detect
  // them. NaN means the default, and kind kEmpty means unset; debug builds of the library assert
  // that the program passes neither.
  WINNOW_HIDDEN explicit FilterBuilder(const FilterOptions& options) noexcept
      : FilterBuilder(&options, sizeof options) {}
  ~FilterBuilder();
  // A moved-from builder is empty and keeps its options, ready for the next filter.
  FilterBuilder(FilterBuilder&&) noexcept;
  FilterBuilder& operator=(FilterBuilder&&) noexcept;

  // Sets the options of the filter of the hashes kept so far, and of later filters. A level plan
  // may need all keys to know how much lies below the file.
  WINNOW_HIDDEN void SetOptions(const FilterOptions& options) noexcept {
    SetOptions(&options, sizeof options);
  }

  // Adds a hash, unless it equals the one added just before: versions of a key are adjacent in a
  // sorted file. Equal hashes that are not adjacent are all kept and counted. The filter is then
  // correct and as large as one of as many distinct keys (a Ribbon a few percent smaller), with a
  // false-positive rate that is not higher.
  void Add(KeyHash hash);
  void Add(const KeyHash* hashes, size_t n);

  // Adds the hash of `key`, as Add(KeyHash) does.
  void Add(std::string_view key) { Add(HashKey(key)); }

  // Adds hashes given by value: {0} is one hash, not an empty key.
  void Add(std::initializer_list<uint64_t> values) {
    for (const uint64_t value : values) Add(KeyHash{value});
  }

  // Number of hashes kept since the last Finish.
  uint64_t num_hashes() const noexcept;

  // Returns the size in bytes of the filter that Finish would build from n distinct hashes. Exact
  // for Bloom. For Ribbon, the expected size: a filter of random hashes differs by at most 1% plus
  // 64 + 32 b bytes, where b is log2(1/rate), rounded up (7 at 10 bits per key). Filters of a few
  // hundred hashes may thus take three quarters more, and those of 20,000 differ by 5%. The size
  // may fall by a few bytes as n grows. Takes constant time.
  size_t EstimateSize(uint64_t n) const noexcept;

  // Returns the largest n for which EstimateSize(n) is at most `bytes`: at least 1, even if no
  // filter fits, and at most 2^40 - 1, the most that a filter can record.
  // EstimateCapacity(EstimateSize(n)) is never less than n. Computes about a hundred estimates,
  // which takes tens of microseconds, or up to hundreds at few bits per key.
  uint64_t EstimateCapacity(size_t bytes) const noexcept;

  // Builds the filter of the hashes kept; without hashes, a filter of kind kEmpty. The builder is
  // then empty and keeps its options.
  FilterBlock Finish();

  // Builds the filter in `buffer` of `capacity` bytes, at any alignment, if it fits. The size of a
  // Ribbon filter is known only after it is built (see EstimateSize); a buffer that is 1% and 400
  // bytes larger than the filter avoids a copy. The contents of the buffer are unspecified behind
  // the filter, if the filter does not fit, and if this function throws.
  PlacedBlock Finish(char* buffer, size_t capacity);

  // Drops all hashes, including any loss due to lack of memory. Keeps the options.
  void Clear() noexcept;

  // Memory in bytes that the calling thread keeps for its next filters, its upper bound, and a
  // function that frees it.
  static constexpr size_t kMostThreadMemory = size_t{13} << 20;
  static size_t ThreadMemory() noexcept;
  static void FreeThreadMemory() noexcept;

 private:
  struct State;
  FilterBuilder(const FilterOptions* options, size_t size) noexcept;
  void SetOptions(const FilterOptions* options, size_t size) noexcept;
  WINNOW_HIDDEN State& state() noexcept;
  WINNOW_HIDDEN const State& state() const noexcept;

  alignas(8) unsigned char state_[256];  // a State, with room for the options of later versions
};

}  // namespace winnow

#endif  // WINNOW_BUILDER_H_
