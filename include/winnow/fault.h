// Faults that the bytes of a filter may have.

#ifndef WINNOW_FAULT_H_
#define WINNOW_FAULT_H_

#include <cstdint>
#include <string_view>

#include "winnow/version.h"

namespace winnow {

// Why the bytes of a block can't be used as a filter.
enum class Fault : uint8_t {
  kNone = 0,
  kTooShort,      // fewer bytes than the shortest filter has
  kForeign,       // neither marker, magic nor checksum is ours: somebody else's filter
  kVersion,       // a version of the format that this library does not know
  kTailChecksum,  // directory or tail are damaged
  kKind,          // a kind of filter that this library does not know
  kHash,          // made with another hash or seed
  kParameters,    // the directory or tail holds a value that no builder writes
  kSize,          // the block is longer or shorter than its parameters say
  kPayload,       // the payload is damaged: found only where all bytes are checked
};

// A sentence without a full stop, such as "directory or tail are damaged (checksum)". Static.
WINNOW_EXPORT std::string_view ToString(Fault fault) noexcept;

}  // namespace winnow

#endif  // WINNOW_FAULT_H_
