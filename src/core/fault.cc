#include "winnow/fault.h"

namespace winnow {

std::string_view ToString(Fault fault) noexcept {
  switch (fault) {
    case Fault::kNone:
      return "no fault";
    case Fault::kTooShort:
      return "fewer bytes than the shortest filter has";
    case Fault::kForeign:
      return "not a Winnow filter (no marker, no magic number, no checksum)";
    case Fault::kVersion:
      return "a version of the format that this library does not know";
    case Fault::kTailChecksum:
      return "directory or tail are damaged (checksum)";
    case Fault::kKind:
      return "a kind of filter that this library does not know";
    case Fault::kHash:
      return "made with another hash or seed";
    case Fault::kParameters:
      return "directory or tail hold values that no builder writes";
    case Fault::kSize:
      return "more or fewer bytes than the parameters say";
    case Fault::kPayload:
      return "the payload is damaged (checksum)";
  }
  return "unknown fault";
}

}  // namespace winnow
