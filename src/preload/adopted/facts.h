// Facts that `winnow adopt` found in an archive and writes into the object file of facts.cc.

#ifndef WINNOW_SRC_PRELOAD_ADOPTED_FACTS_H_
#define WINNOW_SRC_PRELOAD_ADOPTED_FACTS_H_

// 1 if all calls of DB::SetOptions reach the hooks, even those through RocksDB's vtables: then
// policies can be added. Volatile, so that the compiler does not treat it as a constant.
extern "C" const volatile unsigned char winnow_adopted_sees_set_options;

#endif  // WINNOW_SRC_PRELOAD_ADOPTED_FACTS_H_
