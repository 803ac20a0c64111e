#include "tests/core/golden_blocks.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "src/core/format.h"
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
// Hash whose product with the multiplier of next(h) in FORMAT.md is small too.
constexpr uint64_t kNarrowTwice = 0x1e0366f7;

FilterOptions OptionsOf(const GoldenBlock& block) {
  FilterOptions options;
  options.bits_per_key = block.bits_per_key;
  options.kind = block.kind == FilterKind::kEmpty ? FilterKind::kBloom : block.kind;
  return options;
}

// Returns the block with a note behind its layers.
std::string WithNote(const std::string& bytes) {
  core::ParsedBlock parsed;
  if (core::Parse(bytes, &parsed) != Fault::kNone) throw std::runtime_error("not a block");
  std::vector<core::LayerEntry> entries;
  for (unsigned i = 0; i < parsed.tail.entries; ++i) {
    entries.push_back(core::ReadLayerEntry(parsed.directory, i));
  }
  entries.push_back({core::LayerType::kNote, kNoteParameter, sizeof kNote});
  std::string with_note = bytes.substr(0, parsed.payload_size) + std::string(kNote, sizeof kNote);
  const size_t payload = with_note.size();
  with_note.resize(payload + entries.size() * core::kEntryBytes + core::kTailBytes);
  core::Tail tail = parsed.tail;
  tail.entries = static_cast<uint8_t>(entries.size());
  core::WriteDirectoryAndTail(reinterpret_cast<unsigned char*>(&with_note[0]), payload,
                              entries.data(), tail);
  return with_note;
}

double ColumnsOf(double bits_per_key) {
  GoldenBlock block;
  block.kind = FilterKind::kRibbon;
  block.bits_per_key = bits_per_key;
  block.keys = 1;
  return FilterView(BuildGoldenBytes(block)).info().columns;
}

// Returns the bits per key at which all blocks of a Ribbon have this many columns.
double BitsForColumns(double columns) {
  double low = 1;
  double high = 32;
  while (true) {
    const double middle = (low + high) / 2;
    const double got = ColumnsOf(middle);
    if (std::abs(got - columns) < 1e-9) return middle;
    (got < columns ? low : high) = middle;
  }
}

GoldenBlock OfStrings(const std::string& name, FilterKind kind, double bits_per_key, uint64_t keys,
                      const std::string& note = "-") {
  GoldenBlock block;
  block.name = name;
  block.kind = kind;
  block.bits_per_key = bits_per_key;
  block.keys = keys;
  block.note = note;
  return block;
}

GoldenBlock OfHashes(const std::string& name, FilterKind kind, uint64_t base, uint64_t stride,
                     uint64_t keys) {
  GoldenBlock block = OfStrings(name, kind, 10, keys);
  block.are_hashes = true;
  block.base = base;
  block.stride = stride;
  return block;
}

std::vector<GoldenBlock> Plan() {
  constexpr FilterKind kBloom = FilterKind::kBloom;
  constexpr FilterKind kRibbon = FilterKind::kRibbon;
  std::vector<GoldenBlock> blocks = {
      OfStrings("empty", FilterKind::kEmpty, 10, 0),
      OfStrings("empty_note", FilterKind::kEmpty, 10, 0, "note"),
      OfStrings("bloom_1_key", kBloom, 10, 1),
      OfStrings("bloom_1_bit", kBloom, 1, 100),
      OfStrings("bloom", kBloom, 9.5, 1000),
      OfStrings("bloom_32_bits", kBloom, 32, 700),
      OfStrings("bloom_note", kBloom, 14, 500, "note"),
      OfStrings("list_3_keys", kRibbon, 10, 3),
      OfStrings("list", kRibbon, 16, 40),
      OfStrings("list_note", kRibbon, 7, 11, "note"),
      OfStrings("small", kRibbon, 10, 200),
      OfStrings("small_1_column", kRibbon, 1, 300),
      OfStrings("bumped_mixed", kRibbon, 10, 1000),
      OfStrings("bumped_mixed_wide", kRibbon, 20, 2500),
      OfStrings("bumped_note", kRibbon, 10, 900, "note"),
      OfStrings("bumped_tree", kRibbon, 10, 3000, "tree"),
      // Nothing is bumped if the starts are evenly spaced.
      OfHashes("bumped_then_none", kRibbon, 0x1234567, UINT64_MAX / 700, 700),
      // All hashes start at one position, and in the second layer too: too many are left for the
      // third layer. A few such hashes leave a Bloom filter as the only layer.
      OfHashes("bumped_then_bloom", kRibbon, 0x0123456700000000, kNarrowTwice, 700),
      OfHashes("ribbon_of_bloom", kRibbon, 0x0123456700000000, 1, 100),
      // Hashes are bumped by two layers or more.
      OfStrings("bumped_twice", kRibbon, 6, 14000),
      OfStrings("positions_1_key", kBloom, 10, 1, "positions"),
      OfStrings("positions", kBloom, 10, 500, "positions"),
      OfStrings("positions_behind_ribbon", kRibbon, 10, 1000, "positions"),
      OfStrings("positions_of_table", kBloom, 10, 300, "table"),
      OfStrings("retrieval", kBloom, 10, 3000, "retrieval"),
      OfStrings("retrieval_of_several_layers", kBloom, 10, 15000, "retrieval"),
      OfStrings("trees_2_keys", kBloom, 10, 2, "trees"),
      OfStrings("trees", kBloom, 10, 500, "trees"),
      OfStrings("lengths_2_keys", kBloom, 10, 2, "lengths"),
      OfStrings("lengths", kBloom, 10, 500, "lengths"),
  };
  for (const int columns : {6, 7, 8, 13}) {
    blocks.push_back(OfStrings("bumped_" + std::to_string(columns) + "_columns", kRibbon,
                               BitsForColumns(columns), 1200));
  }
  return blocks;
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
  if (note == "lengths") {
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
  if (block.note == "note") return WithNote(bytes);
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
  const RangeFilterKind kind = block.note == "lengths" ? RangeFilterKind::kTrees
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
  std::ofstream answers(folder + "/answers.txt");
  answers
      << "# The golden blocks of the format, a line each; src/core/FORMAT.md says what they are "
         "for.\n"
         "# NAME KIND BITS_PER_KEY -|note|tree|positions|retrieval|trees|lengths|table KEYS "
         "strings|hashes "
         "BASE "
         "STRIDE : "
         "WHICH OF absent0 TO absent"
      << kGoldenAbsent - 1 << " PASS [: RANGES]\n";
  for (GoldenBlock& block : Plan()) {
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
