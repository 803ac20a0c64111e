// Tests that serialized filters are read unchanged, that damaged, truncated and foreign bytes are
// refused with a message, and that FORMAT.md is accurate.

#include "streams/amq/serialized.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/formulas/bytes.h"
#include "src/formulas/xxh3.h"
#include "streams/tests/amq/filter_testing.h"
#include "tests/support/files.h"
#include "winnow/amq/blocked_bloom.h"
#include "winnow/amq/counting_bloom.h"
#include "winnow/amq/cuckoo_filter.h"
#include "winnow/amq/paged_bloom.h"
#include "winnow/amq/scalable_bloom.h"

namespace winnow::amq {
namespace serialized_test {

using testing::ExpectContainsAll;
using ::testing::HasSubstr;
using testing::RandomHashes;
using testing::Take;
using testing::TestSeed;

// ---- What the kinds have in common

template <typename Filter>
auto Count(const Filter& filter) -> decltype(filter.num_added()) {
  return filter.num_added();
}
template <typename Filter>
auto Count(const Filter& filter) -> decltype(filter.num_keys()) {
  return filter.num_keys();
}

template <typename Filter>
Filter Make(uint64_t keys, double rate) {
  return Filter({keys, rate});
}
template <>
ScalableBloom Make(uint64_t keys, double rate) {
  ScalableOptions options;
  options.rate = rate;
  options.first_capacity = keys / 8 + 1;
  return ScalableBloom(options);
}

std::vector<KeyHash> Keys(uint64_t n) {
  std::vector<KeyHash> keys;
  for (uint64_t i = 0; i < n; ++i) keys.push_back(HashKey("key" + std::to_string(i)));
  return keys;
}

template <typename Filter>
Filter Filled(uint64_t keys, double rate) {
  Filter filter = Make<Filter>(keys, rate);
  for (const KeyHash key : Keys(keys)) EXPECT_TRUE(Take(&filter, key));
  return filter;
}

// Reads from an allocation of the exact size, so that sanitizers detect every read out of bounds.
template <typename Filter>
std::optional<Filter> Read(std::string_view bytes, std::string* reason) {
  const std::unique_ptr<char[]> exact(new char[bytes.size()]);
  if (!bytes.empty()) std::memcpy(exact.get(), bytes.data(), bytes.size());
  return Filter::Deserialize({exact.get(), bytes.size()}, reason);
}

template <typename Filter>
void ExpectRefused(std::string_view bytes, const std::string& because = "; ") {
  std::string reason;
  EXPECT_FALSE(Read<Filter>(bytes, &reason).has_value());
  EXPECT_THAT(reason, HasSubstr("these bytes are no "));
  EXPECT_THAT(reason, HasSubstr("; "));
  EXPECT_THAT(reason, HasSubstr(because));
}

// Returns the bytes with both checksums recomputed, as an attacker could.
std::string Signed(std::string bytes) {
  auto* data = reinterpret_cast<unsigned char*>(bytes.data());
  formulas::StoreLittle64(data + 56, XXH3_64bits(data + 72, bytes.size() - 72));
  formulas::StoreLittle64(data + 64, XXH3_64bits(data, 64));
  return bytes;
}

std::string With(std::string bytes, size_t at, uint64_t number) {
  formulas::StoreLittle64(reinterpret_cast<unsigned char*>(bytes.data()) + at, number);
  return Signed(bytes);
}

std::string WithByte(std::string bytes, size_t at, unsigned char byte) {
  bytes.at(at) = static_cast<char>(byte);
  return Signed(bytes);
}

template <typename Filter>
class SerializedTest : public ::testing::Test {};
using Kinds = ::testing::Types<BlockedBloom, ScalableBloom, CountingBloom, CuckooFilter>;
TYPED_TEST_SUITE(SerializedTest, Kinds);

// ---- Whole bytes

TYPED_TEST(SerializedTest, ComesBackAsItWas) {
  for (const double rate : {0.3, 0.01, 1e-6, 1e-12}) {
    for (const uint64_t keys : {0u, 1u, 7u, 5000u}) {
      TypeParam filter = Filled<TypeParam>(keys, rate);
      const std::string bytes = filter.Serialize();
      EXPECT_EQ(bytes.size(), filter.serialized_size());
      std::string reason = "left over";
      std::optional<TypeParam> read = Read<TypeParam>(bytes, &reason);
      ASSERT_TRUE(read.has_value()) << reason;
      EXPECT_EQ(reason, "");
      EXPECT_EQ(read->Serialize(), bytes);
      EXPECT_EQ(Count(*read), Count(filter));
      EXPECT_EQ(read->size_bytes(), filter.size_bytes());
      EXPECT_EQ(read->fill_ratio(), filter.fill_ratio());
      EXPECT_EQ(read->expected_fpr(), filter.expected_fpr());
      EXPECT_EQ(read->planned_fpr(), filter.planned_fpr());
      ExpectContainsAll(*read, Keys(keys));
      RandomHashes absent(1);
      for (int i = 0; i < 2000; ++i) {
        const KeyHash hash{absent.Next()};
        ASSERT_EQ(read->MayContain(hash), filter.MayContain(hash));
      }
    }
  }
}

TYPED_TEST(SerializedTest, GoesOnAsIfItHadNeverBeenBytes) {
  TypeParam filter = Make<TypeParam>(2000, 0.01);
  for (const KeyHash key : Keys(1000)) EXPECT_TRUE(Take(&filter, key));
  std::string reason;
  std::optional<TypeParam> read = Read<TypeParam>(filter.Serialize(), &reason);
  ASSERT_TRUE(read.has_value()) << reason;
  std::vector<KeyHash> more = RandomHashes(2).Take(500);
  for (const KeyHash key : more) {
    EXPECT_TRUE(Take(&filter, key));
    EXPECT_TRUE(Take(&*read, key));
  }
  EXPECT_EQ(read->Serialize(), filter.Serialize());
}

// The next filter's size comes from the options, which must therefore be those that the filters
// were made by.
TEST(SerializedScalableBloom, OptionsThatItsFiltersContradictAreRefused) {
  const std::string few = ScalableBloom({0.01, 1, 2, 0.8}).Serialize();
  ASSERT_EQ(few.size(), 232u);
  ExpectRefused<ScalableBloom>(With(few, 48, uint64_t{1} << 28),
                               "expected blocks of a filter, by the keys of the first one, from ");
  ExpectRefused<ScalableBloom>(With(few, 48, 100));
  // The first filter may match the options, and a later one not.
  const std::string grown = Filled<ScalableBloom>(1000, 0.01).Serialize();
  const auto real = [](double value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  };
  ExpectRefused<ScalableBloom>(With(grown, 72, real(8)),
                               "expected blocks of a filter, by the keys of the first one, from ");
  // The rate determines the bits per key, which differ between a higher and a lower rate.
  ExpectRefused<ScalableBloom>(With(grown, 40, real(1e-15)),
                               "expected bits that a key sets, by the rate of its filter, from 40");
}

// All options give filters whose bytes the library reads.
TEST(SerializedScalableBloom, EveryShapeThatItMakesIsRead) {
  for (const double rate : {0.5, 0.01, 1e-6, 1e-15}) {
    for (const uint64_t capacity : {1u, 2u, 50u, 1000u}) {
      for (const double growth : {1.5, 2.0, 8.0}) {
        for (const double tightening : {0.5, 0.8, 0.95}) {
          ScalableBloom filter({rate, capacity, growth, tightening});
          const std::vector<KeyHash> keys = RandomHashes(4).Take(2000);
          for (const KeyHash key : keys) filter.Add(key);
          std::string reason;
          const auto read = ScalableBloom::Deserialize(filter.Serialize(), &reason);
          ASSERT_TRUE(read.has_value())
              << rate << ' ' << capacity << ' ' << growth << ' ' << tightening << ": " << reason;
          ExpectContainsAll(*read, keys);
        }
      }
    }
  }
}

// ---- Bytes that are not whole

TYPED_TEST(SerializedTest, EverySingleBitThatChangedIsSeen) {
  const std::string bytes = Filled<TypeParam>(12, 0.01).Serialize();
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    ExpectRefused<TypeParam>(damaged);
  }
}

TYPED_TEST(SerializedTest, EveryLengthButTheRightOneIsRefused) {
  const std::string bytes = Filled<TypeParam>(12, 0.01).Serialize();
  for (size_t length = 0; length < bytes.size(); ++length) {
    ExpectRefused<TypeParam>(std::string_view(bytes).substr(0, length));
  }
  for (const size_t more : {1u, 8u, 64u, 72u})
    ExpectRefused<TypeParam>(bytes + std::string(more, 0));
}

TYPED_TEST(SerializedTest, RandomBytesAreRefused) {
  RandomHashes random(TestSeed());
  const std::string whole = Filled<TypeParam>(12, 0.01).Serialize();
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random.Below(400), 0);
    for (char& byte : bytes) byte = static_cast<char>(random.Next());
    // Half of the inputs begin like a filter.
    const size_t same = random.Below(80);
    if (i % 2 == 0 && bytes.size() > same) bytes.replace(0, same, whole, 0, same);
    ExpectRefused<TypeParam>(bytes);
  }
}

// Checksums are right here: even forged bytes must cause no reads out of bounds and no large
// allocations.
TYPED_TEST(SerializedTest, WrongNumbersUnderRightChecksumsNeverReadOutside) {
  const std::string whole = Filled<TypeParam>(12, 0.01).Serialize();
  RandomHashes random(TestSeed());
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = whole;
    const int changes = 1 + static_cast<int>(random.Below(3));
    for (int j = 0; j < changes; ++j) {
      const size_t at = 6 + random.Below(bytes.size() - 6);
      bytes[at] = static_cast<char>(random.Below(3) == 0 ? 0xff : random.Next());
    }
    std::string reason;
    const std::optional<TypeParam> read = Read<TypeParam>(Signed(bytes), &reason);
    EXPECT_EQ(read.has_value(), reason.empty());
    if (!read) continue;
    for (int j = 0; j < 20; ++j) read->MayContain({random.Next()});
    EXPECT_GE(read->expected_fpr(), 0);
    EXPECT_EQ(read->Serialize(), Signed(bytes));
  }
}

// The message has three parts, depending on the fault.
TYPED_TEST(SerializedTest, SaysWhatItExpectedAndFoundAndWhatToDo) {
  const std::string whole = Filled<TypeParam>(12, 0.01).Serialize();
  ExpectRefused<TypeParam>("REDIS0011 and a lot more", "found 52 45 44 49; give what");
  ExpectRefused<TypeParam>(whole.substr(0, 30), "header of 72 bytes, found 30 in all; take");
  ExpectRefused<TypeParam>(whole.substr(0, whole.size() - 1), " bytes behind the header, found ");
  ExpectRefused<TypeParam>(WithByte(whole, 4, 1),
                           "expected version 0 of the format, found 1; read");
  ExpectRefused<TypeParam>(WithByte(whole, 5, 99), "found the unknown kind 99; read");
  ExpectRefused<TypeParam>(WithByte(whole, 12, 5),
                           "XXH3-64 with seed 0 (0x1), found 0x500000001; build");
  std::string damaged = whole;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  ExpectRefused<TypeParam>(damaged, "damaged behind the header");
}

TEST(SerializedKinds, AnotherKindIsNamed) {
  ExpectRefused<BlockedBloom>(
      Filled<CuckooFilter>(5, 0.1).Serialize(),
      "these bytes are no BlockedBloom: found a CuckooFilter; read them as that");
}

// Seeds of fuzz_records: parts, each preceded by its length in two bytes.
TEST(SerializedKinds, EachHasASeedOfTheFuzzTarget) {
  std::set<unsigned> seeds;
  for (const auto& file : std::filesystem::directory_iterator(WINNOW_FUZZ_RECORDS)) {
    seeds.insert(static_cast<unsigned char>(testing::ReadFile(file.path()).at(2 + 5)));
  }
  const std::string whole = Filled<BlockedBloom>(5, 0.1).Serialize();
  for (unsigned kind = 1; kind < 256; ++kind) {
    if (kind == static_cast<unsigned>(Serialized::kBloomPage)) continue;  // follows its record
    std::string reason;
    BlockedBloom::Deserialize(WithByte(whole, 5, static_cast<unsigned char>(kind)), &reason);
    EXPECT_EQ(reason.find("unknown kind") == std::string::npos, seeds.count(kind) > 0)
        << "kind " << kind << " and the seeds in " WINNOW_FUZZ_RECORDS
        << "; one is the kind's golden bytes, behind their length in two bytes, the low one first";
  }
}

TEST(SerializedKinds, ValuesOutOfTheirRangeAreNamed) {
  const std::string blocked = Filled<BlockedBloom>(12, 0.01).Serialize();
  ExpectRefused<BlockedBloom>(WithByte(blocked, 6, 6),
                              "expected blocks a key from 1 to 5, found 6; build");
  ExpectRefused<BlockedBloom>(WithByte(blocked, 7, 0),
                              "expected bits a block from 1 to 8, found 0; build");
  ExpectRefused<BlockedBloom>(With(blocked, 24, uint64_t{1} << 58),
                              "expected the number of blocks to be ");
  ExpectRefused<BlockedBloom>(With(blocked, 32, 1),
                              "expected the number of keys, by the bits that are set, from ");
  ExpectRefused<BlockedBloom>(With(blocked, 40, kMostKeys + 1),
                              "expected planned keys from 0 to 1099511627776, found 1099511627777");

  const std::string cuckoo = Filled<CuckooFilter>(12, 0.01).Serialize();
  ExpectRefused<CuckooFilter>(WithByte(cuckoo, 6, 33),
                              "expected bits of a fingerprint from 5 to 32, found 33; build");
  ExpectRefused<CuckooFilter>(With(cuckoo, 24, ~uint64_t{0} / 8), "expected buckets from 1 to ");
  ExpectRefused<CuckooFilter>(With(cuckoo, 32, 11),
                              "expected the number of keys to be 12 as the rest says, found 11");

  const std::string counting = Filled<CountingBloom>(12, 0.01).Serialize();
  ExpectRefused<CountingBloom>(WithByte(counting, 6, 0),
                               "expected counters a key from 1 to 64, found 0; build");

  const std::string scalable = Filled<ScalableBloom>(12, 0.01).Serialize();
  ExpectRefused<ScalableBloom>(With(scalable, 48, 0), "first_capacity is 0, but must be from 1");
  ExpectRefused<ScalableBloom>(With(scalable, 24, 99), "expected the number of filters to be ");
  // The second filter's own header, with a length beyond the end.
  ExpectRefused<ScalableBloom>(With(scalable, 72 + 16 + 8 + 16, ~uint64_t{0}),
                               "bytes of one more filter");
}

// ---- FORMAT.md

bool IsPrinting() { return std::getenv("WINNOW_PRINT_VECTORS") != nullptr; }

std::string Format() { return winnow::testing::ReadFile(WINNOW_AMQ_FORMAT_MD); }

void ExpectVector(const char* name, double rate, uint64_t keys, const std::string& bytes) {
  char line[200];
  std::snprintf(line, sizeof line,
                "    %-8s rate %-5g %5" PRIu64 " keys %6zu bytes %016" PRIx64 "\n", name, rate,
                keys, bytes.size(), XXH3_64bits(bytes.data(), bytes.size()));
  if (IsPrinting()) std::printf("%s", line);
  EXPECT_THAT(Format(), HasSubstr(line));
}

template <typename Filter>
void ExpectVectors(const char* name) {
  for (const double rate : {0.01, 1e-9}) {
    for (const uint64_t keys : {0u, 1u, 100u, 10'000u}) {
      ExpectVector(name, rate, keys, Filled<Filter>(keys, rate).Serialize());
    }
  }
}

TEST(SerializedFormat, VectorsAreWhatIsWritten) {
  ExpectVectors<BlockedBloom>("blocked");
  ExpectVectors<ScalableBloom>("scalable");
  ExpectVectors<CountingBloom>("counting");
  ExpectVectors<CuckooFilter>("cuckoo");
}

// Returns the record and the pages one after the other.
std::string PagesOf(uint64_t keys, double rate) {
  MemoryPageStore store;
  const PagedBloom filter = testing::MustBuild(&store, {keys, rate, 1024}, Keys(keys));
  std::string bytes = store.all().at("plan");
  for (uint64_t page = 0; page < filter.shape().pages; ++page) {
    bytes += store.all().at(filter.PageName(page));
  }
  return bytes;
}

TEST(SerializedFormat, VectorsOfPagesAreWhatIsWritten) {
  for (const double rate : {0.01, 1e-9}) {
    for (const uint64_t keys : {0u, 1u, 100u, 10'000u}) {
      ExpectVector("paged", rate, keys, PagesOf(keys, rate));
    }
  }
}

}  // namespace serialized_test
}  // namespace winnow::amq
