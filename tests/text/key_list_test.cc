// Tests of reading key lists: plain, compressed, damaged.

#include "src/text/key_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lz4frame.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/files.h"

namespace winnow::inspect {
namespace key_list_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A file that is removed at the end of the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view bytes) { testing::WriteFile(path_, bytes); }

  const std::string& path() const { return path_; }

 private:
  const testing::TemporaryFolder folder_;
  const std::string path_ = folder_ / "keys";
};

struct Listed {
  absl::Status status;
  std::vector<std::string> keys;
  std::string note;
};

Listed List(std::string_view bytes, KeyFormat format = KeyFormat::kLine) {
  const TemporaryFile file(bytes);
  Listed listed;
  const absl::StatusOr<KeyListNotes> notes =
      ForEachKey(file.path(), format, [&](std::string_view key) { listed.keys.emplace_back(key); });
  listed.status = notes.status();
  if (notes.ok()) {
    listed.note = notes->Sentence();
    EXPECT_EQ(notes->keys, listed.keys.size());
  }
  return listed;
}

std::string Frame(std::string_view bytes) {
  LZ4F_preferences_t preferences = LZ4F_INIT_PREFERENCES;
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  std::string frame(LZ4F_compressFrameBound(bytes.size(), &preferences), '\0');
  frame.resize(
      LZ4F_compressFrame(frame.data(), frame.size(), bytes.data(), bytes.size(), &preferences));
  return frame;
}

// Returns more text than a reader's buffer holds, in lines of varying lengths.
std::string ManyLines(std::vector<std::string>* keys) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) {
    keys->push_back(std::string(static_cast<size_t>(i % 7), '/') + std::to_string(i));
    text += keys->back() + '\n';
  }
  return text;
}

TEST(KeyListTest, AKeyIsALineUnlessThatIsEmpty) {
  for (const std::string& text : {std::string("one\ntwo\n"), std::string("one\ntwo"),
                                  Frame("one\ntwo"), std::string("\n\none\n\ntwo\n\n")}) {
    const Listed listed = List(text);
    EXPECT_TRUE(listed.status.ok()) << listed.status;
    EXPECT_THAT(listed.keys, ElementsAre("one", "two"));
  }
}

TEST(KeyListTest, EveryOtherByteBelongsToTheKey) {
  const std::string text("b \0c\na\r\n\xff\t\n", 11);
  const Listed listed = List(text);
  EXPECT_THAT(listed.keys, ElementsAre(std::string("b \0c", 4), "a\r", std::string("\xff\t")));
  EXPECT_EQ(listed.note, "");
}

TEST(KeyListTest, CarriageReturnsAtTheEndOfEveryLineBelongToNoKeyAndThatIsSaid) {
  for (const char* text : {"a\r\nb\r\r\n\r\nc\r\n", "a\r\nb\r\r\n\r\nc"}) {
    const Listed listed = List(text);
    EXPECT_TRUE(listed.status.ok()) << listed.status;
    EXPECT_THAT(listed.keys, ElementsAre("a", "b\r", "c"));
    EXPECT_THAT(listed.note, HasSubstr("carriage returns at the end of "));
  }
}

TEST(KeyListTest, ALineWithoutTheCarriageReturnOfTheFirstIsAnError) {
  const Listed listed = List("a\r\nb\nc\r\n");
  EXPECT_THAT(std::string(listed.status.message()), HasSubstr("but line 2 with a line feed only"));
  EXPECT_THAT(listed.keys, ElementsAre("a"));
}

TEST(KeyListTest, AByteOrderMarkBelongsToNoKeyAndThatIsSaid) {
  const std::string mark = "\xef\xbb\xbf";
  for (const std::string& bytes :
       {mark + "a\nb\n", Frame(mark + "a\nb\n"),
        Frame("\xef") + Frame("\xbb") + Frame("\xbf") + Frame("a\nb\n")}) {
    const Listed listed = List(bytes);
    EXPECT_THAT(listed.keys, ElementsAre("a", "b"));
    EXPECT_EQ(listed.note, "the byte order mark at its start taken as no part of a key");
  }
  EXPECT_THAT(List("a\n" + mark + "b\n").keys, ElementsAre("a", mark + "b"));
}

TEST(KeyListTest, HexadecimalDigitsAreBytes) {
  // A carriage return is not a digit, and belongs to no key.
  for (const char* text : {"00ff0A\n0x0a0d\n0X61", "00ff0A\n0x0a0d\r\n0X61\n"}) {
    EXPECT_THAT(List(text, KeyFormat::kHex).keys,
                ElementsAre(std::string("\0\xff\n", 3), "\n\r", "a"));
  }
  EXPECT_THAT(List("61\r\n62\r\n", KeyFormat::kHex).keys, ElementsAre("a", "b"));
}

TEST(KeyListTest, WhatIsNotHexadecimalIsAnErrorThatNamesTheLine) {
  for (const char* wrong : {"6", "0x616", "6g", "61 62", "key"}) {
    const Listed listed = List("61\n" + std::string(wrong) + "\n", KeyFormat::kHex);
    EXPECT_EQ(listed.status.code(), absl::StatusCode::kInvalidArgument) << wrong;
    EXPECT_THAT(std::string(listed.status.message()), HasSubstr("line 2 of")) << wrong;
    EXPECT_THAT(listed.keys, ElementsAre("a")) << wrong;
  }
}

TEST(KeyListTest, OtherCompressionsAreNamed) {
  const std::pair<std::string, std::string> cases[] = {
      {std::string("\x1f\x8b\x08\0rest", 8), "compressed with gzip"},
      {std::string("\x28\xb5\x2f\xfdrest", 8), "compressed with zstd"},
      {std::string("\xfd\x37zXZ\0rest", 10), "compressed with xz"},
      {std::string("PK\3\4rest", 8), "compressed with zip"},
      {std::string(13, '\0') + "feedcafedeadbeef\tTrace Version: 0.2\t", "trace of RocksDB's"}};
  for (const auto& [bytes, says] : cases) {
    const Listed listed = List(bytes);
    EXPECT_THAT(std::string(listed.status.message()), HasSubstr(says));
    EXPECT_THAT(listed.keys, IsEmpty()) << says;
  }
}

TEST(KeyListTest, TextOfTwoBytesACharacterIsRefused) {
  std::string little, big;
  for (const char c : std::string_view("one key\nanother key\n")) {
    little += {c, '\0'};
    big += {'\0', c};
  }
  for (const std::string& text : {little, big, "\xff\xfe" + little, "\xfe\xff" + big}) {
    for (const std::string& bytes : {text, Frame(text)}) {
      const Listed listed = List(bytes);
      EXPECT_THAT(std::string(listed.status.message()), HasSubstr("looks like UTF-16"));
      EXPECT_THAT(listed.keys, IsEmpty());
    }
  }
}

TEST(KeyListTest, BinaryKeysWithSomeZerosAreNoText) {
  const std::string keys("a\0b\0c\0d\0e\0f\0g\0h\0\n\1\0\2\0\n", 22);
  EXPECT_TRUE(List(keys).status.ok()) << List(keys).status;
}

TEST(KeyListTest, AListWithoutKeysIsAnError) {
  for (const std::string& bytes : {std::string(), Frame(""), std::string("\n\n"),
                                   std::string("\r\n"), std::string("\xef\xbb\xbf")}) {
    const Listed listed = List(bytes);
    EXPECT_THAT(std::string(listed.status.message()), HasSubstr("has no keys"));
    EXPECT_THAT(listed.keys, IsEmpty());
  }
}

TEST(KeyListTest, ListsLongerThanABufferAreWhole) {
  std::vector<std::string> keys;
  const std::string text = ManyLines(&keys);
  EXPECT_EQ(List(text).keys, keys);
  EXPECT_EQ(List(Frame(text)).keys, keys);
}

TEST(KeyListTest, TextThatCompressesToAlmostNothingIsWhole) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "the same key over and over again\n";
  const Listed listed = List(Frame(text));
  EXPECT_TRUE(listed.status.ok()) << listed.status;
  EXPECT_EQ(listed.keys, std::vector<std::string>(100'000, "the same key over and over again"));
}

TEST(KeyListTest, TextThatJustFillsABufferIsWhole) {
  for (const size_t size : {(256u << 10) - 1, 256u << 10, (256u << 10) + 1, 512u << 10}) {
    const Listed listed = List(Frame(std::string(size, 'k')) + Frame("\nnext"));
    EXPECT_TRUE(listed.status.ok()) << listed.status;
    EXPECT_EQ(listed.keys, (std::vector<std::string>{std::string(size, 'k'), "next"})) << size;
  }
}

TEST(KeyListTest, FramesFollowEachOtherAndASkippableOneIsSkipped) {
  const std::string skippable("\x50\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);
  const Listed listed = List(skippable + Frame("one\ntw") + Frame("") + Frame("o\nthree\n"));
  EXPECT_TRUE(listed.status.ok()) << listed.status;
  EXPECT_THAT(listed.keys, ElementsAre("one", "two", "three"));
}

TEST(KeyListTest, AFrameCutAnywhereIsAnError) {
  const std::string frame = Frame("some\nkeys\nthat are cut\n");
  for (size_t length = 4; length < frame.size(); ++length) {
    const Listed listed = List(frame.substr(0, length));
    EXPECT_EQ(listed.status.code(), absl::StatusCode::kDataLoss) << length;
    EXPECT_THAT(std::string(listed.status.message()), HasSubstr("cut off")) << length;
  }
  // At the end of a buffer.
  std::vector<std::string> keys;
  const std::string large = Frame(ManyLines(&keys));
  ASSERT_GT(large.size(), size_t{256} << 10);
  EXPECT_EQ(List(large.substr(0, size_t{256} << 10)).status.code(), absl::StatusCode::kDataLoss);
}

TEST(KeyListTest, ADamagedFrameIsAnErrorThatNamesTheFile) {
  std::string frame = Frame("some\nkeys\nwith a checksum behind them\n");
  frame[frame.size() - 2] = static_cast<char>(frame[frame.size() - 2] ^ 1);
  const TemporaryFile file(frame);
  const absl::Status status =
      ForEachKey(file.path(), KeyFormat::kLine, [](std::string_view) {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr(file.path() + " is damaged"));
}

TEST(KeyListTest, OtherBytesAfterAFrameAreAnError) {
  EXPECT_EQ(List(Frame("one\n") + "more keys, not compressed\n").status.code(),
            absl::StatusCode::kDataLoss);
}

TEST(KeyListTest, AKeyMayBeLongButNotEndless) {
  const std::string longest(kMaxListedKey, 'k');
  const Listed fits = List(longest + "\nnext\n");
  EXPECT_TRUE(fits.status.ok()) << fits.status;
  ASSERT_EQ(fits.keys.size(), 2u);
  EXPECT_EQ(fits.keys[0].size(), kMaxListedKey);

  const Listed endless = List("first\n" + longest + "k\n");
  EXPECT_EQ(endless.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(endless.status.message()), HasSubstr("line 2 of"));
}

TEST(KeyListTest, AFolderAndAFileThatIsNotThereAreErrorsThatNameIt) {
  const testing::TemporaryFolder folder;
  const std::string keys = folder / "keys";
  for (const std::string& path : {keys, folder.path()}) {
    const absl::Status status =
        ForEachKey(path, KeyFormat::kLine, [](std::string_view) { FAIL(); }).status();
    EXPECT_THAT(std::string(status.message()), HasSubstr(path));
  }
}

}  // namespace key_list_test
}  // namespace winnow::inspect
