// Tests of FilterSet versions: edits compared with a plain list, and concurrent readers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/core/filter_set_testing.h"
#include "tests/support/random_hashes.h"
#include "winnow/filter_set.h"

namespace winnow {
namespace filter_set_edit_test {

using testing::Blocks;
using testing::BuildBytes;
using testing::Expected;
using ::testing::HasSubstr;
using testing::Indices;
using testing::MakeBlocks;
using testing::RandomHashes;
using testing::TestSeed;
using testing::Words;

TEST(FilterSetEditTest, RefusesPlacesThatAreNotThereAndChangesNothing) {
  const std::string block = BuildBytes(FilterKind::kBloom, 10, {{1}});
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

// A file in a version that is a plain list.
struct PlainFile {
  uint64_t id;
  const std::string* block;
};

// Makes the same random change to both the edit and the list.
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
    // Versions of any age are unchanged.
    const size_t version = random.Below(history.size());
    const std::vector<PlainFile>& files = plain_history[version];
    std::vector<FilterView> views;
    for (size_t i = 0; i < files.size(); ++i) {
      ASSERT_EQ(history[version].id(i), files[i].id);
      ASSERT_LE(*history[version].Find(files[i].id), i);
      views.emplace_back(*files[i].block);
      ASSERT_EQ(history[version].filter(i).info().num_hashes, views[i].info().num_hashes);
    }
    Words words(history[version].num_words());
    for (int i = 0; i < 20; ++i) {
      const KeyHash hash =
          i % 2 == 0 ? blocks.present[random.Below(blocks.present.size())] : KeyHash{random.Next()};
      ASSERT_EQ(Indices(history[version].Candidates(hash, words)),
                Expected(views, hash, 0, views.size()));
    }
  }
}

// ---- Threads

// Holder of the current version, for readers.
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

TEST(FilterSetEditTest, ReadersFindEveryKeyWhileAWriterReplacesTheSet) {
  constexpr int kReplacements = 100'000;
  constexpr uint64_t kStays = 1'000'000;  // ids of files that stay begin here
  RandomHashes random(TestSeed());
  FilterSetEdit edit;
  std::vector<std::pair<uint64_t, KeyHash>> present;
  for (uint64_t i = 0; i < 12; ++i) {
    const std::vector<KeyHash> hashes = random.Take(i % 3 == 0 ? 20 : 2000);
    edit.InsertCopy(i, kStays + i,
                    BuildBytes(i % 2 == 0 ? FilterKind::kBloom : FilterKind::kRibbon, 10, hashes));
    for (const KeyHash hash : hashes) present.emplace_back(kStays + i, hash);
  }
  const std::string passing = BuildBytes(FilterKind::kBloom, 10, random.Take(50));
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
        for (const size_t index : set.Candidates(hash, words)) {
          found = found || set.id(index) == id;
        }
        missed += found ? 0 : 1;
        ++lookups[reader];
      }
    });
  }
  // Other files are inserted and removed around the files that stay, which move.
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

}  // namespace filter_set_edit_test
}  // namespace winnow
