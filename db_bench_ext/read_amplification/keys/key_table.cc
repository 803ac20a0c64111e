#include "db_bench_ext/read_amplification/keys/key_table.h"

#include <absl/container/flat_hash_set.h>
#include <absl/strings/string_view.h>

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

}  // namespace winnow::bench
