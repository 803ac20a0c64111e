// Checks whether the host's structs of options are those of the headers that we were compiled with.

#ifndef WINNOW_SRC_PRELOAD_BOUND_HOST_OPTIONS_H_
#define WINNOW_SRC_PRELOAD_BOUND_HOST_OPTIONS_H_

namespace winnow::preload {

// Has the host set options from text, first, middle and last ones of each struct, and reads them
// as members of ours. The name of one that has another value then, or of a struct that it could
// not set; null: all are as they were set. The host is bound.
const char* OptionThatDiffers() noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_BOUND_HOST_OPTIONS_H_
