// Names of RocksDB's own functions in an archive that `winnow adopt` has made. Included first by
// the one file that calls them, front/hook_addresses.cc, where these names otherwise denote the
// hooks. `winnow adopt` renames the functions of all classes that have such a name, as these macros
// do.

#ifndef WINNOW_SRC_PRELOAD_ADOPTED_STOCK_NAMES_H_
#define WINNOW_SRC_PRELOAD_ADOPTED_STOCK_NAMES_H_

#include "src/preload/stand_in/stock_names.h"

#define Open StockOpen
#define OpenForReadOnly StockOpenForReadOnly
#define OpenAsSecondary StockOpenAsSecondary
#define OpenAsFollower StockOpenAsFollower
#define OpenAndCompact StockOpenAndCompact
#define CreateColumnFamily StockCreateColumnFamily
#define CreateColumnFamilies StockCreateColumnFamilies
#define CreateColumnFamilyWithImport StockCreateColumnFamilyWithImport
#define SetOptions StockSetOptions

#endif  // WINNOW_SRC_PRELOAD_ADOPTED_STOCK_NAMES_H_
