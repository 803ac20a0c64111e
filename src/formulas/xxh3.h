// Includes xxHash's header and checks that its version has the final XXH3. Include this header
// instead.

#ifndef WINNOW_SRC_FORMULAS_XXH3_H_
#define WINNOW_SRC_FORMULAS_XXH3_H_

// RocksDB's build files for Winnow include xxHash first, by its path, since folders of other
// libraries, which may have an old version, precede it there.
#ifndef XXH_VERSION_NUMBER
#include <xxhash.h>
#endif

#if XXH_VERSION_NUMBER < 800
#error "Winnow needs xxHash 0.8.0 or later: XXHASH_INCLUDE_DIR names the folder of its header"
#endif

#endif  // WINNOW_SRC_FORMULAS_XXH3_H_
