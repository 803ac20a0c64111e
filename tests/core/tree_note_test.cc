// Tests of the serialization of tree notes.

#include "src/core/tree_note.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/format.h"
#include "src/core/notes.h"
#include "tests/core/filter_testing.h"
#include "tests/support/random_hashes.h"
#include "winnow/filter.h"
#include "winnow/hash.h"

namespace winnow::core {
namespace tree_note_test {

using testing::RandomHashes;

constexpr size_t kRoom = 1 << 20;  // size of a filter with room for any note

TreeNote Note(std::string first, std::string last) {
  return {0x123456789abcdef0, RateReason::kKeysInRange, -7.5, 3.25,
          std::move(first),   std::move(last)};
}

// Returns the keys after a round trip; empty if there is no note.
std::vector<std::string> Keys(const std::string& first, const std::string& last,
                              size_t filter_bytes = kRoom) {
  const std::string bytes = EncodeTreeNote(Note(first, last), filter_bytes);
  if (bytes.empty()) return {};
  const std::optional<TreeNote> note = DecodeTreeNote(bytes);
  EXPECT_TRUE(note.has_value());
  EXPECT_LE((bytes.size() + kEntryBytes) * kFiltersOfTreeNote, filter_bytes);
  return {note->first, note->last};
}

using Two = std::vector<std::string>;

TEST(TreeNoteTest, ComesBackAsItWas) {
  const std::optional<TreeNote> note = DecodeTreeNote(EncodeTreeNote(Note("key1", "key7x"), kRoom));
  ASSERT_TRUE(note.has_value());
  EXPECT_EQ(note->tree, 0x123456789abcdef0u);
  EXPECT_EQ(note->reason, RateReason::kKeysInRange);
  EXPECT_EQ(note->log2_lambda, -7.5);
  EXPECT_EQ(note->log2_reach, 3.25);
  EXPECT_EQ(note->first, "key1");
  EXPECT_EQ(note->last, "key7x");
  // Logarithms that are too large are bounded.
  TreeNote far = Note("a", "b");
  far.log2_lambda = -1000;
  far.log2_reach = 1000;
  far = DecodeTreeNote(EncodeTreeNote(far, kRoom)).value();
  EXPECT_EQ(far.log2_lambda, -127);
  EXPECT_EQ(far.log2_reach, 127);
}

TEST(TreeNoteTest, KeysAreCutSoThatBothTakeSixtyFourBytes) {
  const std::string a(100, 'a');
  const std::string b(100, 'b');
  EXPECT_EQ(Keys(a, b), (Two{a.substr(0, 32), b.substr(0, 32)}));
  EXPECT_EQ(Keys("x", b), (Two{"x", b.substr(0, 63)}));
  EXPECT_EQ(Keys(a, "x"), (Two{a.substr(0, 63), "x"}));
  EXPECT_EQ(Keys("", b), (Two{"", b.substr(0, 64)}));
  const std::string same(50, 's');
  EXPECT_EQ(Keys(same + a, same + b), (Two{same + a.substr(0, 7), same + b.substr(0, 7)}));
}

TEST(TreeNoteTest, KeysThatAreNotToldApartHaveNone) {
  const std::string same(57, 's');
  EXPECT_EQ(Keys(same + "1234x", same + "5678x"), Two());
  EXPECT_EQ(Keys(same + "123", same + "567"), (Two{same + "123", same + "567"}));
  EXPECT_EQ(Keys(std::string(65, 's'), std::string(65, 's')), Two());
  EXPECT_EQ(Keys(std::string(64, 's'), std::string(64, 's')),
            (Two{std::string(64, 's'), std::string(64, 's')}));
  EXPECT_EQ(Keys("", ""), (Two{"", ""}));
}

TEST(TreeNoteTest, TakesNoMoreThanItsShareOfTheFilter) {
  size_t with = 0;
  for (size_t bytes = 0; bytes < 8192; ++bytes)
    with += Keys("key00000001", "key99999999", bytes).empty() ? 0 : 1;
  EXPECT_GT(with, 8192u - 2500);  // Keys() checks the size
  EXPECT_LT(with, 8192u - 1800);
  EXPECT_EQ(Keys("key00000001", "key99999999", 2600), (Two{"key0000000", "key9999999"}));
}

TEST(TreeNoteTest, DamagedAndOtherBytesAreNoNote) {
  const std::string bytes = EncodeTreeNote(Note("key1", "key7x"), kRoom);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_FALSE(DecodeTreeNote(damaged).has_value()) << i;
    EXPECT_FALSE(DecodeTreeNote(bytes.substr(0, i)).has_value()) << i;
  }
  EXPECT_FALSE(DecodeTreeNote(bytes + "x").has_value());
}

std::string Signed(std::string bytes) {
  const uint32_t sum = Checksum(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  bytes.push_back(static_cast<char>(sum & 0xff));
  bytes.push_back(static_cast<char>(sum >> 8 & 0xff));
  return bytes;
}

// WINNOW_FORGED_NOTES overrides the number of notes.
TEST(TreeNoteTest, ForgedNotesAreReadWithinTheirBytes) {
  const char* const asked = std::getenv("WINNOW_FORGED_NOTES");
  const int many = asked != nullptr ? std::atoi(asked) : 20'000;
  RandomHashes random(11);
  int read = 0;
  for (int i = 0; i < many; ++i) {
    std::string bytes(random.Below(96), '\0');
    for (char& byte : bytes)
      byte = static_cast<char>(random.Below(3) == 0 ? random.Next() : random.Below(64));
    if (!bytes.empty() && random.Below(8) != 0) bytes[0] = 1;
    const std::string forged = Signed(bytes);
    // A separate allocation, so that the address sanitizer detects reads beyond it.
    const std::vector<char> own(forged.begin(), forged.end());
    const std::optional<TreeNote> note = DecodeTreeNote({own.data(), own.size()});
    if (!note) continue;
    ++read;
    EXPECT_LE(note->first.size(), kMaxTreeNoteKeys);
    EXPECT_LE(note->last.size(), kMaxTreeNoteKeys);
  }
  EXPECT_GT(read, many / 20);
  EXPECT_LT(read, many);
}

TEST(TreeNoteTest, StandsInABlockBesideOthers) {
  const std::vector<KeyHash> hashes = RandomHashes(1).Take(10'000);
  const FilterBlock plain = testing::Build(FilterOptions(), hashes);
  EXPECT_FALSE(TreeNoteOf(plain.bytes()).has_value());
  const std::string bytes = EncodeTreeNote(Note("key1", "key7x"), plain.size);
  const FilterBlock other = WithNote(plain.bytes(), 31, "a", "nother");
  const FilterBlock noted = WithNote(other.bytes(), kTreeNote, {}, bytes);
  ASSERT_EQ(noted.size, other.size + bytes.size() + kEntryBytes);
  const FilterView view(noted.bytes());
  ASSERT_EQ(view.fault(), Fault::kNone);
  EXPECT_TRUE(view.PayloadIntact());
  EXPECT_EQ(testing::FalseNegatives(view, hashes), 0u);
  const std::optional<TreeNote> note = TreeNoteOf(noted.bytes());
  ASSERT_TRUE(note.has_value());
  EXPECT_EQ(note->last, "key7x");
  // A second note is not added.
  const std::string second = EncodeTreeNote(Note("a", "b"), plain.size);
  EXPECT_EQ(WithNote(noted.bytes(), kTreeNote, {}, second).bytes(), noted.bytes());
}

}  // namespace tree_note_test
}  // namespace winnow::core
