#include "src/database/lookup_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/iterator.h>
#include <rocksdb/trace_reader_writer.h>
#include <rocksdb/version.h>

#include <memory>
#include <string>
#include <vector>

#include "src/text/key_list.h"
#include "tests/support/files.h"
#include "tests/support/recorded_trace.h"
#include "tests/support/rocksdb_testing.h"

namespace winnow::inspect {
namespace lookup_trace_test {

using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::PinnableSlice;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeOptions;
using testing::OpenDatabase;
using ::testing::Pair;
using testing::ReadFile;
using testing::TemporaryFolder;
using testing::WriteFile;

struct Visit {
  std::vector<std::string> keys;
  std::vector<std::pair<std::string, std::string>> seeks;  // key and upper bound
  TraceNotes notes;
  std::string problem;
};

Visit VisitAll(const std::string& path, uint32_t family = 0, bool takes_seeks = false) {
  Visit visit;
  VisitSeek seek;
  if (takes_seeks) {
    seek = [&visit](const TracedSeek& one) { visit.seeks.emplace_back(one.key, one.upper_bound); };
  }
  visit.problem = VisitTrace(
      path, family, [&visit](absl::string_view key) { visit.keys.emplace_back(key); }, &visit.notes,
      seek);
  return visit;
}

void MultiGet(DB* database, ColumnFamilyHandle* family, const std::vector<std::string>& keys) {
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<PinnableSlice> values(keys.size());
  std::vector<Status> statuses(keys.size());
  database->MultiGet(ReadOptions(), family, keys.size(), slices.data(), values.data(),
                     statuses.data());
}

const std::vector<std::string> kOfDefault = {"a", std::string("\0\n\xff", 3), "m1", "m2",
                                             "a", std::string(200, 'x'),      "",   "mixed"};
const std::vector<std::string> kOfOther = {"b", "m3", "mixed too"};

class LookupTraceTest : public ::testing::Test {
 protected:
  // Makes RocksDB trace lookups in two column families, and other operations.
  void SetUp() override {
    const auto database = OpenDatabase(MakeOptions({}), folder_ / "db");
    ColumnFamilyHandle* family = nullptr;
    ASSERT_STATUS_OK(database->CreateColumnFamily(ColumnFamilyOptions(), "other", &family));
    other_ = family->GetID();
    std::unique_ptr<ROCKSDB_NAMESPACE::TraceWriter> writer;
    ASSERT_STATUS_OK(NewFileTraceWriter(ROCKSDB_NAMESPACE::Env::Default(), {}, trace_, &writer));
    ASSERT_STATUS_OK(database->StartTrace({}, std::move(writer)));
    ColumnFamilyHandle* ours = database->DefaultColumnFamily();
    std::string value;
    for (const size_t i : {0, 1}) database->Get({}, ours, kOfDefault[i], &value);
    ASSERT_STATUS_OK(database->Put(WriteOptions(), "written", "value"));
    database->Get({}, family, kOfOther[0], &value);
    MultiGet(database.get(), ours, {kOfDefault[2], kOfDefault[3]});
    MultiGet(database.get(), family, {kOfOther[1]});
    for (const size_t i : {4, 5, 6}) database->Get({}, ours, kOfDefault[i], &value);
    std::unique_ptr<ROCKSDB_NAMESPACE::Iterator> iterator(database->NewIterator(ReadOptions()));
    iterator->Seek("seek");
    iterator->SeekForPrev("seek");
    std::vector<std::string> values;
    database->MultiGet(ReadOptions(), std::vector<ColumnFamilyHandle*>{ours, family},
                       {Slice(kOfDefault[7]), Slice(kOfOther[2])}, &values);
    iterator.reset();
    ASSERT_STATUS_OK(database->EndTrace());
    ASSERT_STATUS_OK(database->DestroyColumnFamilyHandle(family));
  }

  TemporaryFolder folder_;
  const std::string trace_ = folder_ / "trace";
  uint32_t other_ = 0;
};

TEST_F(LookupTraceTest, HasTheLookupsOfAFamilyInTheirOrder) {
  const Visit ours = VisitAll(trace_);
  EXPECT_EQ(ours.problem, "");
  EXPECT_THAT(ours.keys, ElementsAreArray(kOfDefault));
  EXPECT_EQ(ours.notes.lookups, kOfDefault.size());
  EXPECT_EQ(ours.notes.of_other_families, kOfOther.size());
  EXPECT_EQ(ours.notes.writes, 1);
  EXPECT_EQ(ours.notes.seeks, 2);
  EXPECT_EQ(ours.notes.others, 0);
  EXPECT_EQ(ours.notes.Sentence(),
            "taken were its 8 lookups; passed over 3 lookups of other column families, 1 write, 2 "
            "seeks of iterators");
  EXPECT_THAT(VisitAll(trace_, other_).keys, ElementsAreArray(kOfOther));
  EXPECT_THAT(VisitAll(trace_, 77).keys, IsEmpty());
  EXPECT_TRUE(IsTraceFile(trace_));
}

// A trace by RocksDB's StartTrace(), including bounds.
TEST_F(LookupTraceTest, HasTheSeeksOfAFamilyWithTheirBounds) {
  const std::string path = folder_ / "seeks";
  const auto database = OpenDatabase(MakeOptions({}), folder_ / "scanned");
  ColumnFamilyHandle* family = nullptr;
  ASSERT_STATUS_OK(database->CreateColumnFamily(ColumnFamilyOptions(), "other", &family));
  ASSERT_STATUS_OK(database->Put(WriteOptions(), "c", "value"));
  const std::string zero("b\0", 2);
  const Slice low = zero, high = "d\xff";
  const auto scan = [&](const Slice* lower, const Slice* upper, ColumnFamilyHandle* of) {
    ReadOptions read;
    read.iterate_lower_bound = lower;
    read.iterate_upper_bound = upper;
    return std::unique_ptr<ROCKSDB_NAMESPACE::Iterator>(database->NewIterator(read, of));
  };
  ColumnFamilyHandle* ours = database->DefaultColumnFamily();
  testing::RecordTrace(database.get(), path, [&] {
    scan(nullptr, &high, ours)->Seek(zero);
    scan(nullptr, nullptr, ours)->Seek("x");
    scan(&low, &high, ours)->Seek("");
    scan(&low, nullptr, ours)->Seek("c");
    scan(&low, &high, ours)->SeekToFirst();
    scan(nullptr, &high, ours)->SeekToFirst();
    scan(nullptr, &high, ours)->SeekForPrev("a");
    scan(nullptr, &high, family)->Seek("of other");
    std::string value;
    EXPECT_TRUE(database->Get({}, "c", &value).ok());
  });
  ASSERT_STATUS_OK(database->DestroyColumnFamilyHandle(family));

  const Visit visit = VisitAll(path, 0, true);
  EXPECT_EQ(visit.problem, "");
  const std::string upper = high.ToString();
  EXPECT_THAT(visit.seeks, ElementsAre(Pair(zero, upper), Pair("x", ""), Pair("", upper),
                                       Pair("c", ""), Pair(zero, upper)));
  EXPECT_EQ(visit.notes.cut_off, "");
  EXPECT_EQ(visit.notes.taken_seeks, 5);
  EXPECT_EQ(visit.notes.Sentence(),
            "taken were its 1 lookup and 5 seeks; passed over 2 seeks of iterators");

  const std::string whole = ReadFile(path);
  for (size_t size = 60; size < whole.size(); ++size) {
    WriteFile(path, whole.substr(0, size));
    const Visit of_part = VisitAll(path, 0, true);
    ASSERT_LE(of_part.seeks.size(), 5u);
    for (const auto& [key, bound] : of_part.seeks) ASSERT_LE(key.size() + bound.size(), 4u) << size;
  }
}

// Truncates the trace at each byte, including ends of records.
TEST_F(LookupTraceTest, IsReadUpToWhereItIsCutOff) {
  const std::string whole = ReadFile(trace_);
  const std::string path = folder_ / "cut";
  size_t most = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    WriteFile(path, whole.substr(0, size));
    const Visit visit = VisitAll(path);
    if (!visit.problem.empty()) {
      ASSERT_THAT(visit.problem, HasSubstr("is not a trace")) << size;
      ASSERT_EQ(most, 0u) << size;
      continue;
    }
    ASSERT_THAT(visit.notes.cut_off, HasSubstr("cut off")) << size;
    ASSERT_GE(visit.keys.size(), most) << size;
    most = visit.keys.size();
    ASSERT_THAT(visit.keys, ElementsAreArray(kOfDefault.data(), most)) << size;
  }
  EXPECT_EQ(most, kOfDefault.size());
  EXPECT_THAT(VisitAll(path).notes.Sentence(), HasSubstr(": read up to there, with 8 lookups"));
}

TEST_F(LookupTraceTest, MakesUpNothingWhereItIsDamaged) {
  const std::string whole = ReadFile(trace_);
  const std::string path = folder_ / "damaged";
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char change : {'\x01', '\x80'}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      WriteFile(path, damaged);
      const Visit visit = VisitAll(path);
      ASSERT_LE(visit.keys.size(), kOfDefault.size() + kOfOther.size()) << at;
      for (const std::string& key : visit.keys) ASSERT_LE(key.size(), 200u) << at;
    }
  }
  // Damages the type of the second record, which is a Get.
  std::string damaged = whole;
  const size_t second = 13 + static_cast<unsigned char>(whole[9]);
  ASSERT_EQ(damaged[second + 8], 4);
  damaged[second + 8] = 0;
  WriteFile(path, damaged);
  EXPECT_THAT(VisitAll(path).notes.cut_off, HasSubstr("damaged in the record at byte"));
}

TEST_F(LookupTraceTest, OfAnotherVersionIsAnError) {
  std::string other = ReadFile(trace_);
  const size_t at = other.find("Version: 0.2");
  ASSERT_NE(at, std::string::npos);
  other[at + 11] = '3';
  WriteFile(trace_, other);
  EXPECT_THAT(VisitAll(trace_).problem, HasSubstr("is a trace of version 0.3"));
}

// RocksDB's format before 6.20: the payload of a Get has no leading bit mask.
TEST_F(LookupTraceTest, AnOldOneIsRead) {
  const auto record = [](char type, const std::string& payload) {
    return std::string(8, '\0') + type + static_cast<char>(payload.size()) + std::string(3, '\0') +
           payload;
  };
  WriteFile(trace_,
            record(1, "feedcafedeadbeef\tTrace Version: 0.1\tRocksDB Version: 6.1\tFormat\n") +
                record(4, std::string("\0\0\0\0\3old", 8)) +
                record(4, std::string("\1\0\0\0\5other", 10)) +
                record(5, std::string("\0\0\0\0\4seek", 9)) + record(2, ""));
  const Visit visit = VisitAll(trace_);
  EXPECT_THAT(visit.keys, ElementsAre("old"));
  EXPECT_EQ(visit.notes.cut_off, "");
  EXPECT_EQ(visit.notes.of_other_families, 1);
  EXPECT_THAT(VisitAll(trace_, 0, true).seeks, ElementsAre(Pair("seek", "")));
}

TEST_F(LookupTraceTest, AnotherFileIsAnError) {
  EXPECT_THAT(VisitAll(folder_ / "missing").problem, HasSubstr("No such file"));
  for (const std::string& text : {std::string(), std::string("key\n"), std::string(1000, '\0')}) {
    WriteFile(trace_, text);
    EXPECT_FALSE(IsTraceFile(trace_));
    EXPECT_THAT(VisitAll(trace_).problem, HasSubstr("is not a trace of RocksDB's"));
  }
}

}  // namespace lookup_trace_test
}  // namespace winnow::inspect
