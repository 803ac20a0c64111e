#include "src/rocksdb/trees/tree_text.h"

#include <rocksdb/slice.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "src/rocksdb/messages/stderr_line.h"
#include "winnow/hash.h"

namespace winnow::plugin {
namespace {

constexpr std::string_view kName = "winnow-learned:";
constexpr std::string_view kTextFormat = "3:";
// Formats that are only read. In format 1, keys lack their common prefix.
constexpr std::string_view kTextFormat1 = "1:";
constexpr std::string_view kTextFormat2 = "2:";
constexpr size_t kMaxPrefixOfFormat1 = 4096;
constexpr size_t kChecksumBytes = 8;

constexpr int kMaxLevels = 1 << 10;
// Steps of numbers per unit.
constexpr double kPlaces = 1 << 24;
constexpr double kBits = 1 << 16;
constexpr double kHeat = 64;
constexpr double kLasts = 1 << 10;
constexpr double kRatioSteps = 1000;
// Steps of formats 1 and 2; the last two are steps of binary logarithms.
constexpr double kPlacesOfSamples = 1 << 16;
constexpr double kWeightSteps = 64;
constexpr double kExposureSteps = 32;

// Flags of a file.
enum FileBits : uint8_t {
  kIsBottom = 1,
  kWaits = 2,
  kIsListed = 4,
  kIsMeasured = 8,
  kIsEnding = 16,
  kIsJoined = 32,
};
constexpr uint8_t kLevelBits = 15;
constexpr uint8_t kEndedWithNo = 16;
constexpr uint8_t kDeepestSaidNo = 32;

class Writer {
 public:
  void Byte(uint8_t byte) { bytes_.push_back(static_cast<char>(byte)); }
  // Varint: seven bits per byte, the low ones first.
  void Number(uint64_t number) {
    for (; number >= 128; number >>= 7) Byte(static_cast<uint8_t>(number | 128));
    Byte(static_cast<uint8_t>(number));
  }
  void Count(double count) {
    Number(static_cast<uint64_t>(std::llround(std::clamp(count, 0.0, 1e18))));
  }
  void Difference(double difference) {
    Byte(difference < 0 ? 1 : 0);
    Count(std::abs(difference));
  }
  void Hash(uint64_t hash) {
    for (int i = 0; i < 8; ++i, hash >>= 8) Byte(static_cast<uint8_t>(hash & 255));
  }
  void Text(std::string_view text) {
    Number(text.size());
    bytes_ += text;
  }
  // Writes a key without its common prefix with the key before.
  void Key(std::string_view key, std::string_view before) {
    const size_t most = std::min(key.size(), before.size());
    size_t common = 0;
    while (common < most && key[common] == before[common]) ++common;
    Number(common);
    Text(key.substr(common));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Decodes the text; reads zeros after its end.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  uint8_t Byte() {
    if (rest_.empty()) {
      is_good_ = false;
      return 0;
    }
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }
  uint64_t Number(uint64_t most = std::numeric_limits<uint64_t>::max()) {
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t byte = Byte();
      number |= uint64_t{byte & 127u} << shift;
      if (byte < 128) break;
    }
    if (number > most) is_good_ = false;
    return is_good_ ? number : 0;
  }
  uint64_t Hash() {
    uint64_t hash = 0;
    for (int shift = 0; shift < 64; shift += 8) hash |= uint64_t{Byte()} << shift;
    return hash;
  }
  double Count() { return static_cast<double>(Number(uint64_t{1} << 60)); }
  double Difference() {
    const bool is_less = Byte() != 0;
    return is_less ? -Count() : Count();
  }
  std::string_view Text(size_t most) {
    const size_t size = Number(std::min(most, rest_.size()));
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }
  std::string Key(const std::string& before) {
    std::string key = before.substr(0, Number(before.size()));
    key += Text(SharedRuns::kMaxKeyBytes - key.size());
    return key;
  }
  bool Truth() { return Byte() != 0; }
  void Refuse() { is_good_ = false; }
  // Returns whether the whole text was read, and nothing was missing.
  bool IsAtEnd() const { return is_good_ && rest_.empty(); }
  bool is_good() const { return is_good_; }

 private:
  std::string_view rest_;
  bool is_good_ = true;
};

void Write(const std::optional<bool>& truth, Writer* writer) {
  writer->Byte(!truth ? 2 : *truth ? 1 : 0);
}

std::optional<bool> ReadTruth(Reader* reader) {
  const uint8_t byte = reader->Byte();
  return byte > 1 ? std::nullopt : std::optional<bool>(byte == 1);
}

void Write(const FamilyOptions& options, Writer* writer) {
  writer->Count(options.size_ratio * kRatioSteps);
  Write(options.has_dynamic_levels, writer);
  Write(options.has_last_level_without_filters, writer);
  writer->Byte(options.is_bytewise ? 1 : 0);
}

void Read(Reader* reader, FamilyOptions* options) {
  options->size_ratio = reader->Count() / kRatioSteps;
  options->has_dynamic_levels = ReadTruth(reader);
  options->has_last_level_without_filters = ReadTruth(reader);
  options->is_bytewise = reader->Truth();
}

void ReadSumsOfFormat2(Reader* reader, TreeFiles::Sums* sums) {
  sums->files = reader->Number();
  sums->keys = reader->Count();
  reader->Count();  // keys without filters
  sums->filter_bytes = reader->Count();
  for (TreeFiles::Sums::Level& level : sums->levels) {
    level.keys = reader->Count();
    level.filter_bytes = reader->Count();
  }
  reader->Count();  // keys that stay
  reader->Count();  // bytes of their filters
}

void Write(const TreeFiles::File& file, const TreeFiles::File& before, Writer* writer) {
  const TreeFiles::NewFile& facts = file.facts;
  writer->Byte(
      static_cast<uint8_t>((facts.is_bottom ? kIsBottom : 0) | (facts.waits ? kWaits : 0) |
                           (file.is_listed ? kIsListed : 0) | (file.is_measured ? kIsMeasured : 0) |
                           (file.is_ending ? kIsEnding : 0) | (file.is_joined ? kIsJoined : 0)));
  writer->Number(static_cast<uint64_t>(std::clamp(facts.level, 0, kMaxLevels)));
  writer->Key(facts.range.first, before.facts.range.first);
  writer->Key(facts.range.last, facts.range.first);
  writer->Number(facts.keys);
  writer->Count(file.memory.bytes);
  writer->Count(file.memory.uniform_bytes);
  writer->Difference(file.more_bytes);
  writer->Difference((file.from - before.from) * kPlaces);
  writer->Difference((file.to - file.from) * kPlaces);
  if (file.is_ending) writer->Number(static_cast<uint64_t>(std::max(file.ending_job, 0)));
}

TreeFiles::File ReadFile(int format, const TreeFiles::File& before, Reader* reader) {
  TreeFiles::File file;
  TreeFiles::NewFile& facts = file.facts;
  const uint8_t bits = reader->Byte();
  facts.is_bottom = (bits & kIsBottom) != 0;
  facts.waits = (bits & kWaits) != 0;
  file.is_listed = (bits & kIsListed) != 0;
  file.is_measured = (bits & kIsMeasured) != 0;
  file.is_ending = (bits & kIsEnding) != 0;
  file.is_joined = (bits & kIsJoined) != 0;
  facts.level = static_cast<int>(reader->Number(kMaxLevels));
  facts.range.first = reader->Key(before.facts.range.first);
  facts.range.last = reader->Key(facts.range.first);
  facts.keys = reader->Number(uint64_t{1} << 60);
  file.memory.bytes = reader->Count();
  file.memory.uniform_bytes = reader->Count();
  file.more_bytes = reader->Difference();
  if (format < 3) {
    reader->Count();  // age
    reader->Byte();   // heat
    return file;
  }
  file.from = std::clamp(before.from + reader->Difference() / kPlaces, 0.0, 1.0);
  file.to = std::clamp(file.from + reader->Difference() / kPlaces, 0.0, 1.0);
  if (file.is_ending) file.ending_job = static_cast<int>(reader->Number(INT32_MAX));
  return file;
}

void ReadSamples(Reader* reader, std::vector<LookupSamples::Record>* samples) {
  const size_t count = reader->Number(LookupSamples::kMaxRecords);
  double place = 0;
  for (size_t i = 0; i < count && reader->is_good(); ++i) {
    LookupSamples::Record sample;
    place = std::min(place + static_cast<double>(reader->Number(1 << 17)) / kPlacesOfSamples, 1.0);
    sample.place = static_cast<float>(place);
    const uint8_t bits = reader->Byte();
    sample.deepest = static_cast<int8_t>(bits & kLevelBits);
    sample.ended_with_no = (bits & kEndedWithNo) != 0;
    if ((bits & kDeepestSaidNo) != 0) sample.said_no = static_cast<uint16_t>(1u << sample.deepest);
    if (sample.ended_with_no) {
      sample.weight = static_cast<float>(std::exp2(reader->Byte() / kWeightSteps));
    }
    samples->push_back(sample);
  }
}

void Write(const SharedRuns* runs, Writer* writer) {
  writer->Number(runs == nullptr ? 0 : runs->runs().size());
  if (runs == nullptr) return;
  std::string_view before;
  for (const SharedRuns::Run& run : runs->runs()) {
    writer->Key(run.before, before);
    writer->Number(run.bytes);
    writer->Hash(run.hash);
    before = run.before;
  }
}

std::shared_ptr<const SharedRuns> ReadRuns(Reader* reader) {
  const size_t count = reader->Number(2 * TreeFiles::kMaxFiles);
  std::vector<SharedRuns::Run> runs;
  std::string before;
  for (size_t i = 0; i < count && reader->is_good(); ++i) {
    const std::string next = reader->Key(before);
    if (i > 0 && next <= before) reader->Refuse();  // runs are sorted and distinct
    before = next;
    const uint64_t bytes = reader->Number();
    runs.push_back({before, bytes, reader->Hash()});
  }
  return std::make_shared<const SharedRuns>(std::move(runs));
}

void Write(const CarriedFiles& carried, Writer* writer) {
  Write(carried.runs.get(), writer);
  writer->Number(carried.files.size());
  const TreeFiles::File none;
  const TreeFiles::File* before = &none;
  for (const TreeFiles::File& file : carried.files) {
    Write(file, *before, writer);
    before = &file;
  }
  writer->Number(carried.num_files);
  writer->Byte(carried.is_told ? 1 : 0);
  writer->Byte(carried.knows_all ? 1 : 0);
}

void Read(int format, Reader* reader, CarriedFiles* carried) {
  if (format == 1) {
    carried->prefix = reader->Text(kMaxPrefixOfFormat1);
  } else {
    carried->runs = ReadRuns(reader);
  }
  const size_t num_files = reader->Number(TreeFiles::kMaxFiles);
  TreeFiles::File before;
  for (size_t i = 0; i < num_files && reader->is_good(); ++i) {
    carried->files.push_back(before = ReadFile(format, before, reader));
  }
  carried->num_files = reader->Number();
  if (format < 3) {
    // Skips the lifetimes of files on each level, and three sums of keys and bytes.
    for (int i = 0; i < 2 * LookupSamples::kLevels + 3; ++i) reader->Count();
    reader->Difference();
  }
  carried->is_told = reader->Truth();
  carried->knows_all = reader->Truth();
  carried->has_places = format >= 3 && !carried->files.empty();
  if (format >= 3) return;
  ReadSamples(reader, &carried->samples);
  const size_t parts = reader->Number(2 * TreeFiles::kMaxFiles);
  for (size_t i = 0; i < parts && reader->is_good(); ++i) {
    carried->exposures.push_back(std::exp2(-reader->Byte() / kExposureSteps));
  }
  if (carried->files.empty()) carried->samples.clear();
}

void Write(const TreeRates::Told& told, Writer* writer) {
  writer->Byte(static_cast<uint8_t>((told.log2_lambda ? 1 : 0) | (told.is_sized ? 2 : 0) |
                                    (told.learns ? 4 : 0)));
  writer->Difference(kBits * told.log2_lambda.value_or(0));
  writer->Count(kBits * told.uniform_bits);
  writer->Number(told.heat.samples());
  if (told.heat.samples() == 0) return;
  for (int level = 0; level < LookupSamples::kLevels; ++level) {
    const std::vector<double> parts = told.heat.PartsOf(level);
    const double mean = std::accumulate(parts.begin(), parts.end(), 0.0) /
                        std::max(static_cast<double>(parts.size()), 1.0);
    const bool has_any = mean > 0;
    writer->Number(has_any ? parts.size() : 0);
    writer->Count(kBits * mean);
    for (size_t i = 0; has_any && i < parts.size(); ++i) writer->Count(kHeat * parts[i] / mean);
    writer->Count(kLasts * told.lasts[static_cast<size_t>(level)]);
  }
}

void Read(Reader* reader, TreeRates::Told* told) {
  const uint8_t bits = reader->Byte();
  const double log2_lambda = reader->Difference() / kBits;
  if ((bits & 1) != 0)
    told->log2_lambda = std::clamp(log2_lambda, -kMostLog2Lambda, kMostLog2Lambda);
  told->is_sized = (bits & 2) != 0;
  told->learns = (bits & 4) != 0;
  told->uniform_bits = std::clamp(reader->Count() / kBits, double{kMinRateBits}, kMostLog2Lambda);
  const size_t samples = reader->Number(LookupSamples::kMaxRecords);
  if (samples == 0) return;
  HeatMap::Parts heat;
  for (size_t level = 0; level < heat.size(); ++level) {
    const size_t parts = reader->Number(HeatMap::kMaxParts);
    const double mean = std::min(reader->Count() / kBits, static_cast<double>(samples));
    for (size_t i = 0; i < parts && reader->is_good(); ++i) {
      heat[level].push_back(mean * std::min<double>(reader->Count() / kHeat, HeatMap::kMaxParts));
    }
    told->lasts[level] = std::min(reader->Count() / kLasts, 1.0);
  }
  told->heat = HeatMap(heat, samples);
}

// Returns kByKeys for a number that stands for no decided kind.
core::RangeKinds ReadKinds(Reader* reader) {
  const auto kinds = static_cast<core::RangeKinds>(reader->Byte());
  const bool is_decided =
      kinds == core::RangeKinds::kPositions || kinds == core::RangeKinds::kTrees;
  return is_decided ? kinds : core::RangeKinds::kByKeys;
}

std::string ChecksumOf(std::string_view bytes) {
  uint64_t hash = HashKey(bytes).value;
  std::string checksum;
  for (size_t i = 0; i < kChecksumBytes; ++i, hash >>= 8) {
    checksum.push_back(static_cast<char>(hash & 255));
  }
  return checksum;
}

}  // namespace

std::string TextOfRule(const WorkersRule& rule) {
  Writer writer;
  writer.Text(rule.family);
  writer.Number(static_cast<uint64_t>(std::clamp(rule.depth, -1, kMaxLevels) + 1));
  writer.Number(static_cast<uint64_t>(std::clamp(rule.base, -1, kMaxLevels) + 1));
  writer.Byte(rule.has_options ? 1 : 0);
  Write(rule.options, &writer);
  Write(rule.files, &writer);
  writer.Hash(rule.id);
  if (rule.files.has_places) Write(rule.rates, &writer);
  writer.Byte(static_cast<uint8_t>(rule.range_kinds));
  writer.Number(rule.other_families);
  writer.Number(rule.others.files);
  writer.Count(rule.others.keys);
  writer.Count(rule.others.filter_bytes);
  // Without lambda, a worker would give all of filter_memory to its own files.
  const bool has_lambda = rule.files.has_places && rule.rates.log2_lambda;
  writer.Byte(rule.knows_all_files && has_lambda ? 1 : 0);
  const std::string bytes = writer.bytes() + ChecksumOf(writer.bytes());
  std::string text(kName);
  text += kTextFormat;
  return text + ROCKSDB_NAMESPACE::Slice(bytes).ToString(true);
}

std::string RuleOfText(std::string_view text, WorkersRule* rule) {
  if (text.substr(0, kName.size()) != kName) return "it is no text of ExportLearned";
  text.remove_prefix(kName.size());
  const std::string_view begin = text.substr(0, kTextFormat.size());
  const int format = begin == kTextFormat    ? 3
                     : begin == kTextFormat2 ? 2
                     : begin == kTextFormat1 ? 1
                                             : 0;
  if (format == 0) return "it is of another version of Winnow";
  text.remove_prefix(kTextFormat.size());
  const std::string damaged = "it is damaged or cut off";
  std::string bytes;
  if (!ROCKSDB_NAMESPACE::Slice(text.data(), text.size()).DecodeHex(&bytes) ||
      bytes.size() < kChecksumBytes) {
    return damaged;
  }
  const std::string checksum = bytes.substr(bytes.size() - kChecksumBytes);
  bytes.resize(bytes.size() - kChecksumBytes);
  if (ChecksumOf(bytes) != checksum) return damaged;
  Reader reader(bytes);
  rule->family = reader.Text(bytes.size());
  rule->depth = static_cast<int>(reader.Number(kMaxLevels + 1)) - 1;
  rule->base = static_cast<int>(reader.Number(kMaxLevels + 1)) - 1;
  rule->has_options = reader.Truth();
  Read(&reader, &rule->options);
  Read(format, &reader, &rule->files);
  if (format >= 3) {
    rule->id = reader.Hash();
    if (rule->files.has_places) Read(&reader, &rule->rates);
    rule->range_kinds = ReadKinds(&reader);
    rule->other_families = reader.Number();
    rule->others.files = reader.Number();
    rule->others.keys = reader.Count();
    rule->others.filter_bytes = reader.Count();
    rule->knows_all_files = reader.Truth();
    return reader.IsAtEnd() ? std::string() : damaged;
  }
  reader.Count();  // bytes of filters as they were built
  reader.Count();  // expected bytes
  rule->other_families = reader.Number();
  ReadSumsOfFormat2(&reader, &rule->others);
  rule->knows_all_files = reader.Truth();
  reader.Count();  // small levels
  reader.Count();
  for (int level = 0; level < LookupSamples::kLevels; ++level) reader.Truth();
  return reader.IsAtEnd() ? std::string() : damaged;
}

std::string FindRule(const std::string& texts, WorkersRule* rule) {
  std::string damage;
  std::string other = "no text of ExportLearned came with it";
  std::istringstream lines(texts);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    WorkersRule read;
    const std::string wrong = RuleOfText(line, &read);
    if (!wrong.empty()) {
      damage = "the text of ExportLearned can't be read: " + wrong;
    } else if (read.family != rule->family) {
      other = "the text of ExportLearned is of the column family " + Quoted(read.family);
    } else {
      *rule = std::move(read);
      return {};
    }
  }
  // The damaged text may have been that of this family.
  return damage.empty() ? other : damage;
}

}  // namespace winnow::plugin
