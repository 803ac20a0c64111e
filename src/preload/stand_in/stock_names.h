// Names of RocksDB's own functions if Winnow's replace them: in RocksDB's own tree, with
// WINNOW_STAND_IN=1 (winnow.mk, src/rocksdb/in_tree.cmake).
//
// The build includes this file first in two files only: RocksDB's
// table/block_based/filter_policy.cc, which defines these functions, and stock_calls.cc, which
// calls them. Everywhere else, in RocksDB and in programs, the names are those of stand_in.cc. The
// last line renames functions of all classes that are declared in these two files, which define and
// call only those of FilterPolicy.

#ifndef WINNOW_SRC_PRELOAD_STAND_IN_STOCK_NAMES_H_
#define WINNOW_SRC_PRELOAD_STAND_IN_STOCK_NAMES_H_

#define NewBloomFilterPolicy StockNewBloomFilterPolicy
#define NewRibbonFilterPolicy StockNewRibbonFilterPolicy
#define CreateFromString StockCreateFromString

#endif  // WINNOW_SRC_PRELOAD_STAND_IN_STOCK_NAMES_H_
