// What a FilterSet promises: the answers of its filters one by one, for any files in any order,
// while other versions are made of it.

#include "winnow/filter_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/core/format.h"
#include "tests/random_hashes.h"
#include "winnow/builder.h"

namespace winnow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::RandomHashes;
using testing::TestSeed;

std::string Build(FilterKind kind, double bits_per_key, const std::vector<KeyHash>& hashes) {
  FilterOptions options;
  options.kind = kind;
  options.bits_per_key = bits_per_key;
  FilterBuilder builder(options);
  builder.Add(hashes.data(), hashes.size());
  return std::string(builder.Finish().bytes());
}

// The blocks that files of a test are made of.
struct Blocks {
  std::vector<std::string> bytes;
  std::vector<KeyHash> present;  // in one of them each
};

// Blocks of every sort, many of them of one: what a tree has after its options were changed.
Blocks MakeBlocks(size_t count, RandomHashes& random) {
  constexpr double kAccuracies[] = {10, 10, 10, 7.5, 1, 32};
  Blocks blocks;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t sort = random.Below(20);
    const size_t keys = sort < 16 ? 1 + random.Below(sort % 4 == 0 ? 3000 : 300) : 0;
    const std::vector<KeyHash> hashes = random.Take(keys);
    blocks.bytes.push_back(Build(sort % 2 == 0 ? FilterKind::kBloom : FilterKind::kRibbon,
                                 kAccuracies[random.Below(6)], hashes));
    std::string& bytes = blocks.bytes.back();
    if (sort == 17) bytes.assign(random.Below(200), 'x');  // foreign, or none
    if (sort == 18) bytes[bytes.size() - 20] ^= 1;         // damaged
    if (sort < 16) {
      blocks.present.insert(blocks.present.end(), hashes.begin(),
                            hashes.begin() + static_cast<ptrdiff_t>(std::min<size_t>(keys, 5)));
    }
  }
  return blocks;
}

// A set of these blocks: copies, views at odd addresses, or some of each.
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

std::vector<size_t> Indices(const CandidateList& list) { return {list.begin(), list.end()}; }

// Words whose content a lookup must not depend on, with one more behind that it must not touch.
class Words {
 public:
  static constexpr uint64_t kCanary = 0x5a5a5a5a5a5a5a5a;
  explicit Words(size_t words) : words_(words + 1, kCanary) {}
  uint64_t* get() { return words_.data(); }
  uint64_t& operator[](size_t i) { return words_[i]; }
  bool IsIntact() const { return words_.back() == kCanary; }

 private:
  std::vector<uint64_t> words_;
};

bool BitOf(const uint64_t* words, size_t i) { return (words[i / 64] >> (i % 64) & 1) != 0; }

// The answers of the filters one by one.
std::vector<size_t> Expected(const std::vector<FilterView>& views, KeyHash hash, size_t first,
                             size_t last) {
  std::vector<size_t> indices;
  for (size_t i = first; i < last; ++i) {
    if (views[i].MayContain(hash)) indices.push_back(i);
  }
  return indices;
}

struct Model {
  explicit Model(const std::vector<std::string>& blocks) {
    for (const std::string& block : blocks) views.emplace_back(block);
  }
  std::vector<FilterView> views;
};

constexpr size_t kCounts[] = {0, 1, 2, 63, 64, 65, 128, 300};

// Calls check(set, model, queries, random) for sets of every size and storage.
template <typename Check>
void ForSets(Check check) {
  RandomHashes random(TestSeed());
  for (const size_t count : kCounts) {
    const Blocks blocks = MakeBlocks(count, random);
    const Model model(blocks.bytes);
    std::vector<KeyHash> queries = blocks.present;
    const std::vector<KeyHash> absent = random.Take(300);
    queries.insert(queries.end(), absent.begin(), absent.end());
    for (const Storage storage : {Storage::kCopies, Storage::kViews, Storage::kBoth}) {
      const SetOfBlocks made(blocks.bytes, storage);
      SCOPED_TRACE(std::to_string(count) + " files");
      check(made.set(), model.views, queries, random);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(FilterSetTest, HasNoFilesAtFirst) {
  const FilterSet set;
  EXPECT_EQ(set.size(), 0u);
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.num_words(), 0u);
  EXPECT_TRUE(set.Candidates({1}, nullptr).empty());
  EXPECT_EQ(set.Find(0), std::nullopt);
  EXPECT_THAT(set.Unusable(), IsEmpty());
  EXPECT_EQ(FilterSetEdit().Build().size(), 0u);
}

TEST(FilterSetTest, CandidatesAreThoseOfTheFiltersOneByOne) {
  ForSets([](const FilterSet& set, const std::vector<FilterView>& views,
             const std::vector<KeyHash>& queries, RandomHashes&) {
    Words words(set.num_words());
    for (const KeyHash hash : queries) {
      const CandidateList list = set.Candidates(hash, words.get());
      const std::vector<size_t> expected = Expected(views, hash, 0, views.size());
      ASSERT_EQ(Indices(list), expected);
      ASSERT_EQ(list.size(), expected.size());
      ASSERT_EQ(list.empty(), expected.empty());
      ASSERT_TRUE(words.IsIntact());
      for (size_t i = views.size(); i < set.num_words() * 64; ++i)
        ASSERT_FALSE(BitOf(words.get(), i));
    }
  });
}

TEST(FilterSetTest, ARangeRestricts) {
  ForSets([](const FilterSet& set, const std::vector<FilterView>& views,
             const std::vector<KeyHash>& queries, RandomHashes& random) {
    Words words(set.num_words());
    for (const KeyHash hash : queries) {
      const size_t first = random.Below(views.size() + 1);
      const size_t last = first + random.Below(views.size() + 1 - first);
      const CandidateList list = set.Candidates(hash, {first, last}, words.get());
      ASSERT_EQ(Indices(list), Expected(views, hash, first, last)) << first << " to " << last;
      ASSERT_TRUE(words.IsIntact());
      // The words hold the same and no other bit.
      ASSERT_EQ(Indices(CandidateList(words.get(), set.num_words())), Indices(list));
      // What is not in the set is not asked for.
      ASSERT_EQ(Indices(set.Candidates(hash, {first, SIZE_MAX}, words.get())),
                Expected(views, hash, first, views.size()));
      ASSERT_TRUE(set.Candidates(hash, {views.size() + 70, SIZE_MAX}, words.get()).empty());
      ASSERT_TRUE(set.Candidates(hash, {last + 1, last}, words.get()).empty());
    }
  });
}

TEST(FilterSetTest, ABitmapRestricts) {
  ForSets([](const FilterSet& set, const std::vector<FilterView>& views,
             const std::vector<KeyHash>& queries, RandomHashes& random) {
    Words words(set.num_words());
    for (const KeyHash hash : queries) {
      Words among(set.num_words());
      const uint64_t sparseness = random.Below(4);
      for (size_t w = 0; w < set.num_words(); ++w) {
        among[w] = ~uint64_t{0};
        for (uint64_t i = 0; i < sparseness; ++i) among[w] &= random.Next();
      }
      std::vector<size_t> expected = Expected(views, hash, 0, views.size());
      expected.erase(std::remove_if(expected.begin(), expected.end(),
                                    [&](size_t i) { return !BitOf(among.get(), i); }),
                     expected.end());
      ASSERT_EQ(Indices(set.Candidates(hash, among.get(), words.get())), expected);
      ASSERT_TRUE(words.IsIntact());
      ASSERT_EQ(Indices(set.Candidates(hash, among.get(), among.get())), expected);
    }
  });
}

TEST(FilterSetTest, AListIsAnsweredInItsOwnOrder) {
  ForSets([](const FilterSet& set, const std::vector<FilterView>& views,
             const std::vector<KeyHash>& queries, RandomHashes& random) {
    for (const KeyHash hash : queries) {
      std::vector<uint32_t> files(random.Below(150));
      // Now and then one that the set does not have.
      for (uint32_t& file : files) file = static_cast<uint32_t>(random.Below(views.size() + 2));
      Words words(FilterSet::WordsFor(files.size()));
      std::vector<size_t> expected;
      for (size_t i = 0; i < files.size(); ++i) {
        if (files[i] >= views.size() || views[files[i]].MayContain(hash)) expected.push_back(i);
      }
      ASSERT_EQ(Indices(set.CandidatesOf(hash, files.data(), files.size(), words.get())), expected);
      ASSERT_TRUE(words.IsIntact());
    }
  });
}

TEST(FilterSetTest, BatchesGiveTheAnswersOfSingleLookups) {
  ForSets([](const FilterSet& set, const std::vector<FilterView>& views,
             const std::vector<KeyHash>& queries, RandomHashes& random) {
    for (const size_t n : {size_t{0}, size_t{1}, size_t{3}, size_t{70}, queries.size()}) {
      const size_t row = set.num_words();
      Words words(n * row);
      Words single(row);
      set.Candidates(queries.data(), n, words.get());
      ASSERT_TRUE(words.IsIntact());
      for (size_t i = 0; i < n; ++i) {
        ASSERT_EQ(Indices(set.Row(words.get(), i)), Expected(views, queries[i], 0, views.size()));
      }
      const size_t first = random.Below(views.size() + 1);
      const size_t last = first + random.Below(views.size() + 1 - first);
      set.Candidates(queries.data(), n, {first, last}, words.get());
      ASSERT_TRUE(words.IsIntact());
      for (size_t i = 0; i < n; ++i) {
        ASSERT_EQ(Indices(set.Row(words.get(), i)), Expected(views, queries[i], first, last));
      }
      Words among(n * row);
      for (size_t w = 0; w < n * row; ++w) among[w] = random.Next() & random.Next();
      set.Candidates(queries.data(), n, among.get(), words.get());
      ASSERT_TRUE(words.IsIntact());
      for (size_t i = 0; i < n; ++i) {
        const auto expected =
            Indices(set.Candidates(queries[i], among.get() + i * row, single.get()));
        ASSERT_EQ(Indices(set.Row(words.get(), i)), expected);
      }
    }
  });
}

// The usual trees: all files of one kind, or those of one kind behind those of another.
TEST(FilterSetTest, FilesOfOneKindBesideEachOther) {
  RandomHashes random(TestSeed());
  std::vector<std::string> ribbons;
  std::vector<std::string> blooms;
  std::vector<KeyHash> queries = random.Take(150);
  for (size_t i = 0; i < 12; ++i) {
    const std::vector<KeyHash> hashes = random.Take(700 + random.Below(700));
    ribbons.push_back(Build(FilterKind::kRibbon, 6, hashes));
    blooms.push_back(Build(FilterKind::kBloom, 6, hashes));
    queries.insert(queries.end(), hashes.begin(), hashes.begin() + 10);
  }
  for (const size_t before : {0u, 1u, 63u, 64u, 70u}) {
    for (const size_t count : {0u, 1u, 63u, 64u, 65u, 128u, 300u}) {
      std::vector<std::string> blocks;
      for (size_t i = 0; i < before; ++i) blocks.push_back(ribbons[random.Below(12)]);
      for (size_t i = 0; i < count; ++i) blocks.push_back(blooms[random.Below(12)]);
      const Model model(blocks);
      const SetOfBlocks made(blocks, Storage::kBoth);
      const size_t row = made.set().num_words();
      Words words(row * queries.size());
      made.set().Candidates(queries.data(), queries.size(), words.get());
      Words single(row);
      for (size_t i = 0; i < queries.size(); ++i) {
        const std::vector<size_t> expected = Expected(model.views, queries[i], 0, blocks.size());
        ASSERT_EQ(Indices(made.set().Row(words.get(), i)), expected) << before << ", " << count;
        ASSERT_EQ(Indices(made.set().Candidates(queries[i], single.get())), expected);
        const size_t first = random.Below(blocks.size() + 1);
        ASSERT_EQ(Indices(made.set().Candidates(queries[i], {first, SIZE_MAX}, single.get())),
                  Expected(model.views, queries[i], first, blocks.size()));
        ASSERT_TRUE(single.IsIntact());
      }
      ASSERT_TRUE(words.IsIntact());
    }
  }
}

// Large enough for asking ahead, with every kind of run.
TEST(FilterSetTest, LargeFiltersAreAskedAheadWithTheSameAnswers) {
  RandomHashes random(TestSeed());
  std::vector<std::string> blocks;
  std::vector<KeyHash> queries = random.Take(2000);
  for (size_t i = 0; i < 30; ++i) {
    const std::vector<KeyHash> hashes = random.Take(40000 + random.Below(20000));
    blocks.push_back(
        Build(i % 3 == 0 ? FilterKind::kRibbon : FilterKind::kBloom, i % 7 == 0 ? 14 : 10, hashes));
    queries.insert(queries.end(), hashes.begin(), hashes.begin() + 300);
  }
  const Model model(blocks);
  for (const Storage storage : {Storage::kCopies, Storage::kViews}) {
    const SetOfBlocks made(blocks, storage);
    std::vector<uint64_t> words(made.set().num_words() * queries.size());
    made.set().Candidates(queries.data(), queries.size(), words.data());
    std::vector<uint64_t> single(made.set().num_words());
    for (size_t i = 0; i < queries.size(); ++i) {
      const std::vector<size_t> expected = Expected(model.views, queries[i], 0, blocks.size());
      ASSERT_EQ(Indices(made.set().Row(words.data(), i)), expected);
      ASSERT_EQ(Indices(made.set().Candidates(queries[i], single.data())), expected);
    }
  }
}

// ---- Files

TEST(FilterSetTest, SaysWhichFiltersCanNotBeUsed) {
  const std::string good = Build(FilterKind::kBloom, 10, {{1}, {2}});
  std::string damaged = good;
  damaged[damaged.size() - 20] ^= 1;
  FilterSetEdit edit;
  EXPECT_EQ(edit.InsertCopy(0, 10, good), Fault::kNone);
  EXPECT_EQ(edit.InsertCopy(1, 11, damaged), Fault::kTailChecksum);
  EXPECT_EQ(edit.InsertView(2, 12, {}), Fault::kForeign);
  EXPECT_EQ(edit.InsertCopy(3, 13, {}), Fault::kForeign);
  EXPECT_EQ(edit.InsertCopy(4, 14, std::string(100, 'x')), Fault::kForeign);
  const FilterSet set = edit.Build();
  const std::vector<UnusableFilter> unusable = set.Unusable();
  ASSERT_EQ(unusable.size(), 4u);
  constexpr Fault kFaults[] = {Fault::kTailChecksum, Fault::kForeign, Fault::kForeign,
                               Fault::kForeign};
  for (size_t i = 0; i < unusable.size(); ++i) {
    EXPECT_EQ(unusable[i].index, i + 1);
    EXPECT_EQ(unusable[i].id, i + 11);
    EXPECT_EQ(unusable[i].fault, kFaults[i]);
    EXPECT_EQ(set.fault(i + 1), kFaults[i]);
  }
  EXPECT_EQ(set.fault(0), Fault::kNone);
  uint64_t words[1];
  EXPECT_THAT(Indices(set.Candidates({3}, words)), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Indices(set.Candidates({1}, words)), ElementsAre(0, 1, 2, 3, 4));
}

TEST(FilterSetTest, TellsItsFiles) {
  const std::string block = Build(FilterKind::kRibbon, 12, RandomHashes(1).Take(5000));
  FilterSetEdit edit;
  edit.InsertCopy(0, 7, block);
  edit.InsertView(1, 8, block);
  edit.InsertCopy(2, 7, block);
  const FilterSet set = edit.Build();
  EXPECT_EQ(set.size(), 3u);
  EXPECT_EQ(set.id(1), 8u);
  EXPECT_EQ(set.Find(7), 0u);
  EXPECT_EQ(set.Find(8), 1u);
  EXPECT_EQ(set.Find(9), std::nullopt);
  EXPECT_EQ(set.filter(2).info().num_hashes, 5000u);
  EXPECT_EQ(set.filter(2).info().kind, FilterKind::kRibbon);
  EXPECT_EQ(set.copied_bytes(), 2 * block.size());
}

TEST(FilterSetTest, AFileLivesAsLongAsASetThatHasIt) {
  const std::string block = Build(FilterKind::kBloom, 10, {{1}});
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

TEST(FilterSetTest, TheLastSetFreesTheBytes) {
  const std::string block = Build(FilterKind::kBloom, 10, {{1}});
  auto bytes = std::make_shared<const std::string>(block);
  const std::weak_ptr<const std::string> watch = bytes;
  FilterSet set;
  {
    FilterSetEdit edit;
    edit.InsertView(0, 1, *bytes, bytes);
    bytes.reset();
    set = edit.Build();
  }
  EXPECT_FALSE(watch.expired());
  set = FilterSet();
  EXPECT_TRUE(watch.expired());
}

// ---- Edits

TEST(FilterSetEditTest, RefusesPlacesThatAreNotThereAndChangesNothing) {
  const std::string block = Build(FilterKind::kBloom, 10, {{1}});
  FilterSetEdit edit;
  edit.InsertCopy(0, 5, block);
  const FilterSet one = edit.Build();
  EXPECT_THROW(edit.InsertCopy(2, 1, block), std::out_of_range);
  EXPECT_THROW(edit.InsertView(2, 1, block), std::out_of_range);
  EXPECT_THROW(edit.InsertFrom(2, one, {0, 1}), std::out_of_range);
  EXPECT_THROW(edit.InsertFrom(0, one, {0, 2}), std::out_of_range);
  EXPECT_THROW(edit.InsertFrom(0, one, {1, 0}), std::out_of_range);
  EXPECT_THROW(edit.InsertFrom(0, FilterSet(), {0, 1}), std::out_of_range);
  EXPECT_THROW(edit.Remove(1), std::out_of_range);
  EXPECT_THROW(edit.Remove(IndexRange{0, 2}), std::out_of_range);
  EXPECT_THROW(edit.Remove(IndexRange{1, 0}), std::out_of_range);
  EXPECT_THROW(edit.Move(0, 1), std::out_of_range);
  EXPECT_THROW(edit.Move(1, 0), std::out_of_range);
  EXPECT_THROW(edit.id(1), std::out_of_range);
  EXPECT_FALSE(edit.RemoveId(6));
  EXPECT_EQ(edit.size(), 1u);
  EXPECT_EQ(edit.id(0), 5u);
  try {
    edit.Remove(3);
  } catch (const std::out_of_range& error) {
    EXPECT_THAT(error.what(), HasSubstr("Remove: there is no place 3 among 1 files"));
  }
}

// A version as a plain list.
struct PlainFile {
  uint64_t id;
  const std::string* block;
};

// Changes both in the same way, at random.
void ChangeAtRandom(const Blocks& blocks, const std::vector<FilterSet>& history, uint64_t id,
                    RandomHashes& random, FilterSetEdit& edit, std::vector<PlainFile>& plain,
                    const std::vector<std::vector<PlainFile>>& plain_history) {
  const auto at = [&](size_t i) { return plain.begin() + static_cast<ptrdiff_t>(i); };
  const size_t place = random.Below(plain.size() + 1);
  const std::string& block = blocks.bytes[random.Below(blocks.bytes.size())];
  switch (random.Below(plain.size() > 150 ? 7 : 5)) {
    case 0:
    case 1:
      edit.InsertCopy(place, id, block);
      plain.insert(at(place), {id, &block});
      break;
    case 2:
      edit.InsertView(place, id, block);
      plain.insert(at(place), {id, &block});
      break;
    case 3: {
      const size_t version = random.Below(history.size());
      const std::vector<PlainFile>& from = plain_history[version];
      const size_t first = random.Below(from.size() + 1);
      const size_t last = std::min(from.size(), first + random.Below(20));
      edit.InsertFrom(place, history[version], {first, last});
      plain.insert(at(place), from.begin() + static_cast<ptrdiff_t>(first),
                   from.begin() + static_cast<ptrdiff_t>(last));
      break;
    }
    case 4:
      if (!plain.empty()) {
        const size_t from = random.Below(plain.size());
        const size_t to = random.Below(plain.size());
        edit.Move(from, to);
        const PlainFile file = plain[from];
        plain.erase(at(from));
        plain.insert(at(to), file);
      }
      break;
    case 5: {
      const size_t last = std::min(plain.size(), place + random.Below(40));
      edit.Remove(IndexRange{place, last});
      plain.erase(at(place), at(last));
      break;
    }
    default: {
      const uint64_t gone = plain[random.Below(plain.size())].id;
      const auto first = std::find_if(plain.begin(), plain.end(),
                                      [gone](const PlainFile& file) { return file.id == gone; });
      ASSERT_EQ(edit.Find(gone), static_cast<size_t>(first - plain.begin()));
      ASSERT_TRUE(edit.RemoveId(gone));
      plain.erase(first);
    }
  }
}

TEST(FilterSetEditTest, RandomEditsAreThoseOfAPlainList) {
  RandomHashes random(TestSeed());
  const Blocks blocks = MakeBlocks(60, random);
  const Model model(blocks.bytes);
  std::vector<FilterSet> history = {FilterSet()};
  std::vector<std::vector<PlainFile>> plain_history = {{}};
  uint64_t id = 0;
  for (int step = 0; step < 1500; ++step) {
    const size_t base = random.Below(3) == 0 ? random.Below(history.size()) : history.size() - 1;
    FilterSetEdit edit(history[base]);
    std::vector<PlainFile> plain = plain_history[base];
    for (uint64_t changes = random.Below(6); changes > 0; --changes) {
      ChangeAtRandom(blocks, history, ++id, random, edit, plain, plain_history);
    }
    const FilterSet set = edit.Build();
    ASSERT_EQ(set.size(), plain.size());
    ASSERT_EQ(edit.size(), plain.size());
    history.push_back(set);
    plain_history.push_back(plain);
    // A version of any age is as it was when it was made.
    const size_t version = random.Below(history.size());
    const std::vector<PlainFile>& files = plain_history[version];
    std::vector<FilterView> views;
    for (size_t i = 0; i < files.size(); ++i) {
      ASSERT_EQ(history[version].id(i), files[i].id);
      views.emplace_back(*files[i].block);
    }
    Words words(history[version].num_words());
    for (int i = 0; i < 20; ++i) {
      const KeyHash hash =
          i % 2 == 0 ? blocks.present[random.Below(blocks.present.size())] : KeyHash{random.Next()};
      ASSERT_EQ(Indices(history[version].Candidates(hash, words.get())),
                Expected(views, hash, 0, views.size()));
    }
  }
}

// ---- Threads

// Where readers find the current version.
class Current {
 public:
  FilterSet Get() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return set_;
  }
  void Replace(FilterSet set) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::swap(set_, set);
  }

 private:
  std::mutex mutex_;
  FilterSet set_;
};

TEST(FilterSetTest, ReadersFindEveryKeyWhileAWriterReplacesTheSet) {
  constexpr int kReplacements = 100'000;
  constexpr uint64_t kStays = 1'000'000;  // ids from here on
  RandomHashes random(TestSeed());
  FilterSetEdit edit;
  std::vector<std::pair<uint64_t, KeyHash>> present;
  for (uint64_t i = 0; i < 12; ++i) {
    const std::vector<KeyHash> hashes = random.Take(i % 3 == 0 ? 20 : 2000);
    edit.InsertCopy(i, kStays + i,
                    Build(i % 2 == 0 ? FilterKind::kBloom : FilterKind::kRibbon, 10, hashes));
    for (const KeyHash hash : hashes) present.emplace_back(kStays + i, hash);
  }
  const std::string passing = Build(FilterKind::kBloom, 10, random.Take(50));
  Current current;
  current.Replace(edit.Build());

  std::atomic<bool> done{false};
  std::atomic<uint64_t> missed{0};
  std::vector<std::thread> readers;
  std::vector<uint64_t> lookups(3);
  for (size_t reader = 0; reader < lookups.size(); ++reader) {
    readers.emplace_back([&, reader] {
      std::vector<uint64_t> words;
      for (size_t i = reader * 1000; !done || lookups[reader] < 1000; ++i) {
        const auto& [id, hash] = present[i % present.size()];
        const FilterSet set = current.Get();
        words.resize(std::max(words.size(), set.num_words()));
        bool found = false;
        for (const size_t index : set.Candidates(hash, words.data())) {
          found = found || set.id(index) == id;
        }
        missed += found ? 0 : 1;
        ++lookups[reader];
      }
    });
  }
  // Files come and go around those that stay, and these change their places.
  for (int i = 0; i < kReplacements; ++i) {
    const auto id = static_cast<uint64_t>(i);
    if (edit.size() > 12 && random.Below(2) == 0) {
      size_t place = random.Below(edit.size());
      while (edit.id(place) >= kStays) place = (place + 1) % edit.size();
      edit.Remove(place);
    } else if (edit.size() < 24) {
      edit.InsertCopy(random.Below(edit.size() + 1), id, passing);
    } else {
      edit.Move(random.Below(edit.size()), random.Below(edit.size()));
    }
    current.Replace(edit.Build());
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(missed, 0u);
  for (const uint64_t count : lookups) EXPECT_GE(count, 1000u);
}

}  // namespace
}  // namespace winnow
