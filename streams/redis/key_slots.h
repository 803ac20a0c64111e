// In which slot of a cluster a key lies, and keys that lie in a given one.

#ifndef WINNOW_STREAMS_REDIS_KEY_SLOTS_H_
#define WINNOW_STREAMS_REDIS_KEY_SLOTS_H_

#include <string>
#include <string_view>

namespace winnow::redis {

inline constexpr unsigned kNumSlots = 16'384;

// Below kNumSlots: CRC16 (XMODEM) of the key's hash tag, or of the whole key where it has none.
unsigned SlotOf(std::string_view key);

// The least number, in decimal digits, whose slot it is: a hash tag for keys of that slot.
const std::string& TagOfSlot(unsigned slot);

}  // namespace winnow::redis

#endif  // WINNOW_STREAMS_REDIS_KEY_SLOTS_H_
