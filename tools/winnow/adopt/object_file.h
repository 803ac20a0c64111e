// Symbols of ELF object files: reads them, and turns definitions into references.

#ifndef WINNOW_TOOLS_WINNOW_ADOPT_OBJECT_FILE_H_
#define WINNOW_TOOLS_WINNOW_ADOPT_OBJECT_FILE_H_

#include <absl/strings/string_view.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace winnow::inspect {

struct Symbol {
  absl::string_view name;
  bool is_defined = false;  // false: a reference to another object file
  bool is_weak = false;
};

struct ObjectSymbols {
  std::vector<Symbol> symbols;                  // global and weak symbols, defined or undefined
  std::vector<absl::string_view> source_files;  // names of the sources, as in STT_FILE symbols

  // True if the object file has an intermediate representation for link-time optimization (-flto).
  bool has_lto = false;

  // Error as the end of a sentence "NAME …" if the symbols can't be read, else empty.
  std::string problem;
};

// Reads the symbols of an object file, which must be for this program's machine. Names are views of
// `object`.
ObjectSymbols ReadObject(absl::string_view object);

// Location of a global or weak definition.
struct Place {
  std::string section;          // name of the section
  bool is_one_of_name = false;  // no other section of the object has this name
  bool is_weak = false;         // binding of the symbol: other objects may define it, too
  uint64_t value = 0;           // offset in the section
  size_t at = 0;                // offset in the object file
};
std::optional<Place> FindSymbol(absl::string_view object, absl::string_view name);

// Turns the definition of a symbol into an undefined reference. Returns false if there is no global
// or weak definition.
bool MakeUndefined(absl::string_view name, std::string* object);

// Returns true if the vtable `table` refers to `function` by its symbol, and nothing in the object
// refers to the function by an address in its section or by another symbol. If the symbol is
// redefined, all virtual calls then go to the new definition. Returns false if that can't be
// determined.
bool IsReachedByNameAlone(absl::string_view object, absl::string_view function,
                          absl::string_view table);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADOPT_OBJECT_FILE_H_
