// Comments and pages begin with a subject, and use the field's terms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/files.h"

namespace winnow {
namespace sentences_test {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// First words of blocks that have no subject.
constexpr std::string_view kNoBeginnings[] = {"Of", "What", "Whether", "That", "Whose"};
// First words that comments avoid, too; in a page, a sentence may begin with them.
constexpr std::string_view kNoBeginningsOfComments[] = {
    "As", "At",   "Behind", "Beside",  "By",    "Else",  "How", "It",
    "So", "They", "Those",  "Through", "Where", "Which", "Who", "Why"};

// Words that stand for a term of the field.
struct Term {
  std::string_view words;
  std::string_view term;
};
constexpr Term kTerms[] = {
    {"neither good nor bad", "exit code 77: skipped"},
    {"asked for least recently", "LRU eviction"},
    {"each is as likely to be", "reservoir sampling"},
    {"what is tried until it succeeds", "retry policy: back-off, messages, deadline"},
    {"bytes that are none", "invalid UTF-8"},
    {"which what is pinned may burst", "max(capacity, pinned bytes)"},
};

// Phrases that are no English, in messages and help texts, too.
constexpr Term kPhrases[] = {
    {"left away", "left out"},
    {" of now", "present, same"},
    {"took how long", "time that each step took"},
    {"is not 1, as which alone", "only 1 has an effect"},
    {"bits a key", "bits per key"},
};

enum class Kind { kNone, kSlashes, kHashes, kPage };

Kind KindOf(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::string end = path.extension().string();
  if (end == ".md") return Kind::kPage;
  for (const char* of_slashes : {".cc", ".h", ".c", ".java", ".go", ".rs", ".js"}) {
    if (end == of_slashes) return Kind::kSlashes;
  }
  for (const char* of_hashes : {".sh", ".py", ".cmake", ".mk"}) {
    if (end == of_hashes) return Kind::kHashes;
  }
  return name == "CMakeLists.txt" || name == "run" ? Kind::kHashes : Kind::kNone;
}

// The text of a line that is a comment alone, or belongs to a paragraph of a page; empty for a line
// without text; none for other lines.
std::optional<std::string> TextOf(const std::string& line, Kind kind) {
  static const std::regex slashes(R"(\s*(?:///?!?|/\*+|\*(?!/))(?:\s+(.*))?)");
  static const std::regex hashes(R"(\s*#+(?!!)(?:\s+(.*))?)");
  std::smatch match;
  if (kind == Kind::kPage) {
    if (!line.empty() && (line[0] == '#' || line[0] == '|')) return std::nullopt;
    const size_t begin = line.find_first_not_of(' ');
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  if (!std::regex_match(line, match, kind == Kind::kSlashes ? slashes : hashes)) {
    return std::nullopt;
  }
  return match[1].str();
}

std::string FirstWord(const std::string& text) {
  static const std::regex first(R"((?:[*-] |\d+\. )?[*_`(]*(\w+))");
  std::smatch match;
  return std::regex_search(text, match, first, std::regex_constants::match_continuous)
             ? match[1].str()
             : "";
}

bool IsListItem(const std::string& text) {
  static const std::regex item(R"(([*-]|\d+\.) .*)");
  return std::regex_match(text, item);
}

// Findings as NAME:LINE: TEXT.
std::vector<std::string> Findings(const std::string& name, const std::string& content, Kind kind,
                                  size_t* blocks) {
  std::vector<std::string> findings;
  std::istringstream lines(content);
  std::string before;  // the line's text; empty: a block begins behind it
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::optional<std::string> text = TextOf(line, kind);
    for (const Term& term : kPhrases) {
      if (line.find(term.words) == std::string::npos) continue;
      findings.push_back(name + ":" + std::to_string(number) + ": " + line + " (" +
                         std::string(term.term) + ")");
    }
    const bool begins = text && !text->empty() && (before.empty() || IsListItem(*text));
    before = text.value_or("");
    const std::string found = name + ":" + std::to_string(number) + ": " + before;
    for (const Term& term : kTerms) {
      if (before.find(term.words) == std::string::npos) continue;
      findings.push_back(found + " (" + std::string(term.term) + ")");
    }
    if (!begins) continue;
    ++*blocks;
    const std::string word = FirstWord(*text);
    const auto is_word = [&](std::string_view no) { return word == no; };
    if (std::any_of(std::begin(kNoBeginnings), std::end(kNoBeginnings), is_word) ||
        (kind != Kind::kPage && std::any_of(std::begin(kNoBeginningsOfComments),
                                            std::end(kNoBeginningsOfComments), is_word))) {
      findings.push_back(found);
    }
  }
  return findings;
}

TEST(SentencesTest, CommentsAndParagraphsBeginWithASubject) {
  const fs::path root = WINNOW_SOURCE_DIR;
  std::vector<std::string> findings;
  size_t blocks = 0;
  const auto look_at = [&](const fs::path& path) {
    const Kind kind = KindOf(path);
    const std::string name = path.lexically_relative(root).generic_string();
    if (kind == Kind::kNone || name == "tests/repo/sentences_test.cc") return;
    for (std::string& found : Findings(name, testing::ReadFile(path.string()), kind, &blocks)) {
      findings.push_back(std::move(found));
    }
  };
  for (const auto& entry : fs::directory_iterator(root)) {
    if (entry.is_regular_file()) look_at(entry.path());
  }
  for (const char* folder : {".ci", "bindings", "db_bench_ext", "debian", "docs", "include", "src",
                             "streams", "tests", "third_party", "tools"}) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.is_regular_file()) look_at(entry.path());
    }
  }
  EXPECT_THAT(findings, IsEmpty());
  EXPECT_GT(blocks, 9'000u);
}

TEST(SentencesTest, BlocksAreFound) {
  size_t blocks = 0;
  EXPECT_THAT(Findings("a.cc",
                       "// Of a file.\n// What goes on is no beginning.\nint a;  // Of a line\n"
                       "  // Returns it.\n  //\n  // Whether it is.\nint b;\n/* That. */\n"
                       "int c;\n// As before.\n",
                       Kind::kSlashes, &blocks),
              ElementsAre("a.cc:1: Of a file.", "a.cc:6: Whether it is.", "a.cc:8: That. */",
                          "a.cc:10: As before."));
  EXPECT_EQ(blocks, 5u);
  EXPECT_THAT(Findings("b.cc", "  Say(\"17 are left away\");\n", Kind::kSlashes, &blocks),
              ElementsAre("b.cc:1:   Say(\"17 are left away\"); (left out)"));
  EXPECT_THAT(Findings("a.sh", "#!/bin/sh\n# Whose\necho\n#ok\n", Kind::kHashes, &blocks),
              ElementsAre("a.sh:2: Whose"));
  EXPECT_THAT(
      Findings(
          "a.md",
          "# What is it\n\nIn a page.\n\n**What** it is.\nOf two.\n\n- That.\n- Of: one.\n1. Two\n"
          "| Of | tables |\nends with 77, which is neither good nor bad\n",
          Kind::kPage, &blocks),
      ElementsAre("a.md:5: **What** it is.", "a.md:8: - That.", "a.md:9: - Of: one.",
                  "a.md:12: ends with 77, which is neither good nor bad (exit code 77: "
                  "skipped)"));
}

}  // namespace sentences_test
}  // namespace winnow
