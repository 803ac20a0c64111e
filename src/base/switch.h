// How a switch in the environment is read, by the library that is preloaded and by the plugin.

#ifndef WINNOW_SRC_BASE_SWITCH_H_
#define WINNOW_SRC_BASE_SWITCH_H_

namespace winnow::base {

// Returns whether the value of the variable, null if it is not set, is neither empty nor 0.
inline bool IsOn(const char* value) noexcept {
  return value != nullptr && value[0] != '\0' && !(value[0] == '0' && value[1] == '\0');
}

}  // namespace winnow::base

#endif  // WINNOW_SRC_BASE_SWITCH_H_
