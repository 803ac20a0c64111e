// Object files in the form ELF: their symbols, and changing these.

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
  bool is_defined = false;  // else it is asked for
  bool is_weak = false;
};

struct ObjectSymbols {
  std::vector<Symbol> symbols;                  // those that other files see, or ask others for
  std::vector<absl::string_view> source_files;  // as the compiler has named them

  // True if the compiler has left code in a form that the linker compiles (-flto).
  bool has_lto = false;

  // Why the symbols can't be read, as the end of "NAME …"; empty: they are here.
  std::string problem;
};

// Names are parts of the object's bytes. It must be for the machine of this program.
ObjectSymbols ReadObject(absl::string_view object);

// Where a symbol is defined that other files see.
struct Place {
  std::string section;          // its name
  bool is_one_of_name = false;  // no other section of the object has that
  bool is_weak = false;         // the symbol: other objects may define it, too
  uint64_t value = 0;           // from the begin of the section on
  size_t at = 0;                // from the begin of the object on
};
std::optional<Place> FindSymbol(absl::string_view object, absl::string_view name);

// Takes the definition away, so that all that refers to it asks others for it. False if there is no
// definition that other files see.
bool MakeUndefined(absl::string_view name, std::string* object);

// Returns whether the table of virtual functions has this function under its name, and nothing
// refers to the function in another way: by its place, or by another name for it. Whoever takes the
// name then gets all calls through tables. False if that can't be seen.
bool IsReachedByNameAlone(absl::string_view object, absl::string_view function,
                          absl::string_view table);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADOPT_OBJECT_FILE_H_
