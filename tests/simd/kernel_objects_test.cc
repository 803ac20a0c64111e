// Tests of the kernels' object files, which are compiled for different instruction sets, from the
// linker's point of view.

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

// Returns the paths of the kernels' object files, from a list separated by colons.
std::vector<std::string> Objects() {
  std::vector<std::string> paths;
  std::istringstream list(WINNOW_KERNEL_OBJECTS);
  for (std::string path; std::getline(list, path, ':');) {
    paths.push_back(path);
  }
  return paths;
}

// The linker keeps one of several weak or unique functions for all files: one with AVX-512
// instructions could be called on a CPU without AVX-512. (Data has no instructions.)
TEST(KernelObjectsTest, HaveNoFunctionThatMayReplaceOneOfAnotherFile) {
  ASSERT_GE(Objects().size(), 3u);
  for (const std::string& object : Objects()) {
    const ChildResult table = RunProgram({WINNOW_OBJDUMP, "-t", "-w", object});
    ASSERT_EQ(table.status, 0) << table.errors;
    int functions = 0;
    // A line is, for example, "0000000000000010  w    F .text._ZSt3maxv 0000000000000007
    // _ZSt3maxv": the address, a space, and seven letters or blanks, of which the first two are the
    // binding and the last is the type.
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

// clang's assembler encodes a wrong address if one of these instructions has a broadcast matrix in
// memory and the address has an 8-bit displacement (see ribbon_avx512_vectors.h).
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
