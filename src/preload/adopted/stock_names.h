// The names that RocksDB's own functions get in an archive that `winnow adopt` has made. Read first
// by the one file that calls them, front/hook_addresses.cc, in which they are the addresses of the
// hooks otherwise. The functions of all classes that have such a name are renamed there, which is
// the same in all that file sees.

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
