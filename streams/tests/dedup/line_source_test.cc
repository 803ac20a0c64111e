// Tests of lines from plain, compressed, concatenated, truncated and unsupported files.

#include "streams/dedup/line_source.h"

#include <absl/status/status.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "streams/tests/dedup/dedup_testing.h"
#include "streams/tests/dedup/packing_testing.h"
#include "tests/support/files.h"

namespace winnow {
namespace line_source_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::Gzip;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Lz4;
using testing::PackingUnderTest;
using testing::RandomLines;
using testing::TextOf;
using testing::Zstd;

using namespace std::string_literals;

struct Outcome {
  std::vector<std::string> lines;
  std::string fault;  // empty: no error until the end
};

Outcome LinesAt(const std::string& path, bool all_is_plain) {
  Outcome outcome;
  dedup::LineSource source(path, all_is_plain);
  absl::Status status = source.Open();
  for (std::vector<std::string_view> lines; status.ok();) {
    status = source.Next(
        256, [](bool) { return absl::OkStatus(); }, &lines);
    if (status.ok() && lines.empty()) break;
    outcome.lines.insert(outcome.lines.end(), lines.begin(), lines.end());
  }
  outcome.fault = std::string(status.message());
  return outcome;
}

class LineSourceTest : public ::testing::Test {
 protected:
  Outcome Read(const std::string& bytes, bool all_is_plain = false) {
    testing::WriteFile(folder_ / "f", bytes);
    return LinesAt(folder_ / "f", all_is_plain);
  }

  // Reads through a packet-mode pipe, which returns `piece` bytes per read.
  Outcome ReadPiece(const std::string& bytes, size_t piece) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC | O_DIRECT), 0);
    signal(SIGPIPE, SIG_IGN);  // the reader may close the pipe early, at an error
    std::thread writer([&] {
      for (size_t at = 0; at < bytes.size(); at += piece) {
        const size_t n = std::min(piece, bytes.size() - at);
        if (write(ends[1], bytes.data() + at, n) != static_cast<ssize_t>(n)) break;
      }
      close(ends[1]);
    });
    const Outcome outcome = LinesAt("/dev/fd/" + std::to_string(ends[0]), false);
    close(ends[0]);
    writer.join();
    return outcome;
  }

  testing::TemporaryFolder folder_;
};

class PackedLinesTest : public LineSourceTest,
                        public ::testing::WithParamInterface<PackingUnderTest> {
 protected:
  std::string Pack(const std::string& text) const { return GetParam().pack(text); }
};

INSTANTIATE_TEST_SUITE_P(Formats, PackedLinesTest, ::testing::ValuesIn(testing::kPackings),
                         [](const auto& it) { return std::string(it.param.name); });

// Some sizes fill the buffers several times; lengths around the buffer size end a frame exactly
// when the buffer is full.
TEST_P(PackedLinesTest, WholeOnesAreRead) {
  for (const int n : {0, 1, 10, 300'000}) {
    const std::vector<std::string> lines = RandomLines(static_cast<uint64_t>(n), 1'000'000, 1);
    const Outcome outcome = Read(Pack(TextOf(lines)));
    EXPECT_THAT(outcome.fault, IsEmpty()) << n;
    EXPECT_TRUE(outcome.lines == lines) << n;
  }
  constexpr size_t kRoom = size_t{512} << 10;
  for (size_t size : {kRoom - 1, kRoom, kRoom + 1, 2 * kRoom, 8 * kRoom}) {
    const Outcome zeros = Read(Pack(std::string(size, '\0')));
    EXPECT_THAT(zeros.fault, IsEmpty()) << size;
    EXPECT_TRUE(zeros.lines == std::vector<std::string>{std::string(size, '\0')}) << size;
    // The first frame ends at the end of a buffer.
    const Outcome joined = Read(Pack(std::string(size, 'a')) + Pack("b\n"));
    EXPECT_THAT(joined.fault, IsEmpty()) << size;
    EXPECT_TRUE(joined.lines == std::vector<std::string>{std::string(size, 'a') + "b"}) << size;
  }
}

// Input from a writer that pauses, as in following a log: everything that can be decompressed is
// returned before more is read. A zstd block is sometimes larger than the remaining buffer space.
TEST_F(LineSourceTest, WhatHasComeIsGivenBeforeMoreIsRead) {
  for (size_t n = 600; n < 1'400; n += 33) {
    const std::vector<std::string> lines(n, std::string(999, 'a'));
    const std::string text = TextOf(lines);
    std::string packed(ZSTD_compressBound(text.size()), 0);
    ZSTD_CStream* const stream = ZSTD_createCStream();
    ZSTD_inBuffer in = {text.data(), text.size(), 0};
    ZSTD_outBuffer out = {packed.data(), packed.size(), 0};
    EXPECT_EQ(ZSTD_compressStream2(stream, &out, &in, ZSTD_e_flush), 0u);
    ZSTD_freeCStream(stream);
    const Outcome outcome = Read(packed.substr(0, out.pos));
    EXPECT_THAT(outcome.fault, HasSubstr("cut off")) << n;
    EXPECT_EQ(outcome.lines.size(), lines.size());
  }
}

TEST_P(PackedLinesTest, JoinedOnesAreReadAlsoInPieces) {
  const std::string joined = Pack("a\nb") + Pack("") + Pack("c\n") + Pack("d");
  EXPECT_THAT(Read(joined).lines, ElementsAre("a", "bc", "d"));
  for (size_t piece = 1; piece < 12; ++piece) {
    const Outcome outcome = ReadPiece(joined, piece);
    EXPECT_THAT(outcome.fault, IsEmpty()) << piece;
    EXPECT_THAT(outcome.lines, ElementsAre("a", "bc", "d")) << piece;
  }
}

// Truncates at every position in the first and in the second frame.
TEST_P(PackedLinesTest, CutOffOnesAreSaid) {
  const std::string first = Pack("a\nb\n"), both = first + Pack("c\nd\ne\n");
  for (size_t size = 10; size < both.size(); ++size) {
    const Outcome outcome = Read(both.substr(0, size));
    if (size == first.size()) {
      EXPECT_THAT(outcome.fault, IsEmpty());
    } else if (GetParam().name == "gzip"s && size == first.size() + 1) {
      // The message is equivalent to that of gzip.
      EXPECT_THAT(outcome.fault, HasSubstr("is something else"));
    } else {
      EXPECT_THAT(outcome.fault, AllOf(HasSubstr("f is cut off: after its " + std::to_string(size)),
                                       HasSubstr(GetParam().name), HasSubstr(GetParam().checks)))
          << size;
    }
    if (size >= first.size()) {
      EXPECT_GE(outcome.lines.size(), 2u) << size;
    }
  }
  // No incomplete line is returned.
  const std::vector<std::string> lines = RandomLines(100'000, 1'000'000, 2);
  const std::string packed = Pack(TextOf(lines));
  const Outcome half = Read(packed.substr(0, packed.size() / 2));
  EXPECT_THAT(half.fault, HasSubstr("cut off"));
  EXPECT_GT(half.lines.size(), 10'000u);
  EXPECT_TRUE(std::equal(half.lines.begin(), half.lines.end(), lines.begin()));
}

TEST_P(PackedLinesTest, DamagedOnesAreSaid) {
  const std::vector<std::string> lines = RandomLines(100'000, 1'000'000, 3);
  const std::string packed = Pack(TextOf(lines));
  std::string damaged = packed;
  damaged.replace(packed.size() / 2, 400, 400, '\xff');
  const Outcome before = Read(damaged);
  ASSERT_GT(before.lines.size(), 25'000u);
  EXPECT_TRUE(std::equal(lines.begin(), lines.begin() + 25'000, before.lines.begin()));
  EXPECT_THAT(before.fault,
              AllOf(HasSubstr("f is damaged: its "), HasSubstr(GetParam().name),
                    HasSubstr(GetParam().checks), ::testing::Not(HasSubstr("--plain"))));
  // The input is damaged, or a text with such a beginning.
  EXPECT_THAT(Read(packed.substr(0, 4) + "\xff\xfftext\nmore\n").fault, HasSubstr("--plain"));
}

TEST_P(PackedLinesTest, WhatFollowsIsSaidAndAllBeforeItIsRead) {
  for (const std::string& rest : {"x"s, "text\n"s, "\0\0\0text\n"s, "\x1f"s}) {
    const Outcome outcome = Read(Pack("a\nb\nc\n") + rest);
    EXPECT_THAT(outcome.fault, HasSubstr("f")) << rest;
    EXPECT_THAT(outcome.lines, ElementsAre("a", "b", "c")) << rest;
  }
}

// Trailing zeros, the padding of tapes and disks, are ignored as by gzip, and the last line
// precedes any error.
TEST_F(LineSourceTest, GzipIsPaddedByZeros) {
  for (const size_t n : {1, 9, 512, 300'000}) {
    const Outcome padded = Read(Gzip("a\nb") + std::string(n, '\0'));
    EXPECT_THAT(padded.fault, IsEmpty()) << n;
    EXPECT_THAT(padded.lines, ElementsAre("a", "b")) << n;
    const Outcome behind = Read(Gzip("a\nb") + std::string(n, '\0') + Gzip("c"));
    EXPECT_THAT(behind.fault, HasSubstr("from byte " + std::to_string(Gzip("a\nb").size() + n)))
        << n;
    EXPECT_THAT(behind.lines, ElementsAre("a", "b")) << n;
  }
  for (size_t piece = 1; piece < 12; ++piece) {
    const std::string padded = Gzip("a\nb") + std::string(10, '\0');
    EXPECT_THAT(ReadPiece(padded, piece).fault, IsEmpty()) << piece;
    EXPECT_THAT(ReadPiece(padded + Gzip("c"), piece).fault, HasSubstr("something else")) << piece;
    EXPECT_THAT(ReadPiece(padded + Gzip("c"), piece).lines, ElementsAre("a", "b")) << piece;
  }
}

// Skippable frames as pzstd writes them before its own frames.
TEST_F(LineSourceTest, SkippableFramesAreSkipped) {
  const std::string skipped = "\x50\x2a\x4d\x18\x05\0\0\0hello"s;
  for (const PackingUnderTest& packing : {testing::kPackings[1], testing::kPackings[2]}) {
    for (const std::string& bytes :
         {skipped + packing.pack("a\nb\n"), packing.pack("a\nb\n") + skipped,
          skipped + skipped + packing.pack("a\n") + skipped + packing.pack("b\n")}) {
      for (const size_t piece : {size_t{1}, size_t{7}, bytes.size()}) {
        const Outcome outcome = ReadPiece(bytes, piece);
        EXPECT_THAT(outcome.fault, IsEmpty()) << packing.name;
        EXPECT_THAT(outcome.lines, ElementsAre("a", "b")) << packing.name;
      }
    }
  }
  EXPECT_THAT(Read(skipped).lines, IsEmpty());
  EXPECT_THAT(Read(skipped).fault, IsEmpty());
}

TEST_F(LineSourceTest, FormatsMayFollowOneAnother) {
  const Outcome outcome = Read(Gzip("a\n") + Lz4("b\n") + Zstd("c\n") + Gzip("d\n"));
  EXPECT_THAT(outcome.fault, IsEmpty());
  EXPECT_THAT(outcome.lines, ElementsAre("a", "b", "c", "d"));
}

// Without the check, such files would be read as meaningless lines.
TEST_F(LineSourceTest, WhatIsNotReadHereIsRefused) {
  const struct {
    std::string bytes;
    const char* advice;
  } cases[] = {{"\xfd"
                "7zXZ\0\0\4more\n"s,
                "xz -dc"},
               {"BZh91AY&SYmore\n", "bzip2 -dc"},
               {"\x1f\x9dmore\n", "gzip -dc"},
               {"\x02\x21\x4c\x18more\n", "lz4 -dc"},
               {"PK\x03\x04more\n", "unzip -p"}};
  for (const auto& it : cases) {
    const Outcome refused = Read(it.bytes);
    EXPECT_THAT(refused.lines, IsEmpty()) << it.advice;
    EXPECT_THAT(refused.fault,
                AllOf(HasSubstr("f is compressed by"), HasSubstr(it.advice), HasSubstr("--plain")));
    EXPECT_EQ(Read(it.bytes, true).lines, testing::LinesOf(it.bytes)) << it.advice;
  }
}

TEST_F(LineSourceTest, TextsThatBeginSimilarlyAreText) {
  for (const std::string& text : {"BZh9"s, "BZh9 is\nno\n"s, "PK\n"s, "\x1f"s, "\x1f\n\x8b"s,
                                  "\x04\x22\x4d"s, "(\xb5/"s, "7zXZ\n"s}) {
    const Outcome outcome = Read(text);
    EXPECT_THAT(outcome.fault, IsEmpty()) << text;
    EXPECT_EQ(outcome.lines, testing::LinesOf(text)) << text;
  }
}

}  // namespace line_source_test
}  // namespace winnow
