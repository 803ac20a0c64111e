#include "winnow/amq/paged_bloom.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/formulas/bytes.h"
#include "streams/amq/paged_sizing.h"
#include "streams/amq/serialized.h"
#include "streams/tests/amq/filter_testing.h"
#include "tests/support/files.h"
#include "tests/support/sanitized.h"

namespace winnow::amq {
namespace paged_bloom_test {

using ::testing::HasSubstr;
using Added = PagedBloom::Added;
using Found = PageStore::Found;
using testing::ExpectContainsAll;
using testing::ExpectReportedRate;
using testing::FalsePositives;
using testing::MustBuild;
using testing::MustOpen;
using testing::RandomHashes;
using testing::TemporaryFolder;

static_assert(noexcept(std::declval<const PagedBloom&>().MayContain(KeyHash{})));

PagedBloom MustOpenAll(PageStore* store) {
  PagedBloom opened = MustOpen(store);
  std::string reason;
  EXPECT_TRUE(opened.LoadAll(&reason)) << reason;
  return opened;
}

class PagedBloomTest : public ::testing::Test {
 protected:
  MemoryPageStore store_;
  std::string reason_;
};

// ---- Shapes

TEST_F(PagedBloomTest, PagesMeetTheRateAndHardlyMore) {
  for (const double rate : {0.1, 0.01, 1e-4}) {
    for (const uint64_t keys : {300u, 3'000u, 100'000u, 400'000u}) {
      for (const uint32_t page_bytes : {256u, 1024u, 8192u}) {
        MemoryPageStore store;
        const PagedBloom filter =
            MustBuild(&store, {keys, rate, page_bytes}, RandomHashes(keys).Take(keys));
        EXPECT_LE(filter.expected_fpr(), rate);
        if (filter.shape().pages >= 100) {
          EXPECT_GE(filter.expected_fpr(), 0.85 * rate) << filter.shape().pages << " pages";
        }
        EXPECT_GE(filter.worst_fpr(), filter.expected_fpr());
      }
    }
  }
}

TEST_F(PagedBloomTest, ManyPagesAreNearTheirLimit) {
  const auto keys_a_page = [](uint64_t keys) {
    const PagedShape shape = PagedBloom::ShapeFor({keys, 0.01, 1024});
    return static_cast<double>(keys) / static_cast<double>(shape.pages);
  };
  EXPECT_LT(keys_a_page(1'000'000'000), 854);
  EXPECT_GT(keys_a_page(1'000'000'000), 815);
  EXPECT_LT(keys_a_page(80'000), keys_a_page(1'000'000'000));
  EXPECT_GT(keys_a_page(80'000), 780);
  EXPECT_EQ(PagedBloom::ShapeFor({0, 0.01, 1024}).pages, 1u);
}

// Compares with the mean over simulated pages: 100 pages with 800 keys on average.
TEST_F(PagedBloomTest, RatesOfPagesAreThoseOfPages) {
  RandomHashes random(1);
  double sum = 0;
  double squares = 0;
  constexpr int kRounds = 20;
  constexpr unsigned kProbes = 6;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::vector<bool>> pages(100, std::vector<bool>(8192));
    for (int i = 0; i < 80'000; ++i) {
      std::vector<bool>& page = pages[random.Below(100)];
      for (unsigned j = 0; j < kProbes; ++j) page[random.Below(8192)] = true;
    }
    for (const std::vector<bool>& page : pages) {
      const double fill = static_cast<double>(std::count(page.begin(), page.end(), true)) / 8192;
      const double rate = std::pow(fill, kProbes);
      sum += rate;
      squares += rate * rate;
    }
  }
  const double mean = sum / (100 * kRounds);
  const double deviation = std::sqrt(squares / (100 * kRounds) - mean * mean);
  const PageRates rates = RatesOfPages(80'000, 100, 8192, kProbes);
  EXPECT_NEAR(rates.mean, mean, 4 * deviation / std::sqrt(100 * kRounds));
  EXPECT_NEAR(rates.deviation, deviation, 0.1 * deviation);
}

TEST_F(PagedBloomTest, PlansOutOfRangeAreRefused) {
  const auto fault = [&](const PagedPlan& plan) {
    EXPECT_FALSE(PagedBloom::Build(&store_, plan, nullptr, 0, &reason_).has_value());
    EXPECT_EQ(reason_, CheckPagedPlan(plan));
    return reason_;
  };
  EXPECT_EQ(CheckPagedPlan({}), "");
  EXPECT_THAT(fault({10, 2, 1024}), HasSubstr("rate is 2, but must be from"));
  EXPECT_THAT(fault({10, 0.1, 1025}), HasSubstr("page_bytes is 1025, but must be a multiple of 8"));
  EXPECT_THAT(fault({10, 0.1, 56}), HasSubstr("from 64 to 1048576"));
  EXPECT_THAT(fault({kMostKeys, 1e-7, 64}), HasSubstr("more than 4294967296 pages"));
  EXPECT_TRUE(store_.all().empty());
}

// ---- Asking

TEST_F(PagedBloomTest, ContainsWhatItWasBuiltOf) {
  for (const uint64_t n : {0u, 1u, 100u, 50'000u}) {
    MemoryPageStore store;
    const std::vector<KeyHash> keys = RandomHashes(2).Take(n);
    const PagedBloom built = MustBuild(&store, {n, 0.01, 1024}, keys);
    const PagedBloom opened = MustOpenAll(&store);
    ExpectContainsAll(built, keys);
    ExpectContainsAll(opened, keys);
    EXPECT_EQ(store.all().size(), built.shape().pages + 1);
    EXPECT_EQ(opened.num_added(), built.num_added());
    EXPECT_EQ(opened.fill_ratio(), built.fill_ratio());
    EXPECT_EQ(opened.expected_fpr(), built.expected_fpr());
    EXPECT_EQ(opened.worst_page(), built.worst_page());
    EXPECT_EQ(opened.worst_fill_ratio(), opened.page_fill_ratio(opened.worst_page()));
    for (uint64_t page = 0; page < opened.shape().pages; ++page) {
      EXPECT_LE(opened.page_fill_ratio(page), opened.worst_fill_ratio());
    }
  }
}

// Hash bits that select the page must not be used by the page's filter.
TEST_F(PagedBloomTest, HasTheRateThatItReports) {
  for (const double rate : {0.1, 1e-3}) {
    MemoryPageStore store;
    ExpectReportedRate(MustBuild(&store, {50'000, rate, 1024}, RandomHashes(3).Take(50'000)),
                       static_cast<uint64_t>(2e4 / rate), 4);
  }
}

TEST_F(PagedBloomTest, WhatIsNotLoadedMayContain) {
  const std::vector<KeyHash> keys = RandomHashes(5).Take(10'000);
  MustBuild(&store_, {10'000, 1e-6, 1024}, keys);
  PagedBloom filter = MustOpen(&store_);
  ASSERT_GT(filter.shape().pages, 10u);
  EXPECT_EQ(filter.num_loaded(), 0u);
  EXPECT_EQ(FalsePositives(filter, 1000, 6), 1000u);

  ASSERT_TRUE(filter.Load(3, &reason_)) << reason_;
  ASSERT_TRUE(filter.Load(3, &reason_));
  EXPECT_EQ(filter.num_loaded(), 1u);
  RandomHashes absent(7);
  uint64_t denied = 0;
  for (int i = 0; i < 10'000; ++i) {
    const KeyHash hash{absent.Next()};
    if (filter.PageOf(hash) == 3) {
      denied += !filter.MayContain(hash);
    } else {
      ASSERT_TRUE(filter.MayContain(hash));
    }
  }
  EXPECT_GT(denied, 100u);
  ExpectContainsAll(filter, keys);
  filter.Unload(3);
  filter.Unload(3);
  EXPECT_EQ(filter.num_loaded(), 0u);
  EXPECT_EQ(FalsePositives(filter, 1000, 6), 1000u);
}

TEST_F(PagedBloomTest, MissingAndDamagedPagesAreNamedAndMayContain) {
  const std::vector<KeyHash> keys = RandomHashes(5).Take(10'000);
  MustBuild(&store_, {10'000, 0.01, 1024}, keys);
  PagedBloom filter = MustOpen(&store_);
  std::string bytes;
  ASSERT_TRUE(store_.Remove("1-0", &reason_));
  ASSERT_EQ(store_.Load("1-2", &bytes, &reason_), Found::kYes);
  ASSERT_TRUE(store_.Store("1-1", bytes, &reason_));  // a page of another filter
  bytes[500] = static_cast<char>(bytes[500] ^ 1);
  ASSERT_TRUE(store_.Store("1-2", bytes, &reason_));
  MemoryPageStore other;
  MustBuild(&other, {20'000, 0.01, 1024}, RandomHashes(6).Take(20'000));
  ASSERT_TRUE(store_.Store("1-3", other.all().at("1-3"), &reason_));

  EXPECT_FALSE(filter.Load(0, &reason_));
  EXPECT_EQ(reason_, "page 1-0 is missing; build the filter anew");
  EXPECT_FALSE(filter.Load(1, &reason_));
  EXPECT_THAT(reason_, HasSubstr("page 1-1: these bytes are no page of a PagedBloom: expected the "
                                 "page to be 1 as the rest says, found 2; "));
  EXPECT_FALSE(filter.Load(2, &reason_));
  EXPECT_THAT(reason_,
              HasSubstr("page 1-2: these bytes are no page of a PagedBloom: they are damaged"));
  EXPECT_FALSE(filter.Load(3, &reason_));
  EXPECT_THAT(reason_, HasSubstr("expected the number of pages to be "));
  EXPECT_FALSE(filter.LoadAll(&reason_));
  EXPECT_EQ(reason_, "page 1-0 is missing; build the filter anew");
  EXPECT_EQ(filter.num_loaded(), filter.shape().pages - 4);
  ExpectContainsAll(filter, keys);
  RandomHashes absent(8);
  for (int i = 0; i < 10'000; ++i) {
    const KeyHash hash{absent.Next()};
    if (filter.PageOf(hash) < 4) {
      ASSERT_TRUE(filter.MayContain(hash));
      ASSERT_EQ(filter.Add(hash, &reason_), Added::kFailed);
    }
  }
}

// ---- Adding

TEST_F(PagedBloomTest, KeysThatAreAddedStayAcrossSaves) {
  RandomHashes random(9);
  std::vector<KeyHash> keys = random.Take(2000);
  MustBuild(&store_, {10'000, 0.01, 1024}, keys);
  for (int round = 0; round < 4; ++round) {
    PagedBloom filter = MustOpen(&store_);
    for (const KeyHash key : random.Take(1500)) {
      const Added added = filter.Add(key, &reason_);
      ASSERT_NE(added, Added::kFailed) << reason_;
      EXPECT_EQ(filter.Add(key, &reason_), Added::kOld);
      keys.push_back(key);
    }
    EXPECT_GT(filter.num_unsaved(), 0u);
    const uint64_t changed = filter.worst_page();
    filter.Unload(changed);
    EXPECT_TRUE(filter.IsLoaded(changed)) << "unsaved keys were dropped";
    ASSERT_TRUE(filter.Save(&reason_)) << reason_;
    EXPECT_EQ(filter.num_unsaved(), 0u);
    PagedBloom again = MustOpenAll(&store_);
    ExpectContainsAll(again, keys);
    EXPECT_EQ(again.num_added(), filter.num_added());
    const double told = again.expected_fpr();
    ASSERT_TRUE(again.Recount(&reason_));
    EXPECT_NEAR(again.expected_fpr(), told, 1e-12);
    ExpectReportedRate(again, 2'000'000, 10);
  }
}

TEST_F(PagedBloomTest, BeyondTheRateEveryKeyIsRefusedLoudly) {
  for (const uint64_t capacity : {0u, 500u, 20'000u}) {
    MemoryPageStore store;
    PagedBloom filter = MustBuild(&store, {capacity, 0.01, 1024}, {});
    RandomHashes random(11);
    std::vector<KeyHash> keys;
    uint64_t refused = 0;
    for (uint64_t i = 0; i < 2 * capacity + 3000; ++i) {
      const KeyHash key{random.Next()};
      const double fill = filter.fill_ratio();
      const bool contained = filter.MayContain(key);
      const Added added = filter.Add(key, &reason_);
      if (added != Added::kFailed) {
        keys.push_back(key);
        continue;
      }
      ++refused;
      ASSERT_FALSE(contained);
      ASSERT_FALSE(filter.MayContain(key)) << "a refused key is there";
      ASSERT_EQ(filter.fill_ratio(), fill);
      EXPECT_THAT(reason_, HasSubstr("the filter is full: with one more key its rate would be "));
      EXPECT_THAT(reason_,
                  HasSubstr("planned were 0.01 for " + std::to_string(capacity) + " keys"));
    }
    EXPECT_GE(keys.size(), capacity);
    EXPECT_GT(refused, 0u);
    EXPECT_LE(filter.expected_fpr(), 0.01);
    ExpectContainsAll(filter, keys);
    ASSERT_TRUE(filter.Save(&reason_)) << reason_;
    ExpectContainsAll(MustOpenAll(&store), keys);
  }
}

// The record was restored from a copy, and the pages were not.
TEST_F(PagedBloomTest, NothingIsAddedBesideAnOlderRecord) {
  constexpr uint64_t kAdded = 200;  // all in the only page, or in pages that stay below the fullest
  for (const uint64_t capacity : {400u, 20'000u}) {
    MemoryPageStore store;
    RandomHashes random(10);
    std::vector<KeyHash> keys = random.Take(capacity / 2);
    MustBuild(&store, {capacity, 0.01, 1024}, keys);
    const std::string older = store.all().at("plan");
    std::string reason;
    PagedBloom newer = MustOpen(&store);
    for (const KeyHash key : random.Take(kAdded)) {
      ASSERT_NE(newer.Add(key, &reason), Added::kFailed) << reason;
      keys.push_back(key);
    }
    ASSERT_TRUE(newer.Save(&reason)) << reason;
    ASSERT_TRUE(store.Store("plan", older, &reason));
    const auto before = store.all();

    PagedBloom filter = MustOpenAll(&store);
    ExpectContainsAll(filter, keys);
    for (const KeyHash key : random.Take(10)) filter.Add(key, &reason);
    EXPECT_FALSE(filter.num_unsaved() > 0 && filter.Save(&reason));
    EXPECT_THAT(reason,
                HasSubstr("the record \"plan\" is older than the pages: expected at most "));
    reason.clear();
    EXPECT_FALSE(filter.Recount(&reason));
    EXPECT_THAT(reason, HasSubstr("or build the filter anew"));
    EXPECT_TRUE(store.all() == before);
    MustBuild(&store, {2 * capacity, 0.01, 1024}, keys);
  }
}

// ---- Building again

TEST_F(PagedBloomTest, ARebuildIntoMorePagesTakesThePlaceOfTheOldOnes) {
  const TemporaryFolder folder;
  FolderPageStore store(folder.path());
  RandomHashes random(12);
  std::vector<KeyHash> keys = random.Take(5000);
  const PagedBloom few = MustBuild(&store, {5000, 0.01, 1024}, keys);
  const std::vector<KeyHash> more = random.Take(20'000);
  keys.insert(keys.end(), more.begin(), more.end());
  const PagedBloom many = MustBuild(&store, {25'000, 0.01, 1024}, keys);
  EXPECT_GT(many.shape().pages, few.shape().pages);
  const PagedBloom opened = MustOpenAll(&store);
  ExpectContainsAll(opened, keys);
  EXPECT_EQ(opened.PageName(3), "2-3");
  std::string bytes;
  EXPECT_EQ(store.Load("1-0", &bytes, &reason_), Found::kNo);
}

TEST_F(PagedBloomTest, WhatIsNoRecordIsLeftAlone) {
  EXPECT_FALSE(PagedBloom::Open(&store_, &reason_));
  EXPECT_EQ(reason_, "there are no pages of a filter: nothing is named \"plan\"; build them first");
  ASSERT_TRUE(store_.Store("plan", "for tomorrow: nothing", &reason_));
  EXPECT_FALSE(PagedBloom::Open(&store_, &reason_));
  EXPECT_THAT(reason_, HasSubstr("these bytes are no record of a PagedBloom: expected the magic"));
  const KeyHash key{1};
  EXPECT_FALSE(PagedBloom::Build(&store_, {}, &key, 1, &reason_));
  EXPECT_THAT(reason_, HasSubstr("these bytes are no record of a PagedBloom: expected the magic"));
  EXPECT_THAT(reason_, HasSubstr("give a place of their own for the pages"));
  EXPECT_EQ(store_.all().size(), 1u);
}

// A record with eight numbers behind the header and right checksums.
struct ForgedRecord {
  Header header;
  uint64_t numbers[8] = {};  // payload

  explicit ForgedRecord(const std::string& bytes) {
    EXPECT_EQ(ReadHeader(bytes, Serialized::kPagesRecord, &header), "");
    for (size_t i = 0; i < 8; ++i) {
      numbers[i] = formulas::LoadLittle64(reinterpret_cast<const unsigned char*>(bytes.data()) +
                                          kHeaderBytes + 8 * i);
    }
  }
  std::string Bytes() const {
    std::string bytes(kHeaderBytes + sizeof numbers, 0);
    auto* const to = reinterpret_cast<unsigned char*>(bytes.data());
    StoreWords(numbers, 8, to + kHeaderBytes);
    WriteHeader(header, to);
    return bytes;
  }
};

enum InRecord { kCapacity, kPageBytes, kOnes, kRates, kWorstPage, kWorstOnes, kOther, kOtherPages };

TEST_F(PagedBloomTest, RecordsWithValuesOutOfTheirRangeAreRefused) {
  const std::vector<KeyHash> keys = RandomHashes(1).Take(50);
  ASSERT_TRUE(PagedBloom::Build(&store_, {60, 0.01, 64}, keys.data(), keys.size(), &reason_));
  const ForgedRecord whole(store_.all().at("plan"));
  using Change = void (*)(ForgedRecord*);
  for (const Change change : std::initializer_list<Change>{
           [](ForgedRecord* record) { record->header.a = 0; },
           [](ForgedRecord* record) { record->header.a = 65; },
           [](ForgedRecord* record) { record->header.b = 1; },
           [](ForgedRecord* record) { record->header.count = (uint64_t{1} << 32) + 1; },
           [](ForgedRecord* record) { record->header.count = 0; },
           [](ForgedRecord* record) { record->header.y = 0; },
           // No next generation exists.
           [](ForgedRecord* record) { record->header.y = ~uint64_t{0}; },
           [](ForgedRecord* record) { record->header.x = BitsOfDouble(0.6); },
           [](ForgedRecord* record) { record->header.x = BitsOfDouble(std::nan("")); },
           [](ForgedRecord* record) { record->header.keys = 1; },
           [](ForgedRecord* record) { record->header.keys = record->numbers[kOnes] + 1; },
           [](ForgedRecord* record) { record->numbers[kCapacity] = kMostKeys + 1; },
           [](ForgedRecord* record) { record->numbers[kPageBytes] = 63; },
           [](ForgedRecord* record) { record->numbers[kPageBytes] = uint64_t{1} << 21; },
           [](ForgedRecord* record) { record->numbers[kOnes] = 1 << 20; },
           [](ForgedRecord* record) { record->numbers[kRates] = BitsOfDouble(-1); },
           [](ForgedRecord* record) { record->numbers[kRates] = BitsOfDouble(INFINITY); },
           [](ForgedRecord* record) { record->numbers[kWorstPage] = record->header.count; },
           [](ForgedRecord* record) { record->numbers[kWorstOnes] = 513; },
           [](ForgedRecord* record) { record->numbers[kWorstOnes] = record->numbers[kOnes] + 1; },
           [](ForgedRecord* record) { record->numbers[kOther] = 7; },  // a generation without pages
           // There are pages without a generation.
           [](ForgedRecord* record) { record->numbers[kOtherPages] = 7; },
           [](ForgedRecord* record) {
             record->numbers[kOther] = record->header.y;  // the filter's own pages would be removed
             record->numbers[kOtherPages] = record->header.count;
           },
           [](ForgedRecord* record) {
             record->numbers[kOther] = 7;
             record->numbers[kOtherPages] = (uint64_t{1} << 32) + 1;
           },
       }) {
    ForgedRecord record = whole;
    change(&record);
    ASSERT_TRUE(store_.Store("plan", record.Bytes(), &reason_));
    EXPECT_FALSE(PagedBloom::Open(&store_, &reason_)) << record.header.count;
    EXPECT_THAT(reason_, HasSubstr("these bytes are no record of a PagedBloom: expected "));
    EXPECT_FALSE(PagedBloom::Build(&store_, {60, 0.01, 64}, keys.data(), keys.size(), &reason_));
    EXPECT_THAT(reason_, HasSubstr("remove what is named \"plan\" and the pages beside it"));
  }
  ASSERT_TRUE(store_.Store("plan", whole.Bytes(), &reason_));
  EXPECT_TRUE(PagedBloom::Open(&store_, &reason_)) << reason_;
}

// A record of 136 bytes that claims 2^32 pages, with all values in range: the cost depends on the
// existing pages only.
TEST_F(PagedBloomTest, ARecordOfVeryManyPagesTakesNeitherMemoryNorTime) {
  const std::vector<KeyHash> keys = RandomHashes(1).Take(50);
  ASSERT_TRUE(PagedBloom::Build(&store_, {60, 0.01, 64}, keys.data(), keys.size(), &reason_));
  ForgedRecord record(store_.all().at("plan"));
  record.header.count = uint64_t{1} << 32;
  record.numbers[kOther] = 7;
  record.numbers[kOtherPages] = uint64_t{1} << 32;
  ASSERT_TRUE(store_.Store("plan", record.Bytes(), &reason_));
  struct rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  struct rlimit some = before;
  some.rlim_cur = uint64_t{4} << 30;
  if (!testing::kSanitized) {
    ASSERT_EQ(setrlimit(RLIMIT_AS, &some), 0);
  }
  {
    std::optional<PagedBloom> filter = PagedBloom::Open(&store_, &reason_);
    ASSERT_TRUE(filter.has_value()) << reason_;
    EXPECT_TRUE(filter->MayContain(keys.front()));
    EXPECT_FALSE(filter->Load(123'456'789, &reason_));
    EXPECT_FALSE(filter->LoadAll(&reason_));
    EXPECT_FALSE(filter->Recount(&reason_));
  }
  // The build removes the 2^32 claimed pages of generation 7, and then the 2^32 claimed pages of
  // the filter.
  const std::optional<PagedBloom> built =
      PagedBloom::Build(&store_, {60, 0.01, 64}, keys.data(), keys.size(), &reason_);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  ASSERT_TRUE(built.has_value()) << reason_;
  EXPECT_EQ(store_.all().size(), built->shape().pages + 1);
}

// A rebuild removes all pages of the other generation, however many an interrupted removal left.
TEST_F(PagedBloomTest, ARebuildRemovesAllThatCrashesLeft) {
  for (const uint64_t there : {0u, 1u, 65'536u, 65'537u, 100'000u, 262'145u}) {
    MemoryPageStore store;
    const std::vector<KeyHash> keys = RandomHashes(1).Take(5);
    MustBuild(&store, {60, 0.01, 64}, keys);
    ForgedRecord record(store.all().at("plan"));
    record.numbers[kOther] = 7;
    record.numbers[kOtherPages] = 300'000;
    ASSERT_TRUE(store.Store("plan", record.Bytes(), &reason_));
    for (uint64_t page = 0; page < there; ++page) {
      ASSERT_TRUE(store.Store("7-" + std::to_string(page), "", &reason_));
    }
    const PagedBloom built = MustBuild(&store, {60, 0.01, 64}, keys);
    EXPECT_EQ(store.all().size(), built.shape().pages + 1) << there;
  }
}

// Store that passes a number of changes to another store and then fails, like a killed process.
class CutShort : public PageStore {
 public:
  CutShort(PageStore* store, int changes) : store_(store), left_(changes) {}

  Found Load(const std::string& name, std::string* bytes, std::string* reason) override {
    return store_->Load(name, bytes, reason);
  }
  bool Store(const std::string& name, std::string_view bytes, std::string* reason) override {
    return Goes(reason) && store_->Store(name, bytes, reason);
  }
  bool Remove(const std::string& name, std::string* reason) override {
    return Goes(reason) && store_->Remove(name, reason);
  }
  bool Flush(std::string* reason) override { return Goes(reason) && store_->Flush(reason); }

  bool was_cut() const { return left_ < 0; }

 private:
  bool Goes(std::string* reason) {
    if (left_ < 0 || --left_ < 0) {
      *reason = "the store is gone";
      return false;
    }
    return true;
  }

  PageStore* store_;
  int left_;
};

TEST_F(PagedBloomTest, ARebuildThatIsCutShortLeavesOldOrNewPages) {
  const std::vector<KeyHash> old_keys = RandomHashes(15).Take(3000);
  const std::vector<KeyHash> new_keys = RandomHashes(16).Take(8000);
  int left_old = 0;
  int left_new = 0;
  for (int changes = 0;; ++changes) {
    MemoryPageStore store;
    MustBuild(&store, {3000, 0.01, 1024}, old_keys);
    CutShort cut(&store, changes);
    const auto built =
        PagedBloom::Build(&cut, {8000, 0.01, 1024}, new_keys.data(), new_keys.size(), &reason_);
    if (!cut.was_cut()) break;
    EXPECT_TRUE(built.has_value() || reason_ == "the store is gone") << reason_;
    const PagedBloom opened = MustOpenAll(&store);
    const bool is_new = opened.plan().capacity == 8000;
    EXPECT_EQ(is_new, built.has_value() || opened.num_added() > 5000);
    (is_new ? left_new : left_old)++;
    ExpectContainsAll(opened, is_new ? new_keys : old_keys);
    // The next build removes all leftovers.
    const PagedBloom last = MustBuild(&store, {2000, 0.01, 1024}, RandomHashes(17).Take(2000));
    EXPECT_EQ(store.all().size(), last.shape().pages + 1) << "after " << changes << " changes";
  }
  EXPECT_GT(left_old, 10);
  EXPECT_GT(left_new, 3);
}

TEST_F(PagedBloomTest, AFirstBuildThatIsCutShortLeavesNoFilter) {
  const std::vector<KeyHash> keys = RandomHashes(15).Take(3000);
  for (int changes = 0; changes < 5; ++changes) {
    MemoryPageStore store;
    CutShort cut(&store, changes);
    EXPECT_FALSE(PagedBloom::Build(&cut, {3000, 0.01, 1024}, keys.data(), keys.size(), &reason_));
    EXPECT_FALSE(PagedBloom::Open(&store, &reason_));
    EXPECT_THAT(reason_, HasSubstr("there are no pages of a filter: "));
    const PagedBloom last = MustBuild(&store, {500, 0.01, 1024}, RandomHashes(17).Take(500));
    EXPECT_EQ(store.all().size(), last.shape().pages + 1);
    ExpectContainsAll(MustOpenAll(&store), RandomHashes(17).Take(500));
  }
}

// Keys of earlier saves are never false negatives, and the reported rate is never too low.
TEST_F(PagedBloomTest, ASaveThatIsCutShortLosesNoOlderKeyAndNoBit) {
  const std::vector<KeyHash> old_keys = RandomHashes(18).Take(3000);
  const std::vector<KeyHash> new_keys = RandomHashes(19).Take(2000);
  bool overstated = false;
  for (int changes = 0;; ++changes) {
    MemoryPageStore store;
    MustBuild(&store, {8000, 0.01, 1024}, old_keys);
    CutShort cut(&store, changes);
    PagedBloom filter = MustOpen(&cut);
    for (const KeyHash key : new_keys) ASSERT_NE(filter.Add(key, &reason_), Added::kFailed);
    if (filter.Save(&reason_)) {
      ExpectContainsAll(MustOpenAll(&store), new_keys);
      break;
    }
    EXPECT_EQ(reason_, "the store is gone");
    PagedBloom after = MustOpenAll(&store);
    ExpectContainsAll(after, old_keys);
    const double told = after.expected_fpr();
    ASSERT_TRUE(after.Recount(&reason_)) << reason_;
    EXPECT_GE(told, after.expected_fpr() - 1e-12);
    overstated |= told > after.expected_fpr() + 1e-6;
    ASSERT_TRUE(after.Save(&reason_)) << reason_;
    EXPECT_NEAR(MustOpen(&store).expected_fpr(), after.expected_fpr(), 1e-12);
  }
  EXPECT_TRUE(overstated);
}

// ---- Bytes

TEST_F(PagedBloomTest, EveryBitOfRecordAndPageThatChangedIsSeen) {
  MustBuild(&store_, {300, 0.01, 64}, RandomHashes(20).Take(300));
  for (const std::string name : {"plan", "1-1"}) {
    std::string whole;
    ASSERT_EQ(store_.Load(name, &whole, &reason_), Found::kYes);
    const auto expect_refused = [&](const std::string& bytes) {
      ASSERT_TRUE(store_.Store(name, bytes, &reason_));
      std::optional<PagedBloom> filter = PagedBloom::Open(&store_, &reason_);
      EXPECT_FALSE(filter && filter->Load(1, &reason_)) << name;
      EXPECT_THAT(reason_, HasSubstr("these bytes are no "));
    };
    for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
      std::string damaged = whole;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
      expect_refused(damaged);
    }
    for (size_t length = 0; length < whole.size(); ++length)
      expect_refused(whole.substr(0, length));
    expect_refused(whole + '\0');
    ASSERT_TRUE(store_.Store(name, whole, &reason_));
  }
  MustOpenAll(&store_);
}

}  // namespace paged_bloom_test
}  // namespace winnow::amq
