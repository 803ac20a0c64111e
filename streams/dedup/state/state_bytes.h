// Bytes of a state's record and of its journal entries (streams/amq/FORMAT.md), equal on all
// machines.

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
  bool rewriting = false;  // the filter's bytes are being changed from an older to a newer state
  uint64_t keys = 0;       // lines in the newer state while rewriting
  StateLayout layout;
};

inline constexpr size_t kRecordBytes = amq::kHeaderBytes + 16;

std::string BytesOf(const StateRecord& record);

// Reads a record. Returns an empty string if the record is complete, all values are in range and
// consistent; else an error message with the expected value, the found value and what to do.
std::string ReadRecord(std::string_view bytes, StateRecord* record);

// ---- An entry of the journal: mark and count in kEntryStart bytes, the hashes, a checksum

inline constexpr size_t kEntryMarkBytes = 8;
inline constexpr size_t kEntryStart = 16;

// Writes an entry of EntryBytes(n) bytes.
void WriteEntry(const uint64_t* hashes, uint64_t n, unsigned char* entry) noexcept;

// Returns whether a complete or partial entry begins here, by its mark.
bool HasMark(const unsigned char* start) noexcept;
// Returns the number of hashes from the first kEntryStart bytes, or more than kMaxUnkept if these
// do not begin an entry.
uint64_t EntryCount(const unsigned char* start) noexcept;
// Returns whether the EntryBytes(count) bytes have the right checksum.
bool EntryIntact(const unsigned char* entry, uint64_t count) noexcept;
// Returns the hash at `place`, 0 to count - 1.
uint64_t EntryHash(const unsigned char* entry, uint64_t place) noexcept;

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_STATE_STATE_BYTES_H_
