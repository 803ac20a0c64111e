#include "tests/core/golden_blocks.h"

#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "src/core/notes.h"
#include "src/core/tree_note.h"
#include "tests/support/range_of_table.h"
#include "winnow/builder.h"
#include "winnow/filter.h"
#include "winnow/range_filter.h"

// Functions of standalone_reader.c.
extern "C" int standalone_may_contain(const unsigned char* block, size_t size, uint64_t hash);
extern "C" int standalone_may_contain_range(const unsigned char* block, size_t size,
                                            const unsigned char* begin, size_t begin_size,
                                            const unsigned char* end, size_t end_size);

namespace winnow::testing {
namespace {

constexpr char kNote[] = "a note";
constexpr uint8_t kNoteParameter = 31;

FilterOptions OptionsOf(const GoldenBlock& block) {
  FilterOptions options;
  options.bits_per_key = block.bits_per_key;
  options.kind = block.kind == FilterKind::kEmpty ? FilterKind::kBloom : block.kind;
  return options;
}

std::string BytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("can't read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

FilterKind KindOf(const std::string& name) {
  for (const auto& [known, kind] : kKindOption.values) {
    if (kind && name == known) return *kind;
  }
  if (name == ToString(FilterKind::kEmpty)) return FilterKind::kEmpty;
  throw std::runtime_error("there is no kind " + name);
}

std::string LineOf(const GoldenBlock& block) {
  char bits[40];
  std::snprintf(bits, sizeof bits, "%.17g", block.bits_per_key);
  std::ostringstream line;
  line << block.name << " " << ToString(block.kind) << " " << bits << " " << block.note << " "
       << block.keys << " ";
  if (block.are_hashes) {
    line << std::hex << "hashes " << block.base << " " << block.stride << std::dec;
  } else {
    line << "strings";
  }
  line << " :";
  for (const int i : block.passes) line << " " << i;
  if (block.has_ranges()) line << " :";
  for (const int i : block.range_passes) line << " " << i;
  return line.str();
}

GoldenBlock Parse(const std::string& text) {
  GoldenBlock block;
  std::istringstream line(text);
  std::string kind, what, colon;
  line >> block.name >> kind >> block.bits_per_key >> block.note >> block.keys >> what;
  block.kind = KindOf(kind);
  block.are_hashes = what == "hashes";
  if (block.are_hashes) line >> std::hex >> block.base >> block.stride >> std::dec;
  line >> colon;
  if (!line || colon != ":") throw std::runtime_error("not a line of answers: " + text);
  for (int i = 0; line >> i;) block.passes.push_back(i);
  line.clear();
  if (block.has_ranges() && (!(line >> colon) || colon != ":")) {
    throw std::runtime_error("no answers for ranges: " + text);
  }
  for (int i = 0; line >> i;) block.range_passes.push_back(i);
  return block;
}

const unsigned char* Unsigned(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// Returns the number, padded with zeros to this many digits.
std::string Padded(uint64_t number, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%0*" PRIu64, digits, number);
  return text;
}

}  // namespace

// Leaves room for ranges before the first key.
std::string GoldenBlock::KeyOf(uint64_t i) const {
  if (has_positions()) return "key" + Padded(19000 + 37 * i, 8);
  // Every 50th key is close behind its predecessor.
  if (has_retrieval()) return "key" + Padded(19'000'001 * (i - (i % 50 == 49 ? 1 : 0)) + i, 12);
  if (note == "trees") return "key" + std::to_string(500 + i) + std::string(i % 3, '/');
  // Keys begin others only from key 250 on.
  if (note == "lengths" || note == "sizes") {
    return "key" + std::to_string(i < 250 ? 500 + i : 625 + i / 2) +
           (i < 250 || i % 2 == 0 ? "" : "x");
  }
  return "key" + std::to_string(i);
}

std::vector<KeyHash> GoldenBlock::KeyHashes() const {
  std::vector<KeyHash> hashes;
  for (uint64_t i = 0; i < keys; ++i) {
    hashes.push_back(are_hashes ? KeyHash{base + i * stride} : HashKey(KeyOf(i)));
  }
  return hashes;
}

KeyHash GoldenAbsentHash(int i) { return HashKey("absent" + std::to_string(i)); }

// Returns a range close to keys, mostly without one.
GoldenRange GoldenRangeOf(const GoldenBlock& block, int i) {
  if (block.has_positions()) {
    const uint64_t begin = static_cast<uint64_t>(i) * 19 + 1;
    return {"key" + Padded(begin, 8), "key" + Padded(begin + 3, 8)};
  }
  if (block.has_retrieval()) {
    // Even numbers are close to keys, which are at i * 19000002; odd ones are not.
    const uint64_t number = static_cast<uint64_t>(i);
    const uint64_t begin =
        number % 2 == 0 ? number / 2 * 19'000'002 + number % 7 : number * 123'456;
    return {"key" + Padded(begin, 12), "key" + Padded(begin + 16, 12)};
  }
  const std::string begin = "key" + std::to_string(i * 7 % 2003);
  return {begin + "a", begin + "c"};
}

bool StandaloneMayContain(std::string_view block, KeyHash hash) {
  return standalone_may_contain(Unsigned(block), block.size(), hash.value) != 0;
}

std::vector<bool> StandaloneAnswers(std::string_view block, const std::vector<KeyHash>& hashes) {
  std::vector<bool> answers;
  for (const KeyHash hash : hashes) answers.push_back(StandaloneMayContain(block, hash));
  return answers;
}

bool StandaloneMayContainRange(std::string_view block, std::string_view begin,
                               std::string_view end) {
  return standalone_may_contain_range(Unsigned(block), block.size(), Unsigned(begin), begin.size(),
                                      Unsigned(end), end.size()) != 0;
}

std::vector<GoldenBlock> ReadGoldenBlocks(const std::string& folder) {
  std::vector<GoldenBlock> blocks;
  std::istringstream lines(BytesOf(folder + "/answers.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    blocks.push_back(Parse(line));
  }
  return blocks;
}

std::string ReadGoldenBytes(const std::string& folder, const GoldenBlock& block) {
  return BytesOf(folder + "/" + block.name + ".block");
}

std::string BuildGoldenBytes(const GoldenBlock& block) {
  if (!block.has_builder()) throw std::runtime_error("only readers know " + block.note);
  FilterBuilder builder(OptionsOf(block));
  for (const KeyHash hash : block.KeyHashes()) builder.Add(hash);
  const std::string bytes(builder.Finish().bytes());
  if (block.note == "note") {
    return std::string(core::WithNote(bytes, kNoteParameter, {}, {kNote, sizeof kNote}).bytes());
  }
  if (block.note == "tree") {
    const std::string note = core::EncodeTreeNote(
        {0x123456789abcdef0, core::RateReason::kKeysInRange, -7.5, 3.25, "key0", "key999"},
        bytes.size());
    return std::string(core::WithNote(bytes, core::kTreeNote, {}, note).bytes());
  }
  if (!block.has_ranges()) return bytes;
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < block.keys; ++i) keys.push_back(block.KeyOf(i));
  std::sort(keys.begin(), keys.end());
  const RangeFilterKind kind = block.has_trees()       ? RangeFilterKind::kTrees
                               : block.has_retrieval() ? RangeFilterKind::kRetrieval
                                                       : RangeFilterKind::kPositions;
  RangeFilterBuilder ranges(RangeFilterOptions{12, kind});
  for (const std::string& key : keys) ranges.Add(key);
  const FilterBlock range = ranges.Finish();
  return std::string((block.note == "table" ? WithRangeFilterOfTable(bytes, range.bytes())
                                            : WithRangeFilter(bytes, range.bytes()))
                         .bytes());
}

void WriteGoldenBlocks(const std::string& folder) {
  std::istringstream lines(BytesOf(folder + "/answers.txt"));
  std::ofstream answers(folder + "/answers.txt");
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') {
      answers << line << "\n";
      continue;
    }
    GoldenBlock block = Parse(line);
    block.passes.clear();
    block.range_passes.clear();
    const std::string bytes =
        block.has_builder() ? BuildGoldenBytes(block) : ReadGoldenBytes(folder, block);
    for (int i = 0; i < kGoldenAbsent; ++i) {
      if (StandaloneMayContain(bytes, GoldenAbsentHash(i))) block.passes.push_back(i);
      if (!block.has_ranges()) continue;
      const GoldenRange range = GoldenRangeOf(block, i);
      if (StandaloneMayContainRange(bytes, range.begin, range.end)) block.range_passes.push_back(i);
    }
    std::ofstream file(folder + "/" + block.name + ".block", std::ios::binary);
    file << bytes;
    answers << LineOf(block) << "\n";
    if (!file.flush() || !answers) throw std::runtime_error("can't write to " + folder);
  }
}

}  // namespace winnow::testing
