// Tests that a state of seen lines has the bytes given here in hexadecimal on all machines, and is
// read from them.

#include "streams/dedup/state/state_bytes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/hex.h"
#include "winnow/amq/plan.h"

namespace winnow::dedup {
namespace {

using testing::Hex;

// Magic number, version and kind, a, b; hash; payload, count, keys, x, y; two checksums; sizes of
// filter and journal.
const char kRecord[] =
    "57416d7100070143"
    "0100000000000000"
    "1000000000000000"
    "e803000000000000"
    "1502000000000000"
    "d204000000000000"
    "95d626e80b2e113e"
    "a12bf287fe5495f1"
    "ea3841b380a58588"
    "48fa000000000000"
    "0010100000000000";
// Mark, a count of 3, the hashes, a checksum.
const char kEntry[] =
    "57416d6c696e650a"
    "0300000000000000"
    "0807060504030201"
    "ffffffffffffffff"
    "0000000000000080"
    "7c7f3bf192f68205";

const std::vector<uint64_t> kHashes = {0x0102030405060708u, ~uint64_t{0}, uint64_t{1} << 63};

std::string BytesOfHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

const unsigned char* Unsigned(const std::string& bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

StateRecord Example() {
  StateRecord record;
  record.capacity = 1234;
  record.rate = 1e-9;
  record.shape = {1000, 4, 3};
  record.rewriting = true;
  record.keys = 533;
  record.layout = {amq::kHeaderBytes + 64 * record.shape.num_blocks, 0x101000};
  return record;
}

TEST(StateBytesTest, ARecordIsTheseBytes) { EXPECT_EQ(Hex(BytesOf(Example())), kRecord); }

TEST(StateBytesTest, ARecordIsReadFromTheseBytes) {
  StateRecord record;
  ASSERT_EQ(ReadRecord(BytesOfHex(kRecord), &record), "");
  EXPECT_EQ(Hex(BytesOf(record)), kRecord);
}

TEST(StateBytesTest, ARecordThatIsDamagedOrOfAnotherLengthIsRefused) {
  const std::string whole = BytesOf(Example());
  StateRecord record;
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    EXPECT_NE(ReadRecord(damaged, &record), "") << bit;
  }
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(ReadRecord(std::string_view(whole).substr(0, length), &record), "") << length;
  }
  // A valid header, but too short for a record.
  std::string shorter = whole.substr(0, whole.size() - 8);
  amq::Header header;
  header.kind = amq::Serialized::kLinesRecord;
  header.payload = 8;
  amq::WriteHeader(header, reinterpret_cast<unsigned char*>(shorter.data()));
  EXPECT_NE(ReadRecord(shorter, &record), "");
}

// The checksums are right.
TEST(StateBytesTest, ValuesOutOfTheirRangeAreRefused) {
  using Change = void (*)(StateRecord*);
  for (const Change change : std::initializer_list<Change>{
           [](StateRecord* record) { record->capacity = 0; },
           [](StateRecord* record) { record->capacity = amq::kMostKeys + 1; },
           [](StateRecord* record) { record->rate = 0; },
           [](StateRecord* record) { record->rate = 0.6; },
           [](StateRecord* record) { record->rate = std::nan(""); },
           [](StateRecord* record) { record->shape.blocks_per_key = 0; },
           [](StateRecord* record) { record->shape.blocks_per_key = 15; },
           [](StateRecord* record) { record->shape.bits_per_block = 0; },
           [](StateRecord* record) { record->shape.bits_per_block = 15; },
           [](StateRecord* record) { record->shape.num_blocks = 0; },
           [](StateRecord* record) { record->shape.num_blocks = uint64_t{1} << 60; },
           [](StateRecord* record) { record->rewriting = false; },  // has keys nevertheless
           [](StateRecord* record) { record->layout.filter += 64; },
           [](StateRecord* record) { record->layout.journal = EntryBytes(kMaxUnkept) - 1; },
           [](StateRecord* record) { record->layout.journal += 8; },
           [](StateRecord* record) { record->layout.journal = ~uint64_t{4095}; },
       }) {
    StateRecord record = Example();
    change(&record);
    StateRecord read;
    EXPECT_NE(ReadRecord(BytesOf(record), &read), "");
  }
  // 2 and above are neither of the two phases.
  std::string bytes = BytesOf(Example());
  amq::Header header;
  ASSERT_EQ(amq::ReadHeader(bytes, amq::Serialized::kLinesRecord, &header), "");
  header.a = 2;
  amq::WriteHeader(header, reinterpret_cast<unsigned char*>(bytes.data()));
  StateRecord read;
  EXPECT_NE(ReadRecord(bytes, &read), "");
}

TEST(StateBytesTest, AnEntryIsTheseBytes) {
  std::vector<unsigned char> entry(EntryBytes(kHashes.size()));
  WriteEntry(kHashes.data(), kHashes.size(), entry.data());
  EXPECT_EQ(Hex({reinterpret_cast<const char*>(entry.data()), entry.size()}), kEntry);
}

TEST(StateBytesTest, AnEntryIsReadFromTheseBytes) {
  const std::string entry = BytesOfHex(kEntry);
  EXPECT_TRUE(HasMark(Unsigned(entry)));
  ASSERT_EQ(EntryCount(Unsigned(entry)), kHashes.size());
  EXPECT_TRUE(EntryIntact(Unsigned(entry), kHashes.size()));
  for (size_t i = 0; i < kHashes.size(); ++i) {
    EXPECT_EQ(EntryHash(Unsigned(entry), i), kHashes[i]);
  }
}

TEST(StateBytesTest, AnEntryThatIsDamagedIsSeen) {
  const std::string whole = BytesOfHex(kEntry);
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    const uint64_t count = EntryCount(Unsigned(damaged));
    EXPECT_FALSE(count == kHashes.size() && EntryIntact(Unsigned(damaged), count)) << bit;
  }
  const std::string none(kEntryStart, 0);
  EXPECT_FALSE(HasMark(Unsigned(none)));
  EXPECT_GT(EntryCount(Unsigned(none)), kMaxUnkept);
}

}  // namespace
}  // namespace winnow::dedup
