// Switches in environment variables, as the preload library and the plugin read them.

#ifndef WINNOW_SRC_BASE_SWITCH_H_
#define WINNOW_SRC_BASE_SWITCH_H_

namespace winnow::base {

// Returns whether a variable is on: set, not empty and not "0". `value` is null if unset.
inline bool IsOn(const char* value) noexcept {
  return value != nullptr && value[0] != '\0' && !(value[0] == '0' && value[1] == '\0');
}

}  // namespace winnow::base

#endif  // WINNOW_SRC_BASE_SWITCH_H_
