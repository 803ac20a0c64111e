#include "db_bench_ext/read_amplification/keys/key_table.h"

#include <absl/container/flat_hash_set.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace winnow::bench {

KeyTable DropDuplicates(const KeyTable& all) {
  absl::flat_hash_set<absl::string_view> seen;
  seen.reserve(all.size());
  KeyTable distinct;
  for (uint64_t i = 0; i < all.size(); ++i) {
    const std::string_view key = all[i];
    if (seen.insert(absl::string_view(key.data(), key.size())).second) distinct.Add(key);
  }
  return distinct;
}

KeyTable Sorted(const KeyTable& keys) {
  std::vector<uint64_t> order(keys.size());
  std::iota(order.begin(), order.end(), uint64_t{0});
  std::sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) { return keys[a] < keys[b]; });
  KeyTable sorted;
  for (const uint64_t i : order) sorted.Add(keys[i]);
  return sorted;
}

}  // namespace winnow::bench
