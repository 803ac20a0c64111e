// Reasons why the bytes of a filter can't be used.

#ifndef WINNOW_FAULT_H_
#define WINNOW_FAULT_H_

#include <cstdint>
#include <string_view>

#include "winnow/version.h"

namespace winnow {

// Reason why the bytes of a block can't be used as a filter.
enum class Fault : uint8_t {
  kNone = 0,
  kTooShort,      // shorter than the shortest filter
  kForeign,       // neither marker, magic nor checksum is Winnow's: another library's filter
  kVersion,       // a format version that this library does not know
  kTailChecksum,  // the directory or the tail is damaged
  kKind,          // a filter kind that this library does not know
  kHash,          // built with another hash function or seed
  kParameters,    // the directory or tail has a value that no builder writes
  kSize,          // the block is longer or shorter than its parameters say
  kPayload,       // the payload is damaged; detected only if all bytes are checked
};

// Returns a description without a full stop, such as "directory or tail are damaged (checksum)".
// The string is static.
WINNOW_EXPORT std::string_view ToString(Fault fault) noexcept;

}  // namespace winnow

#endif  // WINNOW_FAULT_H_
