// The names that RocksDB's own functions get where ours take theirs: in RocksDB's own tree, with
// WINNOW_STAND_IN=1 (winnow.mk, src/rocksdb/in_tree.cmake).
//
// The build has two files read this first, and no other: RocksDB's
// table/block_based/filter_policy.cc, which defines these functions, and stock_calls.cc, which
// calls them. Everywhere else, in RocksDB and in programs, the names are those of stand_in.cc. The
// last line renames the functions of all classes that are declared in these two; of them they
// define and call FilterPolicy's alone.

#ifndef WINNOW_SRC_PRELOAD_STAND_IN_STOCK_NAMES_H_
#define WINNOW_SRC_PRELOAD_STAND_IN_STOCK_NAMES_H_

#define NewBloomFilterPolicy StockNewBloomFilterPolicy
#define NewRibbonFilterPolicy StockNewRibbonFilterPolicy
#define CreateFromString StockCreateFromString

#endif  // WINNOW_SRC_PRELOAD_STAND_IN_STOCK_NAMES_H_
