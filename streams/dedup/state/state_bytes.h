// The bytes of a state's record and of its journal's entries (streams/amq/FORMAT.md), the same on
// every machine.

#ifndef WINNOW_STREAMS_DEDUP_STATE_STATE_BYTES_H_
#define WINNOW_STREAMS_DEDUP_STATE_STATE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "streams/amq/serialized.h"
#include "streams/dedup/state/state_layout.h"
#include "winnow/amq/blocked_bloom.h"

namespace winnow::dedup {

struct StateRecord {
  uint64_t capacity = 0;
  double rate = 0;
  amq::BlockedShape shape;
  bool rewriting = false;  // the filter's bytes are on their way from an older to a newer state
  uint64_t keys = 0;       // of the newer one then
  StateLayout layout;
};

inline constexpr size_t kRecordBytes = amq::kHeaderBytes + 16;

std::string BytesOf(const StateRecord& record);

// Empty if they are a whole record, each of its values is in its range, and they fit one another;
// else a sentence that says what was expected, what was found and what to do.
std::string ReadRecord(std::string_view bytes, StateRecord* record);

// ---- An entry of the journal: mark and count in kEntryStart bytes, the hashes, a checksum

inline constexpr size_t kEntryMarkBytes = 8;
inline constexpr size_t kEntryStart = 16;

// Writes EntryBytes(n) bytes.
void WriteEntry(const uint64_t* hashes, uint64_t n, unsigned char* entry) noexcept;

// Returns whether an entry, whole or not, was begun to be written here, from its mark.
bool HasMark(const unsigned char* start) noexcept;
// The count by the kEntryStart first bytes; more than kMaxUnkept if they are not those of an
// entry.
uint64_t EntryCount(const unsigned char* start) noexcept;
// Returns whether the EntryBytes(count) bytes have the right checksum.
bool EntryIntact(const unsigned char* entry, uint64_t count) noexcept;
// The hash at this place of it, 0 to its count - 1.
uint64_t EntryHash(const unsigned char* entry, uint64_t place) noexcept;

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_STATE_STATE_BYTES_H_
