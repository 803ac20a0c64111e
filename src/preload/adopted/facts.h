// Facts that `winnow adopt` has found in an archive, and writes into the object file of facts.cc.

#ifndef WINNOW_SRC_PRELOAD_ADOPTED_FACTS_H_
#define WINNOW_SRC_PRELOAD_ADOPTED_FACTS_H_

// 1 if all calls of DB::SetOptions come to us, through RocksDB's tables of virtual functions too:
// so policies can be added. Not a constant to the compiler.
extern "C" const volatile unsigned char winnow_adopted_sees_set_options;

#endif  // WINNOW_SRC_PRELOAD_ADOPTED_FACTS_H_
