// Tests of the free memory and disk space.

#include "db_bench_ext/read_amplification/system/free_room.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/files.h"

namespace winnow::bench {
namespace free_room_test {

TEST(FreeRoomTest, MemoryIsSomeAndNotMoreThanTheMachineHas) {
  const std::optional<uint64_t> available = AvailableMemory();
  ASSERT_TRUE(available.has_value());
  EXPECT_GT(*available, uint64_t{1} << 20);
  EXPECT_LE(*available, static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                            static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
}

TEST(FreeRoomTest, DiskOfAFolderThatIsNotThereIsThatOfTheOneAboveIt) {
  const testing::TemporaryFolder folder;
  const std::optional<uint64_t> here = FreeDisk(folder.path());
  const std::optional<uint64_t> below = FreeDisk(folder / "not/there/yet");
  ASSERT_TRUE(here.has_value());
  ASSERT_TRUE(below.has_value());
  // Other processes write to the disk meanwhile.
  EXPECT_NEAR(static_cast<double>(*here), static_cast<double>(*below), 1e10);
  EXPECT_GT(*here, 0u);
  EXPECT_TRUE(FreeDisk("").has_value());
}

}  // namespace free_room_test
}  // namespace winnow::bench
