// Checks of frozen_names_test for the verbs of streams.

#include <gtest/gtest.h>

#include <string>

#include "streams/tests/support/redis_program.h"
#include "streams/tests/support/started_redis.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/tools/frozen_names.h"

namespace winnow::testing {
namespace frozen_names_of_streams_test {

TEST(FrozenNamesTest, OfJsonOfPagesAreKept) {
  const TemporaryFolder folder;
  std::string keys;
  for (int i = 0; i < 3000; ++i) keys += "key " + std::to_string(i) + "\n";
  WriteFile(folder / "keys", keys);
  const std::string list = " --keys='" + (folder / "keys") + "'";
  const std::string pages = " '" + (folder / "pages") + "'";
  ExpectKeysKept("size", "size --keys=1e6 --rate=0.01", 0);
  ExpectKeysKept("size of a page", "size --page=4KiB --rate=1e-3", 0);
  ExpectKeysKept("pages build", "pages build" + pages + list, 0);
  ExpectKeysKept("pages add", "pages add" + pages + " one-more", 0);
  ExpectKeysKept("pages ask", "pages ask" + pages + list, 0);
}

TEST(FrozenNamesTest, OfJsonOfStreamsAreKept) {
  if (!HasRedis()) GTEST_SKIP() << "there is neither Redis nor Valkey";
  const StartedRedis server;
  const std::string at = " --redis=" + server.address();
  const ChildResult begun =
      RunProgram({"sh", "-c", "'" WINNOW_TOOL "' dedup --capacity=1000 </dev/null" + at});
  if (begun.errors.find("without hiredis") != std::string::npos) {
    GTEST_SKIP() << "the tool was built without hiredis";
  }
  ASSERT_EQ(begun.status, 0) << begun.errors;
  ExpectKeysKept("dedup list", "dedup --list" + at, 0);
  ExpectKeysKept("dedup check", "dedup --check=winnow-dedup" + at, 0);
  ExpectKeysKept("dedup remove", "dedup --remove=winnow-dedup" + at, 0);
}

}  // namespace frozen_names_of_streams_test
}  // namespace winnow::testing
