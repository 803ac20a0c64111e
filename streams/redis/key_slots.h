// Mapping of keys to cluster slots, and hash tags for given slots.

#ifndef WINNOW_STREAMS_REDIS_KEY_SLOTS_H_
#define WINNOW_STREAMS_REDIS_KEY_SLOTS_H_

#include <string>
#include <string_view>

namespace winnow::redis {

inline constexpr unsigned kNumSlots = 16'384;

// Returns the slot, below kNumSlots: CRC16/XMODEM of the key's hash tag, or of the whole key
// without one.
unsigned SlotOf(std::string_view key);

// Returns the smallest number, in decimal digits, that hashes to this slot: a hash tag for keys of
// the slot.
const std::string& TagOfSlot(unsigned slot);

}  // namespace winnow::redis

#endif  // WINNOW_STREAMS_REDIS_KEY_SLOTS_H_
