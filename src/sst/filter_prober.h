// Lookups in a filter block of any policy, as in RocksDB with Winnow's plugin.

#ifndef WINNOW_SRC_SST_FILTER_PROBER_H_
#define WINNOW_SRC_SST_FILTER_PROBER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "winnow/filter.h"
#include "winnow/range_filter.h"

namespace winnow::inspect {

// A key or prefix, with its hash.
struct AskedKey {
  std::string_view bytes;
  uint64_t hash = 0;  // HashKey(bytes).value
};

// Prober of one filter block. Not thread-safe.
class FilterProber {
 public:
  // `block` must outlive the object and may have any bytes. An unusable block answers "may contain"
  // for all keys.
  explicit FilterProber(std::string_view block);
  ~FilterProber();
  FilterProber(FilterProber&&) noexcept;

  // Sets one answer for each of the n keys.
  void MayContain(const AskedKey* keys, size_t n, bool* answers);

 private:
  struct Builtin;

  FilterView view_;
  std::optional<RangeFilterView> range_;  // set if it answers lookups of keys
  std::unique_ptr<Builtin> builtin_;      // null for Winnow's filters
  std::vector<KeyHash> hashes_;
};

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_FILTER_PROBER_H_
