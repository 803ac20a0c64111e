// Check that the host's option structs have the layout of the headers that the plugin was compiled
// with.

#ifndef WINNOW_SRC_PRELOAD_BOUND_HOST_OPTIONS_H_
#define WINNOW_SRC_PRELOAD_BOUND_HOST_OPTIONS_H_

namespace winnow::preload {

// Makes the host set options from text, the first, middle and last ones of each struct, and reads
// them by these headers. Returns the name of an option with another value, or of a struct that
// could not be set; null if all are as set. The host must be bound.
const char* OptionThatDiffers() noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_BOUND_HOST_OPTIONS_H_
