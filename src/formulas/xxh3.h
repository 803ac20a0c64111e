// XXH3, by xxHash's header of a version that has it in its final form. All of ours includes this
// instead of that.

#ifndef WINNOW_SRC_FORMULAS_XXH3_H_
#define WINNOW_SRC_FORMULAS_XXH3_H_

// In RocksDB's tree our build files include it before all else, by its path: folders of other
// libraries, which may have an old one, come first there.
#ifndef XXH_VERSION_NUMBER
#include <xxhash.h>
#endif

#if XXH_VERSION_NUMBER < 800
#error "Winnow needs xxHash 0.8.0 or later: XXHASH_INCLUDE_DIR names the folder of its header"
#endif

#endif  // WINNOW_SRC_FORMULAS_XXH3_H_
