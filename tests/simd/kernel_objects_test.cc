// Tests of the kernels' object files as the linker sees them, each compiled for an instruction set
// of its own.

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/support/child_process.h"

namespace winnow {
namespace {

using testing::ChildResult;
using testing::LinesThatBegin;
using testing::RunProgram;

// The paths, between colons.
std::vector<std::string> Objects() {
  std::vector<std::string> paths;
  std::istringstream list(WINNOW_KERNEL_OBJECTS);
  for (std::string path; std::getline(list, path, ':');) {
    paths.push_back(path);
  }
  return paths;
}

// The linker takes one function of two that are weak or unique, for all files: one with AVX-512 in
// it might be called where the CPU has none. (Data has no instructions.)
TEST(KernelObjectsTest, HaveNoFunctionThatMayReplaceOneOfAnotherFile) {
  ASSERT_GE(Objects().size(), 3u);
  for (const std::string& object : Objects()) {
    const ChildResult table = RunProgram({WINNOW_OBJDUMP, "-t", "-w", object});
    ASSERT_EQ(table.status, 0) << table.errors;
    int functions = 0;
    // "0000000000000010  w    F .text._ZSt3maxv 0000000000000007 _ZSt3maxv": the address, a space,
    // and seven letters or blanks, of which the first two tell the binding and the last the type.
    for (const std::string& line : LinesThatBegin(table.output, "0")) {
      const std::string flags = line.substr(line.find(' ') + 1, 7);
      ASSERT_EQ(flags.size(), 7u) << line;
      const std::string rest = line.substr(line.find(' ') + 9);
      const bool is_defined = rest.compare(0, 5, "*UND*") != 0;
      const bool is_code = flags[6] == 'F' || rest.compare(0, 5, ".text") == 0;
      if (is_code && is_defined) {
        ++functions;
        EXPECT_TRUE(flags[0] != 'u' && flags[1] != 'w') << object << ": " << line;
      }
    }
    EXPECT_GT(functions, 0) << object;
  }
}

// clang's assembler writes another address where one of these instructions takes a matrix from
// memory for all lanes and the address has a displacement of 8 bits: see ribbon_avx512_vectors.h.
TEST(KernelObjectsTest, HaveNoMatrixFromMemoryForAllLanes) {
  int matrices = 0;
  for (const std::string& object : Objects()) {
    const ChildResult code = RunProgram({WINNOW_OBJDUMP, "-d", "-w", object});
    ASSERT_EQ(code.status, 0) << code.errors;
    std::istringstream lines(code.output);
    for (std::string line; std::getline(lines, line);) {
      if (line.find("vgf2p8affine") == std::string::npos) continue;
      ++matrices;
      EXPECT_EQ(line.find("{1to8}"), std::string::npos) << object << ": " << line;
    }
  }
#if defined(__x86_64__)
  EXPECT_GT(matrices, 0) << "no elimination slot by slot, or an objdump that does not know them";
#else
  EXPECT_EQ(matrices, 0);
#endif
}

}  // namespace
}  // namespace winnow
