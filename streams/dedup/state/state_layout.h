// Offsets of the parts of a state's file (streams/amq/FORMAT.md).

#ifndef WINNOW_STREAMS_DEDUP_STATE_STATE_LAYOUT_H_
#define WINNOW_STREAMS_DEDUP_STATE_STATE_LAYOUT_H_

#include <algorithm>
#include <cstdint>

namespace winnow::dedup {

// Maximum number of lines that are added before a journal entry keeps them.
inline constexpr uint64_t kMaxUnkept = 65'536;

inline constexpr uint64_t kStatePage = 4096;
inline constexpr uint64_t RoundedUp(uint64_t bytes) {
  return (bytes + kStatePage - 1) / kStatePage * kStatePage;
}

// Size of a journal entry without hashes: mark, count and checksum.
inline constexpr uint64_t kEntryFrame = 24;
inline constexpr uint64_t EntryBytes(uint64_t hashes) { return kEntryFrame + 8 * hashes; }

struct StateLayout {
  uint64_t filter = 0;   // bytes
  uint64_t journal = 0;  // bytes

  uint64_t filter_at() const { return kStatePage; }
  uint64_t journal_at() const { return kStatePage + RoundedUp(filter); }
  uint64_t file() const { return journal_at() + journal; }
};

// The journal is large enough that rewriting the filter when it is full costs little in comparison.
inline StateLayout LayoutFor(uint64_t filter_bytes) {
  return {filter_bytes, RoundedUp(std::max(2 * EntryBytes(kMaxUnkept), filter_bytes / 4))};
}

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_STATE_STATE_LAYOUT_H_
