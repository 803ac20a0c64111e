// Places of keys in the range of a tree's keys.

#ifndef WINNOW_SRC_ROCKSDB_KEY_GRID_H_
#define WINNOW_SRC_ROCKSDB_KEY_GRID_H_

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace winnow::plugin {

// Safe from any number of threads.
class KeyGrid {
 public:
  // Cells of about equal numbers of keys lie between the cuts, which are sorted.
  explicit KeyGrid(std::vector<std::string> cuts) : cuts_(std::move(cuts)) {}

  // The share of the cells that lie before the key's, 0 to 1.
  double PlaceOf(std::string_view key) const noexcept {
    const auto cell = std::upper_bound(cuts_.begin(), cuts_.end(), key) - cuts_.begin();
    return static_cast<double>(cell) / static_cast<double>(cuts_.size() + 1);
  }

 private:
  const std::vector<std::string> cuts_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_KEY_GRID_H_
