// Symbols of RocksDB in the ELF file of a program or library.

#ifndef WINNOW_TOOLS_WINNOW_RUN_ELF_SYMBOLS_H_
#define WINNOW_TOOLS_WINNOW_RUN_ELF_SYMBOLS_H_

#include <string>

namespace winnow::inspect {

struct RocksDBSymbols {
  bool has_code = false;  // contains a string that every RocksDB has
  std::string loader;     // PT_INTERP of a program; empty for libraries that are opened
  // Namespace of the function that makes Bloom policies; empty if it has no symbol.
  std::string name_space;
  bool asks_linker = false;  // references that function, or the one that parses policies, by symbol
  std::string soname;        // DT_SONAME, or empty
};

// Reads an ELF file of this machine. The result is empty for other or unreadable files.
RocksDBSymbols ReadRocksDBSymbols(const std::string& path);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_RUN_ELF_SYMBOLS_H_
