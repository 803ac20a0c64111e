// Reads what a program's or library's file says to the dynamic linker of a RocksDB in it.

#ifndef WINNOW_TOOLS_WINNOW_RUN_ELF_SYMBOLS_H_
#define WINNOW_TOOLS_WINNOW_RUN_ELF_SYMBOLS_H_

#include <string>

namespace winnow::inspect {

struct RocksDBSymbols {
  bool has_code = false;     // of RocksDB, as a text that each RocksDB has
  std::string loader;        // which a program has, and no library that is opened; empty: none
  std::string name_space;    // of the function that makes Bloom policies; empty: it shows none
  bool asks_linker = false;  // for that function or for the one that reads policies from text
  std::string soname;        // empty: none
};

// Reads a file of this machine's form; nothing of any other, or of one that can't be read.
RocksDBSymbols ReadRocksDBSymbols(const std::string& path);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_RUN_ELF_SYMBOLS_H_
