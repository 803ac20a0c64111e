// Asking one filter block, whoever built it, as RocksDB with Winnow's plugin does.

#ifndef WINNOW_SRC_SST_FILTER_PROBER_H_
#define WINNOW_SRC_SST_FILTER_PROBER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "winnow/filter.h"

namespace winnow::inspect {

// A key or a prefix, as filters take them.
struct AskedKey {
  std::string_view bytes;
  uint64_t hash = 0;  // HashKey(bytes).value
};

// Safe from one thread at a time.
class FilterProber {
 public:
  // The block, of any bytes, must live as long. One that can't be used may contain everything.
  explicit FilterProber(std::string_view block);
  ~FilterProber();
  FilterProber(FilterProber&&) noexcept;

  // One answer for each of the n keys.
  void MayContain(const AskedKey* keys, size_t n, bool* answers);

 private:
  struct Builtin;

  FilterView view_;
  std::unique_ptr<Builtin> builtin_;  // null: Winnow's
  std::vector<KeyHash> hashes_;
};

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_FILTER_PROBER_H_
