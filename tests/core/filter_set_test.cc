// Tests that FilterSet returns the answers of its filters one by one, for any files in any order.

#include "winnow/filter_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "src/core/format.h"
#include "tests/core/filter_set_testing.h"
#include "tests/support/random_hashes.h"
#include "winnow/builder.h"

namespace winnow {
namespace filter_set_test {

using testing::Blocks;
using testing::BuildBytes;
using ::testing::ElementsAre;
using testing::Expected;
using testing::Indices;
using ::testing::IsEmpty;
using testing::MakeBlocks;
using testing::RandomHashes;
using testing::TestSeed;
using testing::Words;

// Storage of a set's blocks: copies, unaligned views, or a mix.
enum class Storage { kCopies, kViews, kBoth };
class SetOfBlocks {
 public:
  SetOfBlocks(const std::vector<std::string>& blocks, Storage storage) {
    FilterSetEdit edit;
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (storage == Storage::kCopies || (storage == Storage::kBoth && i % 3 == 0)) {
        edit.InsertCopy(i, IdOf(i), blocks[i]);
        continue;
      }
      const size_t before = i % 67;
      auto bytes = std::make_unique<char[]>(before + blocks[i].size());
      std::memcpy(bytes.get() + before, blocks[i].data(), blocks[i].size());
      edit.InsertView(i, IdOf(i), {bytes.get() + before, blocks[i].size()});
      kept_.push_back(std::move(bytes));
    }
    set_ = edit.Build();
  }

  static uint64_t IdOf(size_t i) { return 1000 + 7 * i; }
  const FilterSet& set() const { return set_; }

 private:
  std::vector<std::unique_ptr<char[]>> kept_;
  FilterSet set_;
};

bool BitOf(const uint64_t* words, size_t i) { return (words[i / 64] >> (i % 64) & 1) != 0; }

std::vector<FilterView> ViewsOf(const std::vector<std::string>& blocks) {
  return {blocks.begin(), blocks.end()};
}

// Returns a range of files, or one that goes beyond them, ends before it begins or has none.
IndexRange SomeRange(size_t files, RandomHashes* random) {
  const size_t first = random->Below(files + 1);
  switch (random->Below(5)) {
    case 0:
      return {first, SIZE_MAX};
    case 1:
      return {files + 70, SIZE_MAX};
    case 2:
      return {first + 1, first};
    default:
      return {first, first + random->Below(files + 1 - first)};
  }
}

std::vector<size_t> ExpectedInRange(const std::vector<FilterView>& views, KeyHash hash,
                                    IndexRange range) {
  const size_t last = std::min(range.last, views.size());
  return Expected(views, hash, std::min(range.first, last), last);
}

std::vector<size_t> ExpectedAmong(const std::vector<FilterView>& views, KeyHash hash,
                                  const uint64_t* among) {
  std::vector<size_t> expected = Expected(views, hash, 0, views.size());
  expected.erase(std::remove_if(expected.begin(), expected.end(),
                                [among](size_t i) { return !BitOf(among, i); }),
                 expected.end());
  return expected;
}

// Each way to ask for one key: all files, a range, a bitmap and a list of files.
void ExpectSingleLookups(const FilterSet& set, const std::vector<FilterView>& views, KeyHash hash,
                         RandomHashes* random) {
  Words words(set.num_words());
  CandidateList list = set.Candidates(hash, words);
  const std::vector<size_t> expected = Expected(views, hash, 0, views.size());
  ASSERT_EQ(Indices(list), expected);
  ASSERT_EQ(list.size(), expected.size());
  ASSERT_EQ(list.empty(), expected.empty());
  ASSERT_TRUE(words.IsIntact());
  for (size_t i = views.size(); i < words.size() * 64; ++i) ASSERT_FALSE(BitOf(words.data(), i));

  const IndexRange range = SomeRange(views.size(), random);
  list = set.Candidates(hash, range, words);
  ASSERT_EQ(Indices(list), ExpectedInRange(views, hash, range))
      << range.first << " to " << range.last;
  ASSERT_TRUE(words.IsIntact());
  // The words have the same bits and no other.
  ASSERT_EQ(Indices(CandidateList(words.data(), set.size())), Indices(list));

  Words among(set.num_words());
  const uint64_t sparseness = random->Below(4);
  for (size_t w = 0; w < among.size(); ++w) {
    among[w] = ~uint64_t{0};
    for (uint64_t i = 0; i < sparseness; ++i) among[w] &= random->Next();
  }
  const std::vector<size_t> expected_among = ExpectedAmong(views, hash, among.data());
  ASSERT_EQ(Indices(set.CandidatesAmong(hash, among, words)), expected_among);
  ASSERT_TRUE(words.IsIntact());
  ASSERT_EQ(Indices(set.CandidatesAmong(hash, among, among)), expected_among);

  std::vector<uint32_t> files(random->Below(150));
  // Some indices are not in the set.
  for (uint32_t& file : files) file = static_cast<uint32_t>(random->Below(views.size() + 2));
  Words listed(FilterSet::WordsFor(files.size()));
  std::vector<size_t> expected_listed;
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i] >= views.size() || views[files[i]].MayContain(hash)) expected_listed.push_back(i);
  }
  ASSERT_EQ(Indices(set.CandidatesOf(hash, files.data(), files.size(), listed)), expected_listed);
  ASSERT_TRUE(listed.IsIntact());
}

// Each way to ask for many keys.
void ExpectBatches(const FilterSet& set, const std::vector<FilterView>& views,
                   const std::vector<KeyHash>& queries, RandomHashes* random) {
  const size_t row = set.num_words();
  for (const size_t n : {size_t{0}, size_t{1}, size_t{3}, size_t{70}, queries.size()}) {
    Words words(n * row);
    const auto expect_rows = [&](const CandidateRows& rows, auto expected_of) {
      ASSERT_TRUE(words.IsIntact());
      for (size_t i = 0; i < n; ++i) ASSERT_EQ(Indices(rows[i]), expected_of(i)) << n << " keys";
    };
    expect_rows(set.Candidates(queries.data(), n, words),
                [&](size_t i) { return Expected(views, queries[i], 0, views.size()); });
    const IndexRange range = SomeRange(views.size(), random);
    expect_rows(set.Candidates(queries.data(), n, range, words),
                [&](size_t i) { return ExpectedInRange(views, queries[i], range); });
    Words among(n * row);
    for (size_t w = 0; w < n * row; ++w) among[w] = random->Next() & random->Next();
    expect_rows(set.CandidatesAmong(queries.data(), n, among, words),
                [&](size_t i) { return ExpectedAmong(views, queries[i], among.data() + i * row); });
  }
}

void ExpectEveryLookup(const std::vector<std::string>& blocks, Storage storage,
                       const std::vector<KeyHash>& queries, RandomHashes* random) {
  const std::vector<FilterView> views = ViewsOf(blocks);
  const SetOfBlocks made(blocks, storage);
  for (const KeyHash hash : queries) {
    ASSERT_NO_FATAL_FAILURE(ExpectSingleLookups(made.set(), views, hash, random));
  }
  ExpectBatches(made.set(), views, queries, random);
}

TEST(FilterSetTest, HasNoFilesAtFirst) {
  const FilterSet set;
  EXPECT_EQ(set.size(), 0u);
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.num_words(), 0u);
  EXPECT_TRUE(set.Candidates({1}, WordSpan()).empty());
  EXPECT_EQ(set.Find(0), std::nullopt);
  EXPECT_THAT(set.Unusable(), IsEmpty());
  EXPECT_EQ(FilterSetEdit().Build().size(), 0u);
}

TEST(FilterSetTest, EveryLookupGivesTheAnswersOfTheFiltersOneByOne) {
  RandomHashes random(TestSeed());
  for (const size_t count : {0u, 1u, 2u, 63u, 64u, 65u, 128u, 300u}) {
    SCOPED_TRACE(std::to_string(count) + " files");
    const Blocks blocks = MakeBlocks(count, random);
    std::vector<KeyHash> queries = blocks.present;
    const std::vector<KeyHash> absent = random.Take(300);
    queries.insert(queries.end(), absent.begin(), absent.end());
    for (const Storage storage : {Storage::kCopies, Storage::kViews, Storage::kBoth}) {
      ASSERT_NO_FATAL_FAILURE(ExpectEveryLookup(blocks.bytes, storage, queries, &random));
    }
  }
}

// Common trees: all files are of one kind, or files of one kind follow those of another.
TEST(FilterSetTest, FilesOfOneKindBesideEachOther) {
  RandomHashes random(TestSeed());
  std::vector<std::string> ribbons;
  std::vector<std::string> blooms;
  std::vector<KeyHash> queries = random.Take(150);
  for (size_t i = 0; i < 12; ++i) {
    const std::vector<KeyHash> hashes = random.Take(700 + random.Below(700));
    ribbons.push_back(BuildBytes(FilterKind::kRibbon, 6, hashes));
    blooms.push_back(BuildBytes(FilterKind::kBloom, 6, hashes));
    queries.insert(queries.end(), hashes.begin(), hashes.begin() + 10);
  }
  for (const size_t before : {0u, 1u, 63u, 64u, 70u}) {
    for (const size_t count : {0u, 1u, 63u, 64u, 65u, 128u, 300u}) {
      SCOPED_TRACE(std::to_string(before) + " Ribbons, " + std::to_string(count) + " Blooms");
      std::vector<std::string> blocks;
      for (size_t i = 0; i < before; ++i) blocks.push_back(ribbons[random.Below(12)]);
      for (size_t i = 0; i < count; ++i) blocks.push_back(blooms[random.Below(12)]);
      ASSERT_NO_FATAL_FAILURE(ExpectEveryLookup(blocks, Storage::kBoth, queries, &random));
    }
  }
}

// Filters are large enough for prefetching, with all kinds of runs.
TEST(FilterSetTest, LargeFiltersAreAskedAheadWithTheSameAnswers) {
  RandomHashes random(TestSeed());
  std::vector<std::string> blocks;
  std::vector<KeyHash> queries = random.Take(2000);
  for (size_t i = 0; i < 30; ++i) {
    const std::vector<KeyHash> hashes = random.Take(40000 + random.Below(20000));
    blocks.push_back(BuildBytes(i % 3 == 0 ? FilterKind::kRibbon : FilterKind::kBloom,
                                i % 7 == 0 ? 14 : 10, hashes));
    queries.insert(queries.end(), hashes.begin(), hashes.begin() + 300);
  }
  for (const Storage storage : {Storage::kCopies, Storage::kViews}) {
    ASSERT_NO_FATAL_FAILURE(ExpectEveryLookup(blocks, storage, queries, &random));
  }
}

// ---- Too few words

std::vector<size_t> EveryIndex(size_t first, size_t last) {
  std::vector<size_t> indices(last - first);
  std::iota(indices.begin(), indices.end(), first);
  return indices;
}

// Calls check(words) with fewer words than needed, from 0 on, followed by canaries. Too few words
// fail an assertion in debug builds of the library; otherwise no word is written.
template <typename Check>
void ForTooFewWords(size_t needed, Check check) {
  for (size_t size = 0; size < needed; ++size) {
    SCOPED_TRACE(std::to_string(size) + " words of " + std::to_string(needed));
    std::vector<uint64_t> words(needed + 64, Words::kCanary);
#ifndef WINNOW_CORE_ASSERTS
    check(WordSpan(words.data(), size));
    for (const uint64_t word : words) ASSERT_EQ(word, Words::kCanary);
    // Exact size, so that sanitizers detect writes behind the words.
    std::vector<uint64_t> exact(size);
    check(WordSpan(exact));
#else
    EXPECT_DEATH(check(WordSpan(words.data(), size)), "fewer words");
#endif
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(FilterSetTest, TooFewWordsAreNotOverrunAndDenyNoFile) {
  RandomHashes random(TestSeed());
  for (const size_t count : {1u, 2u, 5u, 64u, 65u, 200u}) {
    SCOPED_TRACE(std::to_string(count) + " files");
    const std::string block = BuildBytes(FilterKind::kBloom, 10, random.Take(10));
    const std::string ribbon = BuildBytes(FilterKind::kRibbon, 10, random.Take(900));
    std::vector<std::string> blocks(count, block);
    for (const bool are_mixed : {false, true}) {
      if (are_mixed) blocks.back() = ribbon;
      const SetOfBlocks made(blocks, Storage::kBoth);
      const FilterSet& set = made.set();
      const KeyHash hash = random.Take(1).front();
      const std::vector<KeyHash> hashes = random.Take(3);
      const size_t row = set.num_words();
      const std::vector<size_t> every = EveryIndex(0, count);
      std::vector<uint64_t> none(row * 3);
      const IndexRange range{count / 3, count - count / 4};

      ForTooFewWords(row, [&](WordSpan words) {
        const CandidateList list = set.Candidates(hash, words);
        ASSERT_EQ(Indices(list), every);
        ASSERT_EQ(list.size(), count);
        ASSERT_FALSE(list.empty());
        ASSERT_EQ(Indices(set.Candidates(hash, range, words)), EveryIndex(range.first, range.last));
        ASSERT_TRUE(set.Candidates(hash, {2, 2}, words).empty());
        ASSERT_EQ(Indices(set.CandidatesAmong(hash, none, words)), every);
      });
      ForTooFewWords(row, [&](WordSpan among) {
        std::vector<uint64_t> words(row);
        ASSERT_EQ(Indices(set.CandidatesAmong(hash, among, words)), every);
      });
      const auto expect_rows = [&](const CandidateRows& rows, const std::vector<size_t>& each) {
        for (size_t i = 0; i < hashes.size(); ++i) ASSERT_EQ(Indices(rows[i]), each);
      };
      ForTooFewWords(row * hashes.size(), [&](WordSpan words) {
        expect_rows(set.Candidates(hashes.data(), hashes.size(), words), every);
        expect_rows(set.Candidates(hashes.data(), hashes.size(), range, words),
                    EveryIndex(range.first, range.last));
        expect_rows(set.CandidatesAmong(hashes.data(), hashes.size(), none, words), every);
      });
      ForTooFewWords(row * hashes.size(), [&](WordSpan among) {
        expect_rows(set.CandidatesAmong(hashes.data(), hashes.size(), among, none), every);
      });
      const std::vector<uint32_t> files(count, 0);
      for (const FilterSet& asked : {set, FilterSet()}) {
        ForTooFewWords(row, [&](WordSpan words) {
          ASSERT_EQ(Indices(asked.CandidatesOf(hash, files.data(), count, words)), every);
        });
      }
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

// ---- Files

TEST(FilterSetTest, SaysWhichFiltersCanNotBeUsed) {
  const std::string good = BuildBytes(FilterKind::kBloom, 10, {{1}, {2}});
  std::string damaged = good;
  damaged[damaged.size() - 20] ^= 1;
  FilterSetEdit edit;
  EXPECT_EQ(edit.InsertCopy(0, 10, good), Fault::kNone);
  EXPECT_EQ(edit.InsertCopy(1, 11, damaged), Fault::kTailChecksum);
  EXPECT_EQ(edit.InsertView(2, 12, {}), Fault::kForeign);
  EXPECT_EQ(edit.InsertCopy(3, 13, {}), Fault::kForeign);
  EXPECT_EQ(edit.InsertCopy(4, 14, std::string(100, 'x')), Fault::kForeign);
  std::string bad_payload = good;
  bad_payload[0] ^= 1;
  EXPECT_EQ(edit.InsertCopy(5, 15, bad_payload), Fault::kPayload);
  EXPECT_EQ(edit.InsertView(6, 16, bad_payload, nullptr, PayloadCheck::kVerify), Fault::kPayload);
  const FilterSet set = edit.Build();
  const std::vector<UnusableFilter> unusable = set.Unusable();
  ASSERT_EQ(unusable.size(), 6u);
  constexpr Fault kFaults[] = {Fault::kTailChecksum, Fault::kForeign, Fault::kForeign,
                               Fault::kForeign,      Fault::kPayload, Fault::kPayload};
  for (size_t i = 0; i < unusable.size(); ++i) {
    EXPECT_EQ(unusable[i].index, i + 1);
    EXPECT_EQ(unusable[i].id, i + 11);
    EXPECT_EQ(unusable[i].fault, kFaults[i]);
    EXPECT_EQ(set.fault(i + 1), kFaults[i]);
  }
  EXPECT_EQ(set.fault(0), Fault::kNone);
  uint64_t words[1];
  EXPECT_THAT(Indices(set.Candidates({3}, words)), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(Indices(set.Candidates({1}, words)), ElementsAre(0, 1, 2, 3, 4, 5, 6));
  FilterSetEdit unchecked;
  EXPECT_EQ(unchecked.InsertView(0, 1, bad_payload), Fault::kNone);
}

TEST(FilterSetTest, AFileLivesAsLongAsASetThatHasIt) {
  const std::string block = BuildBytes(FilterKind::kBloom, 10, {{1}});
  auto bytes = std::make_shared<const std::string>(block);
  const std::weak_ptr<const std::string> watch = bytes;
  FilterSetEdit edit;
  edit.InsertView(0, 1, *bytes, bytes);
  bytes.reset();
  FilterSet first = edit.Build();
  const FilterSet copy = first;
  edit.InsertCopy(0, 2, block);
  FilterSet second = edit.Build();
  edit = FilterSetEdit(second);
  edit.RemoveId(1);
  const FilterSet third = edit.Build();
  first = FilterSet();
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(copy.size(), 1u);
  second = third;
  EXPECT_FALSE(watch.expired());
  uint64_t words[1];
  EXPECT_THAT(Indices(copy.Candidates({1}, words)), ElementsAre(0));
  FilterSet moved = copy;
  const FilterSet target = std::move(moved);
  EXPECT_EQ(target.size(), 1u);
  EXPECT_EQ(moved.size(), 0u);  // NOLINT(bugprone-use-after-move): empty, as the standard says
  EXPECT_EQ(third.id(0), 2u);
}

}  // namespace filter_set_test
}  // namespace winnow
