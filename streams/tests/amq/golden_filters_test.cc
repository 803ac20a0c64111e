// Golden files in streams/tests/amq/golden with the bytes of every serializable kind of filter:
// each machine reads equal answers from them, and writes equal bytes. The filters have a history:
// removed keys, keys beyond the plan, saturated counters, growth.
//
// WINNOW_WRITE_GOLDEN_FILTERS=FOLDER writes the files anew and reads them from there, for a new
// kind or after a change of FORMAT.md.

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "streams/tests/amq/filter_testing.h"
#include "tests/support/files.h"
#include "winnow/amq/blocked_bloom.h"
#include "winnow/amq/counting_bloom.h"
#include "winnow/amq/cuckoo_filter.h"
#include "winnow/amq/paged_bloom.h"
#include "winnow/amq/scalable_bloom.h"

namespace winnow::amq {
namespace golden_filters_test {

using winnow::testing::MustBuild;
using winnow::testing::MustOpen;
using winnow::testing::ReadFile;
using winnow::testing::WriteFile;

constexpr int kAbsent = 20'000;

KeyHash Key(int i) { return HashKey("key" + std::to_string(i)); }
KeyHash Absent(int i) { return HashKey("absent" + std::to_string(i)); }

const char* WrittenFolder() { return std::getenv("WINNOW_WRITE_GOLDEN_FILTERS"); }

std::string Golden(const std::string& name) {
  const char* const written = WrittenFolder();
  return ReadFile(std::string(written != nullptr ? written : WINNOW_GOLDEN_FILTERS) + "/" + name);
}

void WriteIfAsked(const std::string& name, std::string_view bytes) {
  const char* const written = WrittenFolder();
  if (written != nullptr) WriteFile(std::string(written) + "/" + name, bytes);
}

// ---- The filters

constexpr int kBlockedKeys = 150;
BlockedBloom MakeBlocked() {
  BlockedBloom filter({100, 0.001});
  for (int i = 0; i < kBlockedKeys; ++i) filter.Add(Key(i));
  return filter;
}

constexpr int kScalableKeys = 300;
ScalableBloom MakeScalable() {
  ScalableOptions options;
  options.rate = 0.01;
  options.first_capacity = 20;
  ScalableBloom filter(options);
  for (int i = 0; i < kScalableKeys; ++i) filter.Add(Key(i));
  return filter;
}

constexpr int kCountingKeys = 60;
CountingBloom MakeCounting() {
  CountingBloom filter({50, 0.01});
  for (int i = 0; i < kCountingKeys + 20; ++i) filter.Add(Key(i));
  for (int i = 0; i < 30; ++i) filter.Add(Key(0));  // saturates its counters
  for (int i = kCountingKeys; i < kCountingKeys + 20; ++i) EXPECT_TRUE(filter.Remove(Key(i)));
  return filter;
}

constexpr int kCuckooKeys = 80;
CuckooFilter MakeCuckoo() {
  CuckooFilter filter({100, 0.001});
  for (int i = 0; i < kCuckooKeys + 20; ++i) EXPECT_TRUE(filter.Insert(Key(i)));
  for (int i = kCuckooKeys; i < kCuckooKeys + 20; ++i) EXPECT_TRUE(filter.Remove(Key(i)));
  return filter;
}

constexpr int kPagedKeys = 300;
void MakePages(MemoryPageStore* store) {
  std::vector<KeyHash> keys;
  for (int i = 0; i < kPagedKeys - 20; ++i) keys.push_back(Key(i));
  std::string reason;
  PagedBloom filter = MustBuild(store, {400, 0.01, 64}, keys);
  for (int i = kPagedKeys - 20; i < kPagedKeys; ++i) {
    EXPECT_NE(filter.Add(Key(i), &reason), PagedBloom::Added::kFailed) << reason;
  }
  EXPECT_TRUE(filter.Save(&reason)) << reason;
}

// ---- What they answer

using Ask = std::function<bool(KeyHash)>;

// Returns the indices of the absent keys that are false positives.
std::string Passes(const Ask& may_contain) {
  std::string passes;
  for (int i = 0; i < kAbsent; ++i) {
    if (may_contain(Absent(i))) passes += std::to_string(i) + "\n";
  }
  return passes;
}

void ExpectAnswers(const std::string& name, int keys, const Ask& may_contain) {
  const std::string passes = Passes(may_contain);
  WriteIfAsked(name + ".passes", passes);
  EXPECT_EQ(passes, Golden(name + ".passes")) << name;
  for (int i = 0; i < keys; ++i) EXPECT_TRUE(may_contain(Key(i))) << name << " denies key" << i;
}

// ---- Bytes and answers of a kind that is one block of bytes

template <typename Filter>
void ExpectGolden(const std::string& name, int keys, const Filter& today) {
  WriteIfAsked(name, today.Serialize());
  const std::string bytes = Golden(name);
  EXPECT_TRUE(today.Serialize() == bytes) << name << " is written otherwise today";
  std::string reason;
  std::optional<Filter> read = Filter::Deserialize(bytes, &reason);
  ASSERT_TRUE(read.has_value()) << reason;
  ExpectAnswers(name, keys, [&](KeyHash hash) { return read->MayContain(hash); });
  EXPECT_EQ(read->expected_fpr(), today.expected_fpr());
  EXPECT_TRUE(read->Serialize() == bytes) << name;
}

TEST(GoldenFiltersTest, BlockedBloom) { ExpectGolden("blocked", kBlockedKeys, MakeBlocked()); }

TEST(GoldenFiltersTest, ScalableBloom) {
  const ScalableBloom filter = MakeScalable();
  EXPECT_GT(filter.filters().size(), 2u);
  ExpectGolden("scalable", kScalableKeys, filter);
}

TEST(GoldenFiltersTest, CountingBloom) {
  const CountingBloom filter = MakeCounting();
  EXPECT_GT(filter.saturated_share(), 0);
  ExpectGolden("counting", kCountingKeys, filter);
}

TEST(GoldenFiltersTest, CuckooFilter) { ExpectGolden("cuckoo", kCuckooKeys, MakeCuckoo()); }

// ---- Pages

// Store that reads the golden files and refuses writes.
class GoldenPages : public PageStore {
 public:
  Found Load(const std::string& name, std::string* bytes, std::string*) override {
    *bytes = Golden("paged." + name);
    return Found::kYes;
  }
  bool Store(const std::string& name, std::string_view, std::string* reason) override {
    *reason = name + " is to be changed";
    return false;
  }
  bool Remove(const std::string& name, std::string* reason) override {
    *reason = name + " is to be removed";
    return false;
  }
};

TEST(GoldenFiltersTest, PagedBloomIsWritten) {
  MemoryPageStore today;
  MakePages(&today);
  EXPECT_GT(today.all().size(), 3u);
  for (const auto& [name, bytes] : today.all()) {
    WriteIfAsked("paged." + name, bytes);
    EXPECT_TRUE(bytes == Golden("paged." + name)) << name << " is written otherwise today";
  }
}

TEST(GoldenFiltersTest, PagedBloomIsRead) {
  GoldenPages store;
  std::string reason;
  PagedBloom filter = MustOpen(&store);
  EXPECT_GT(filter.shape().pages, 2u);
  ASSERT_TRUE(filter.LoadAll(&reason)) << reason;
  ExpectAnswers("paged", kPagedKeys, [&](KeyHash hash) { return filter.MayContain(hash); });
}

// ---- What versions before this one have written, where plans have other shapes today

// Files by the last version in which filters with few keys exceeded their rate, with the strings
// key0, key1 and so on: BlockedBloom({50, 1e-6}) with 120 of them, CountingBloom({10, 1e-4}) with
// 20, CuckooFilter({19, 0.01}) with 19, a ScalableBloom at 1e-3 from 15 keys on with 300; and by
//   seq 1 80 | sed 's/^/key/' | winnow pages build before.pages --capacity=100 --rate=1e-6
//     --page_size=64
// These files are never written anew. dedup_state_test uses before.state.
std::string Before(const std::string& name) {
  return ReadFile(std::string(WINNOW_GOLDEN_FILTERS) + "/before." + name);
}

template <typename Filter>
void ExpectReadAsBefore(const std::string& name, int keys) {
  const std::string bytes = Before(name);
  std::string reason;
  const std::optional<Filter> read = Filter::Deserialize(bytes, &reason);
  ASSERT_TRUE(read.has_value()) << reason;
  for (int i = 0; i < keys; ++i) EXPECT_TRUE(read->MayContain(Key(i))) << name << i;
  EXPECT_EQ(Passes([&](KeyHash hash) { return read->MayContain(hash); }), Before(name + ".passes"));
  EXPECT_TRUE(read->Serialize() == bytes) << name;
}

TEST(FiltersOfBeforeTest, AreReadAndWrittenAsTheyWere) {
  ExpectReadAsBefore<BlockedBloom>("blocked", 120);
  ExpectReadAsBefore<CountingBloom>("counting", 20);
  ExpectReadAsBefore<CuckooFilter>("cuckoo", 19);
  ExpectReadAsBefore<ScalableBloom>("scalable", 300);
}

TEST(FiltersOfBeforeTest, AScalableOneGrowsOn) {
  std::string reason;
  std::optional<ScalableBloom> filter = ScalableBloom::Deserialize(Before("scalable"), &reason);
  ASSERT_TRUE(filter.has_value()) << reason;
  const size_t filters = filter->filters().size();
  for (int i = 300; i < 5000; ++i) filter->Add(Key(i));
  for (int i = 0; i < 5000; ++i) EXPECT_TRUE(filter->MayContain(Key(i))) << i;
  EXPECT_GT(filter->filters().size(), filters);
  EXPECT_LE(filter->expected_fpr(), 1e-3);
}

TEST(FiltersOfBeforeTest, PagesAreReadAndAddedTo) {
  FolderPageStore folder(std::string(WINNOW_GOLDEN_FILTERS) + "/before.pages");
  MemoryPageStore copy;
  std::string reason;
  PagedBloom filter = MustOpen(&folder);
  EXPECT_EQ(filter.num_added(), 80u);
  ASSERT_TRUE(filter.LoadAll(&reason)) << reason;
  for (int i = 1; i <= 80; ++i) EXPECT_TRUE(filter.MayContain(Key(i))) << i;
  EXPECT_EQ(Passes([&](KeyHash hash) { return filter.MayContain(hash); }), "");
  for (std::string name : {std::string("plan"), filter.PageName(filter.PageOf(Key(81)))}) {
    std::string bytes;
    ASSERT_EQ(folder.Load(name, &bytes, &reason), PageStore::Found::kYes) << reason;
    ASSERT_TRUE(copy.Store(name, bytes, &reason)) << reason;
  }
  filter = MustOpen(&copy);
  EXPECT_EQ(filter.Add(Key(81), &reason), PagedBloom::Added::kNew) << reason;
  EXPECT_TRUE(filter.Save(&reason)) << reason;
}

}  // namespace golden_filters_test
}  // namespace winnow::amq
