// Parts shared by FilterSet and FilterSetEdit.

#ifndef WINNOW_SRC_CORE_FILTER_SET_H_
#define WINNOW_SRC_CORE_FILTER_SET_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/core/segment.h"
#include "src/core/segment_table.h"
#include "winnow/filter_set.h"

namespace winnow {

// A file, shared by all versions of the set that contain it.
struct [[gnu::visibility("hidden")]] FilterSet::File {
  uint64_t id = 0;
  core::Segment segment;
  std::shared_ptr<const void> owner;  // owner of the bytes; null if the caller keeps them alive
  uint64_t total_bytes = 0;
  uint64_t copied_bytes = 0;
};

// Immutable state of one version of a set.
struct [[gnu::visibility("hidden")]] FilterSet::State : Front {
  explicit State(const std::vector<std::shared_ptr<const File>>& all);

  const std::vector<std::shared_ptr<const File>> files;
  std::vector<uint64_t> ids;
  uint64_t total_bytes = 0;
  uint64_t copied_bytes = 0;
  const core::SegmentTable table;
};

inline const FilterSet::State* FilterSet::state() const noexcept {
  return static_cast<const State*>(front_.get());
}

}  // namespace winnow

#endif  // WINNOW_SRC_CORE_FILTER_SET_H_
