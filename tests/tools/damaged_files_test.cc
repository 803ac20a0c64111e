// Damaged SST files: none crashes or hangs the tool, and `winnow verify` reports each whose damage
// is covered by a checksum, the key order or a filter. Every reader of filters gets files without
// filters, with partitions, with RocksDB's filters, and with forged bytes.
//
// The default of 1000 copies takes a second; WINNOW_DAMAGED_COPIES=100000
// build/release/tests/tools_tests --gtest_filter='DamagedFiles*' tests more. A number always gives
// the same copy with one version of RocksDB.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/sst/sst_filters.h"
#include "src/workers/wire.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/tools/damaged_copies.h"
#include "tools/winnow/advise/advice_files.h"
#include "tools/winnow/advise/advice_lookups.h"
#include "tools/winnow/advise/scans/scan_trial.h"
#include "tools/winnow/probe/probe_file.h"
#include "tools/winnow/verify/verify_file.h"
#include "winnow/hash.h"

namespace winnow::inspect {
namespace damaged_files_test {

using testing::DamagedKind;
using testing::KeyOf;

constexpr uint64_t kCopies = 1'000;
constexpr uint64_t kSomeKey = 300;  // number of a good file's key

// Reasons why damage is not covered. No other reason is allowed for a file that is not reported.
//  - Before format version 6 a footer has no checksum. Its 40 bytes for two block handles are
//    padded with zeros, which are never read. Versions below 6 decide how builders write, and how
//    a compressed block states its size; the properties state how index keys and handles are
//    encoded.
//  - Files may be written without checksums. Winnow's filters have their own.
//  - An ingestion overwrites eight bytes in the properties without changing their checksum.
//  - Page-aligned blocks have bytes before them that belong to no block.
//  - Before format version 6 a block's checksum does not depend on its offset, so a block that is
//    exchanged for one of a file with equal block sizes is valid. The key order or the filter
//    detects this for data blocks, and rejected keys detect it for filters.
const std::vector<std::string_view> kReasons = {
    testing::kPadding,     testing::kVersionReadAlike, testing::kNoChecksums,
    testing::kGlobalSeqno, testing::kBetweenBlocks,    testing::kTwinsLastBlock,
    testing::kTwinsIndex,  testing::kTwinsOther,
};

uint64_t NumberOfCopies() {
  const char* const number = std::getenv("WINNOW_DAMAGED_COPIES");
  return number == nullptr ? kCopies : std::strtoull(number, nullptr, 10);
}

// Outcome of the work on a file.
struct Outcome {
  std::optional<std::string> answer;
  std::string problem;  // problem of a process without an answer
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

// Returns the result of `winnow inspect` for the file.
std::string Inspect(const std::string& path) {
  const SstReport report = ReadSst(path);
  return report.error           ? "error: " + *report.error
         : report.filter->fault ? "fault: " + *report.filter->fault
                                : "good";
}

// Returns the result of `winnow probe`. "good" means that the file was read and that its filter may
// contain its keys and ranges.
std::string Probe(const std::string& path, uint64_t first) {
  const std::string key = KeyOf(first + kSomeKey);
  std::vector<ProbedKey> keys;
  for (const std::string& asked : {key, key + "x"}) keys.push_back({asked, HashKey(asked).value});
  for (const bool exact : {false, true}) {
    const FileProbe probe = ProbeFile(path, keys, exact, ProbedRange{key, key + "z"});
    if (probe.error) return "error: " + *probe.error;
    if (probe.fault) return "fault: " + *probe.fault;
    if (!probe.remark.empty()) return "remark: " + probe.remark;
    if (probe.hits.empty() || probe.hits[0].key != 0) return "the key is denied";
    if (!probe.range_hit) return "the range is denied";
  }
  return "good";
}

// Returns the result of `winnow advise`, likewise with "good".
std::string Advise(const std::string& path, uint64_t first) {
  AdvisedFile file = ReadAdvisedFile(path);
  file.path = path;
  if (!file.error.empty()) return "error: " + file.error;
  std::vector<std::string> keys;
  std::vector<RecordedScan> scans;
  for (uint64_t i = first; i < first + 100; ++i) {
    for (const std::string& key : {KeyOf(i), KeyOf(i) + "x"}) {
      keys.push_back(key);
      scans.push_back({key, key + "y"});
    }
  }
  std::string error;
  const std::string answers = AskFile(path, keys, {0, keys.size()}, &error);
  if (!error.empty()) return "lookups: " + error;
  DrawOptions draw;
  draw.lookups = 100;
  file.is_sampled = true;
  const DrawnKeys drawn = DrawLookups(file, draw, [](double) {});
  if (!drawn.error.empty()) return "draws: " + drawn.error;
  for (size_t i = 0; i < keys.size(); i += 2) {
    if (answers[i] == static_cast<char>(FileAnswer::kDenied)) return keys[i] + " is denied";
  }
  if (file.comparator != ROCKSDB_NAMESPACE::BytewiseComparator()->Name()) return "good";
  const FileScans asked =
      AskScans(path, scans, {0, scans.size()}, {{10}, {"fixed:3"}, ""}, nullptr);
  if (!asked.error.empty()) return "scans: " + asked.error;
  for (size_t i = 0; i < scans.size(); i += 2) {
    if (asked.answers[i] != kHasKey) return "a scan of " + scans[i].begin + " is denied";
  }
  return "good";
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
  std::vector<testing::DamagedCopy> copies;
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
  const std::vector<Outcome> probes =
      DoInWorkers(copies.size(), [&](size_t copy) { return Probe(path_of(copy), 0); });
  const std::vector<Outcome> advised =
      DoInWorkers(copies.size(), [&](size_t copy) { return Advise(path_of(copy), 0); });

  for (size_t i = 0; i < copies.size(); ++i) {
    SCOPED_TRACE("copy " + std::to_string(i) + ", " + copies[i].kind + ": " + copies[i].damage);
    // An assertion in RocksDB may abort a process, which is then reported as not verified. A hang
    // or a sanitizer's report is a failure.
    for (const Outcome* outcome : {&verdicts[i], &reports[i], &probes[i], &advised[i]}) {
      if (!outcome->answer) {
        EXPECT_THAT(outcome->problem, ::testing::HasSubstr("signal 6"));
      }
    }
    if (!verdicts[i].answer) continue;
    const std::optional<FileVerdict> verdict = Unpack<FileVerdict>(*verdicts[i].answer);
    ASSERT_TRUE(verdict);
    if (!verdict->ok()) continue;
    EXPECT_THAT(kReasons, ::testing::Contains(copies[i].not_covered))
        << "not named: " << Sentence(*verdict);
  }
}

TEST(DamagedFilesTest, WithoutDamageEachIsGood) {
  const testing::TemporaryFolder folder;
  const std::vector<DamagedKind> kinds = testing::MakeDamagedKinds(folder.path());
  for (const DamagedKind& kind : kinds) {
    for (const auto& [bytes, first] :
         {std::pair(kind.file, uint64_t{0}), {kind.twin, testing::kFirstOfTwin}}) {
      testing::WriteFile(folder / "a.sst", bytes);
      EXPECT_EQ(Sentence(VerifyFile(folder / "a.sst", {})), "good") << kind.name;
      EXPECT_EQ(Inspect(folder / "a.sst"), "good") << kind.name;
      EXPECT_EQ(Probe(folder / "a.sst", first), "good") << kind.name;
      EXPECT_EQ(Advise(folder / "a.sst", first), "good") << kind.name;
    }
  }
}

// Flips bits of filter partition indexes in files without checksums, which forges the number, ends
// and offsets of partitions.
TEST(DamagedFilesTest, ForgedIndexesOverPartitionsAreSurvivedByEveryReader) {
  const testing::TemporaryFolder folder;
  std::vector<std::pair<std::string, std::string>> forged;  // description and file
  for (const DamagedKind& kind : testing::MakeDamagedKinds(folder.path())) {
    if (kind.name.compare(0, 12, "no checksums") != 0) continue;
    for (const testing::LaidBlock& block : kind.layout.blocks) {
      if (block.role != "filter index") continue;
      for (size_t bit = 0; bit < 8 * block.bytes; bit += 5) {
        std::string bytes = kind.file;
        char& byte = bytes[block.offset + bit / 8];
        byte = static_cast<char>(byte ^ 1 << bit % 8);
        forged.emplace_back(kind.name + ", bit " + std::to_string(bit), std::move(bytes));
      }
    }
  }
  ASSERT_GT(forged.size(), 100u);
  const auto path_of = [&](size_t i) { return folder / ("a" + std::to_string(i) + ".sst"); };
  // RocksDB itself crashes on some of the files.
  const std::vector<Outcome> read = DoInWorkers(forged.size(), [&](size_t i) noexcept {
    testing::WriteFile(path_of(i), forged[i].second);
    return Inspect(path_of(i));
  });
  std::vector<size_t> readable;
  for (size_t i = 0; i < forged.size(); ++i) {
    if (read[i].answer) readable.push_back(i);
  }
  EXPECT_GT(readable.size(), forged.size() / 2);
  const std::vector<Outcome> asked = DoInWorkers(readable.size(), [&](size_t i) noexcept {
    const std::string path = path_of(readable[i]);
    return Sentence(VerifyFile(path, {/*samples=*/1'000})) + Probe(path, 0) + Advise(path, 0);
  });
  for (size_t i = 0; i < readable.size(); ++i) {
    EXPECT_TRUE(asked[i].answer) << forged[readable[i]].first << ": " << asked[i].problem;
  }
}

}  // namespace damaged_files_test
}  // namespace winnow::inspect
