// Damaged SST files: none ends or holds up what `winnow inspect` and `winnow verify` do with it,
// and `verify` names each whose damage is covered by a checksum, the order of its keys or a filter.
//
// 1000 copies, in a second; WINNOW_DAMAGED_COPIES=100000 build/release/tests/damaged_files_test
// takes more. Each number is the same copy each time, with the same RocksDB.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/sst/sst_filters.h"
#include "src/workers/wire.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/tools/damaged_copies.h"
#include "tools/winnow/verify/verify_file.h"

namespace winnow::inspect {
namespace {

using testing::DamagedCopy;
using testing::DamagedKind;
using ::testing::HasSubstr;

constexpr uint64_t kCopies = 1'000;

// What nothing covers, and why that is so. No other reason may be given for a file that was not
// named.
//  - Before format version 6 a footer has no checksum. Its 40 bytes for two places are filled up
//    with zeros that nobody reads. Of versions below 6 the footer's number chooses how builders
//    write, and how a compressed block says its size; how keys and places in an index are written
//    is in the properties.
//  - Files may be written without checksums. Those of Winnow's filters are their own.
//  - An ingestion overwrites eight bytes in the properties, and leaves their checksum.
//  - Blocks that begin with a page have bytes before them that belong to none.
//  - Before format version 6 a block's checksum does not say where the block belongs: what is
//    exchanged for a block of a file of the same sizes is a block like any other. Of data that is
//    seen by the order of keys, or by the filter; of filters by the keys that they deny.
const std::vector<std::string_view> kReasons = {
    testing::kPadding,     testing::kVersionReadAlike, testing::kNoChecksums,
    testing::kGlobalSeqno, testing::kBetweenBlocks,    testing::kTwinsLastBlock,
    testing::kTwinsIndex,  testing::kTwinsOther,
};

uint64_t NumberOfCopies() {
  const char* const number = std::getenv("WINNOW_DAMAGED_COPIES");
  return number == nullptr ? kCopies : std::strtoull(number, nullptr, 10);
}

// What became of a file.
struct Outcome {
  std::optional<std::string> answer;
  std::string problem;  // of the process that had no answer
};

std::vector<Outcome> DoInWorkers(size_t pieces,
                                 const std::function<std::string(size_t piece)>& work) {
  constexpr std::chrono::seconds kHangs(60);
  std::vector<Outcome> outcomes(pieces);
  PooledWork pooled;
  pooled.work = [&work](size_t piece, const WorkerReport&) { return work(piece); };
  pooled.on_answer = [&outcomes](size_t piece, const ChildAnswer& answer) {
    outcomes[piece] = {answer.text, answer.problem};
  };
  pooled.workers = 2;
  pooled.longest_silence = kHangs;
  RunInWorkers(pieces, pooled);
  return outcomes;
}

// As `winnow inspect` tells of the file.
std::string Inspect(const std::string& path) {
  const SstReport report = ReadSst(path);
  return report.error           ? "error: " + *report.error
         : report.filter->fault ? "fault: " + *report.filter->fault
                                : "good";
}

std::string Sentence(const FileVerdict& verdict) {
  return verdict.error             ? "error: " + *verdict.error
         : !verdict.faults.empty() ? "fault: " + verdict.faults.front()
                                   : "good";
}

TEST(DamagedFilesTest, EachIsSurvivedAndNamed) {
  const testing::TemporaryFolder folder;
  const std::vector<DamagedKind> kinds = testing::MakeDamagedKinds(folder.path());
  ASSERT_FALSE(HasFailure());
  std::vector<DamagedCopy> copies;
  for (uint64_t i = 0; i < NumberOfCopies(); ++i) {
    copies.push_back(testing::Damage(kinds, i));
  }
  const auto path_of = [&](size_t copy) {
    return folder / ("copy" + std::to_string(copy) + ".sst");
  };
  const std::vector<Outcome> verdicts = DoInWorkers(copies.size(), [&](size_t copy) {
    testing::WriteFile(path_of(copy), copies[copy].bytes);
    return Pack(VerifyFile(path_of(copy), {/*samples=*/1'000}));
  });
  const std::vector<Outcome> reports =
      DoInWorkers(copies.size(), [&](size_t copy) { return Inspect(path_of(copy)); });

  std::map<std::string, int> counts;
  for (size_t i = 0; i < copies.size(); ++i) {
    SCOPED_TRACE("copy " + std::to_string(i) + ", " + copies[i].kind + ": " + copies[i].damage);
    // RocksDB's assertions may end a process, which then is named as not verified. Not to be had
    // are one that hangs, and one that a sanitizer ends.
    for (const Outcome* outcome : {&verdicts[i], &reports[i]}) {
      if (!outcome->answer) {
        EXPECT_THAT(outcome->problem, HasSubstr("signal 6"));
      }
    }
    counts["inspect: ended its process"] += reports[i].answer ? 0 : 1;
    if (!verdicts[i].answer) {
      ++counts["verify: ended its process, and is named"];
      continue;
    }
    const std::optional<FileVerdict> verdict = Unpack<FileVerdict>(*verdicts[i].answer);
    ASSERT_TRUE(verdict);
    if (!verdict->ok()) {
      ++counts[verdict->error ? "verify: named as not readable" : "verify: named with its fault"];
      continue;
    }
    EXPECT_THAT(kReasons, ::testing::Contains(copies[i].not_covered))
        << "not named: " << Sentence(*verdict);
    ++counts["verify: good, as nothing covers " + copies[i].not_covered];
  }
  for (const auto& [what, count] : counts) {
    std::printf("%4d  %s\n", count, what.c_str());
  }
}

TEST(DamagedFilesTest, WithoutDamageEachIsGood) {
  const testing::TemporaryFolder folder;
  const std::vector<DamagedKind> kinds = testing::MakeDamagedKinds(folder.path());
  for (const DamagedKind& kind : kinds) {
    testing::WriteFile(folder / "a.sst", kind.file);
    const FileVerdict verdict = VerifyFile(folder / "a.sst", {});
    EXPECT_TRUE(verdict.ok()) << kind.name << ": " << Sentence(verdict);
    EXPECT_EQ(Inspect(folder / "a.sst"), "good") << kind.name;
    testing::WriteFile(folder / "a.sst", kind.twin);
    EXPECT_TRUE(VerifyFile(folder / "a.sst", {}).ok()) << kind.name;
  }
}

}  // namespace
}  // namespace winnow::inspect
