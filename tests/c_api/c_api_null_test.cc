// Tests that a NULL in the C API is refused or permitted as winnow.h says: for each function that
// can fail, each pointer in turn is NULL. The functions are read from the header, and
// tests/CMakeLists.txt generates a table row for each; a new parameter type needs a value here.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <ostream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/support/files.h"
#include "winnow/winnow.h"

namespace winnow {
namespace {

// ---- What the header declares

struct Parameter {
  std::string name;
  bool may_be_null = false;  // according to the comment
};

struct Declaration {
  std::string comment;  // comment of the declaration, or of its group
  std::vector<Parameter> parameters;
};

// Returns the name of a parameter: "name" for "const char* name", "release" for "void
// (*release)(void* owner)".
std::string NameOf(const std::string& parameter) {
  std::smatch match;
  if (std::regex_search(parameter, match, std::regex(R"(\(\*(\w+)\))"))) return match[1];
  return std::regex_search(parameter, match, std::regex(R"((\w+)\s*$)")) ? match[1].str() : "";
}

Declaration Parse(const std::string& comment, const std::string& parameters) {
  Declaration declaration{comment, {}};
  std::string one;
  int depth = 0;
  for (const char c : parameters + ",") {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c != ',' || depth > 0) {
      one += c;
      continue;
    }
    const std::string name = NameOf(one);
    const bool told = comment.find("`" + name + "` may be NULL") != std::string::npos;
    declaration.parameters.push_back({name, told || name == "error"});
    one.clear();
  }
  return declaration;
}

// Returns the declarations by function name.
const std::map<std::string, Declaration>& Declarations() {
  static const auto* const all = [] {
    auto* made = new std::map<std::string, Declaration>;
    std::istringstream lines(testing::ReadFile(WINNOW_C_HEADER));
    std::string comment;
    bool in_comment = false;
    for (std::string line, more; std::getline(lines, line);) {
      if (line.rfind("// ", 0) == 0) {
        comment = in_comment ? comment + line.substr(2) : line.substr(2);
        in_comment = true;
        continue;
      }
      in_comment = false;
      if (line.empty()) comment.clear();
      if (line.rfind("WINNOW_EXPORT", 0) != 0) continue;
      while (line.back() != ';' && std::getline(lines, more)) line += more;
      std::smatch match;
      if (std::regex_search(line, match, std::regex(R"((winnow_\w+)\((.*)\);$)"))) {
        (*made)[match[1]] = Parse(comment, match[2]);
      }
    }
    return made;
  }();
  return *all;
}

// ---- Values for each parameter

// Arguments that are valid in every call.
class Arguments {
 public:
  Arguments() {
    std::memset(room_, kUntouched, sizeof room_);
    EXPECT_EQ(winnow_builder_add(builder, "key", 3, nullptr), WINNOW_OK);
    EXPECT_EQ(winnow_set_edit_insert_copy(edit, 0, 7, winnow_block_data(block),
                                          winnow_block_size(block), nullptr, nullptr),
              WINNOW_OK);
    set = winnow_set_edit_build(edit, nullptr);
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  ~Arguments() {
    winnow_error_free(error);
    winnow_block_free(made);
    winnow_set_free(set);
    winnow_set_edit_free(edit);
    winnow_range_view_free(range_view);
    winnow_range_builder_free(range_builder);
    winnow_view_free(view);
    winnow_block_free(block);
    winnow_builder_free(builder);
    winnow_options_free(options);
  }

  void Get(winnow_options** to, const std::string&) { *to = options; }
  void Get(winnow_builder** to, const std::string&) { *to = builder; }
  void Get(winnow_view** to, const std::string&) { *to = view; }
  void Get(winnow_range_builder** to, const std::string&) { *to = range_builder; }
  void Get(winnow_range_view** to, const std::string&) { *to = range_view; }
  void Get(winnow_set** to, const std::string&) { *to = set; }
  void Get(winnow_set_edit** to, const std::string&) { *to = edit; }
  void Get(const char** to, const std::string& name) {
    *to = name == "value" ? "10" : "bits_per_key";  // an option and a property
  }
  void Get(const void** to, const std::string&) { *to = winnow_block_data(block); }
  void Get(const uint64_t** to, const std::string&) { *to = kNumbers; }
  void Get(const uint32_t** to, const std::string&) { *to = kIndexesOfFiles; }
  void Get(winnow_error** to, const std::string&) { *to = error; }
  void Get(winnow_error*** to, const std::string&) { *to = &error; }
  void Get(winnow_block*** to, const std::string&) { *to = &made; }
  void Get(void (**to)(void*), const std::string&) {
    *to = [](void*) {};
  }
  // A result, or the identity of an owner.
  template <typename Result>
  void Get(Result** to, const std::string&) {
    static_assert(std::is_arithmetic_v<Result> || std::is_void_v<Result>,
                  "a new type of parameter: how does a good one look?");
    *to = reinterpret_cast<Result*>(room_);
  }
  void Get(size_t* to, const std::string& name) {
    const bool is_one = name == "n" || name == "last";
    const bool is_size = name == "size" || name == "range_filter_size";
    *to = is_size                                     ? winnow_block_size(block)
          : is_one                                    ? 1
          : name == "capacity" || name == "num_words" ? sizeof room_ / sizeof(uint64_t)
                                                      : 0;  // an index
  }
  void Get(double* to, const std::string&) { *to = 10; }
  void Get(int* to, const std::string&) { *to = WINNOW_VERIFY_PAYLOAD; }

  // Returns whether no result was assigned.
  bool AreUntouched() const {
    return made == nullptr && std::all_of(std::begin(room_), std::end(room_),
                                          [](unsigned char byte) { return byte == kUntouched; });
  }

  winnow_options* const options = winnow_options_new(nullptr);
  winnow_builder* const builder = winnow_builder_new(nullptr, nullptr);
  winnow_block* const block = winnow_builder_finish(builder, nullptr);
  winnow_view* const view = winnow_view_new(winnow_block_data(block), winnow_block_size(block),
                                            WINNOW_VERIFY_PAYLOAD, nullptr);
  winnow_range_builder* const range_builder = winnow_range_builder_new(15, nullptr);
  winnow_range_view* const range_view =
      winnow_range_view_new(nullptr, 0, WINNOW_VERIFY_PAYLOAD, nullptr);
  winnow_set_edit* const edit = winnow_set_edit_new(nullptr, nullptr);
  winnow_set* set = nullptr;
  winnow_error* error = nullptr;
  winnow_block* made = nullptr;

 private:
  static constexpr unsigned char kUntouched = 0xa5;
  static constexpr uint64_t kNumbers[64] = {1};
  static constexpr uint32_t kIndexesOfFiles[64] = {};
  alignas(8) unsigned char room_[64 * sizeof(uint64_t)];
};

// ---- Calls

void Free(winnow_options* handle) { winnow_options_free(handle); }
void Free(winnow_builder* handle) { winnow_builder_free(handle); }
void Free(winnow_block* handle) { winnow_block_free(handle); }
void Free(winnow_view* handle) { winnow_view_free(handle); }
void Free(winnow_range_builder* handle) { winnow_range_builder_free(handle); }
void Free(winnow_range_view* handle) { winnow_range_view_free(handle); }
void Free(winnow_set* handle) { winnow_set_free(handle); }
void Free(winnow_set_edit* handle) { winnow_set_edit_free(handle); }

using Indexes = std::set<size_t>;  // indexes of parameters

struct Outcome {
  bool refused = false;
  winnow_code code = WINNOW_OK;  // code of the call or, if it returns a handle, of its error
};

struct Row {
  std::string name;
  std::vector<bool> is_pointer;  // one per parameter
  bool has_error = false;
  // Calls the function with valid arguments for these parameters, except those that are NULL.
  std::function<Outcome(Arguments*, const std::vector<Parameter>&, const Indexes& nulls)> call;

  friend void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }
};

template <typename Type>
Type ValueOf(Arguments* arguments, const std::vector<Parameter>& parameters, size_t i,
             const Indexes& nulls) {
  if constexpr (std::is_pointer_v<Type>) {
    if (nulls.count(i) != 0) return nullptr;
  }
  // Handles are passed without const, even if the function does not change the object.
  using Plain = std::remove_const_t<std::remove_pointer_t<Type>>;
  constexpr bool is_handle = std::is_class_v<Plain> && std::is_pointer_v<Type>;
  std::conditional_t<is_handle, Plain*, Type> value{};
  arguments->Get(&value, parameters[i].name);
  return value;
}

template <typename Result, typename... Types, size_t... kIndexes>
Outcome Call(Result (*function)(Types...), Arguments* arguments,
             const std::vector<Parameter>& parameters, const Indexes& nulls,
             std::index_sequence<kIndexes...> /*unused*/) {
  const Result result = function(ValueOf<Types>(arguments, parameters, kIndexes, nulls)...);
  if constexpr (std::is_same_v<Result, winnow_code>) {
    return {result != WINNOW_OK, result};
  } else {
    const Outcome outcome{result == nullptr, winnow_error_code(arguments->error)};
    Free(result);
    return outcome;
  }
}

// A function that returns neither a code nor a handle cannot fail; nor can one that returns a
// fault, an int without a code and an error.
template <typename Result, typename... Types>
void AddRow(const char* name, bool returns_code, Result (*function)(Types...),
            std::vector<Row>* rows) {
  constexpr bool has_error = (std::is_same_v<Types, winnow_error**> || ...);
  if constexpr (has_error || std::is_same_v<Result, winnow_code>) {
    if (!has_error && !returns_code) return;
    rows->push_back({name,
                     {std::is_pointer_v<Types>...},
                     has_error,
                     [function](Arguments* arguments, const std::vector<Parameter>& parameters,
                                const Indexes& nulls) {
                       return Call(function, arguments, parameters, nulls,
                                   std::index_sequence_for<Types...>());
                     }});
  }
}

const std::vector<Row>& Rows() {
  static const auto* const rows = [] {
    auto* made = new std::vector<Row>;
#define ADD_ROW(type, name) AddRow(#name, #type == std::string("winnow_code"), name, made);
    WINNOW_C_FUNCTIONS(ADD_ROW)
#undef ADD_ROW
    return made;
  }();
  return *rows;
}

class CApiNullTest : public ::testing::TestWithParam<Row> {
 protected:
  const std::vector<Parameter>& parameters() const {
    return Declarations().at(GetParam().name).parameters;
  }
};

TEST_P(CApiNullTest, OfEachPointerIsRefusedOrAllowedAsTheHeaderSays) {
  const Row& row = GetParam();
  ASSERT_EQ(parameters().size(), row.is_pointer.size());
  {
    Arguments arguments;
    const Outcome outcome = row.call(&arguments, parameters(), {});
    ASSERT_FALSE(outcome.refused) << "without a NULL: " << winnow_error_text(arguments.error);
  }
  for (size_t i = 0; i < parameters().size(); ++i) {
    if (!row.is_pointer[i]) continue;
    SCOPED_TRACE(parameters()[i].name);
    Arguments arguments;
    const Outcome outcome = row.call(&arguments, parameters(), {i});
    EXPECT_EQ(outcome.refused, !parameters()[i].may_be_null);
    EXPECT_EQ(outcome.code, outcome.refused ? WINNOW_NULL_ARGUMENT : WINNOW_OK)
        << winnow_error_text(arguments.error);
    EXPECT_EQ(arguments.error != nullptr, outcome.refused && row.has_error);
    EXPECT_TRUE(!outcome.refused || arguments.AreUntouched());
    if (!row.has_error) continue;
    Arguments without_error;
    const Indexes both = {i, parameters().size() - 1};
    EXPECT_EQ(row.call(&without_error, parameters(), both).refused, outcome.refused);
  }
}

INSTANTIATE_TEST_SUITE_P(Function, CApiNullTest, ::testing::ValuesIn(Rows()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace winnow
