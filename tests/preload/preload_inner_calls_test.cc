#include <dlfcn.h>
#include <gtest/gtest.h>

#include <optional>

#include "src/preload/asks_linker.h"
#include "src/preload/hook_types.h"
#include "src/preload/stock_functions.h"

namespace winnow::preload {
namespace {

// Returns an address in the library, which stays loaded.
const void* Load(const char* path) {
  void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << ::dlerror();
  return library == nullptr ? nullptr : ::dlsym(library, "winnow_test_outer");
}

TEST(InnerCalls, OfALibraryThatAsksTheLinker) {
  EXPECT_EQ(AsksLinkerFor(Load(DEFAULT_LIBRARY), "winnow_test_inner"), std::optional<bool>(true));
  EXPECT_EQ(AsksLinkerFor(Load(DEFAULT_LIBRARY), "winnow_test_outer"), std::optional<bool>(false));
}

TEST(InnerCalls, OfALibraryThatIsBoundToItself) {
  EXPECT_EQ(AsksLinkerFor(Load(SYMBOLIC_LIBRARY), "winnow_test_inner"), std::optional<bool>(false));
}

TEST(InnerCalls, OfNoLibrary) {
  const int here = 0;
  EXPECT_EQ(AsksLinkerFor(&here, "winnow_test_inner"), std::nullopt) << "the stack";
  EXPECT_EQ(AsksLinkerFor(nullptr, "winnow_test_inner"), std::nullopt);
}

// find.cmake examined the file, this test examines the loaded library.
TEST(InnerCalls, OfTheRocksDBOfThisBuildAreAsTheBuildSaw) {
  void* functions[kNumHooks] = {};
  const auto set = [&functions](Hook hook, auto* function) {
    functions[static_cast<size_t>(hook)] = reinterpret_cast<void*>(function);
  };
  set(Hook::kNewBloomFilterPolicy, &ROCKSDB_NAMESPACE::NewBloomFilterPolicy);
  set(Hook::kNewRibbonFilterPolicy, &ROCKSDB_NAMESPACE::NewRibbonFilterPolicy);
  set(Hook::kCreateFromString, &FilterPolicy::CreateFromString);
  SetStockFunctions(functions, [](const void* stock, Hook) noexcept {
    Dl_info known{};
    return ::dladdr(stock, &known) == 0 || known.dli_sname == nullptr
               ? std::nullopt
               : AsksLinkerFor(stock, known.dli_sname);
  });
  EXPECT_EQ(IsReplaced(Hook::kSetOptions), false) << "which this RocksDB does not show, as told";
  EXPECT_EQ(UnreplacedCalls().empty(), WINNOW_ALL_REPLACED != 0) << UnreplacedCalls();
}

}  // namespace
}  // namespace winnow::preload
