#include "src/rocksdb/remote/family_text.h"

#include <rocksdb/slice.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/remote/shared_runs.h"
#include "winnow/hash.h"

namespace winnow::plugin {
namespace {

constexpr std::string_view kName = "winnow-learned:";
constexpr std::string_view kTextFormat = "4:";
constexpr size_t kChecksumBytes = 8;

constexpr int kMaxLevels = 1 << 10;
// Steps of numbers per unit.
constexpr double kBits = 1 << 16;
constexpr double kMostOffset = 60;

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

void Write(const family::Family::Totals& sums, Writer* writer) {
  writer->Number(sums.files);
  writer->Count(sums.keys);
  writer->Count(sums.bytes);
}

void Read(Reader* reader, family::Family::Totals* sums) {
  sums->files = reader->Number();
  sums->keys = reader->Count();
  sums->bytes = reader->Count();
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
  const size_t count = reader->Number(2 * kMostCarriedFiles);
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

void WriteFiles(const WorkersRule& rule, Writer* writer) {
  Write(rule.runs.get(), writer);
  writer->Number(rule.files.size());
  std::string_view before;
  for (size_t i = 0; i < rule.files.size(); ++i) {
    const ListedFile& file = rule.files[i];
    writer->Number(static_cast<uint64_t>(std::clamp(file.level, 0, kMaxLevels)));
    writer->Key(file.range.first, before);
    writer->Key(file.range.last, file.range.first);
    writer->Count(file.keys);
    writer->Count(kBits * file.bits);
    writer->Count(file.bytes);
    writer->Count(rule.asked[i]);
    before = file.range.first;
  }
}

void ReadFiles(Reader* reader, WorkersRule* rule) {
  rule->runs = ReadRuns(reader);
  const size_t num_files = reader->Number(kMostCarriedFiles);
  std::string before;
  for (size_t i = 0; i < num_files && reader->is_good(); ++i) {
    ListedFile file;
    file.level = static_cast<int>(reader->Number(kMaxLevels));
    file.range.first = reader->Key(before);
    file.range.last = reader->Key(file.range.first);
    file.keys = reader->Count();
    file.bits = std::min(reader->Count() / kBits, family::kMostBits);
    file.bytes = reader->Count();
    file.is_measured = true;
    before = file.range.first;
    rule->asked.push_back(std::min<double>(reader->Count(), uint32_t{1} << 30));
    rule->files.push_back(std::move(file));
  }
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

// Joins neighboring files of a level in pairs.
void JoinPairs(WorkersRule* rule) {
  std::vector<ListedFile> joined;
  std::vector<double> asked;
  bool may_join = false;
  for (size_t i = 0; i < rule->files.size(); ++i) {
    ListedFile& file = rule->files[i];
    if (may_join && joined.back().level == file.level &&
        (file.level > 0 || joined.back().range.last < file.range.first)) {
      ListedFile& both = joined.back();
      const double keys = both.keys + file.keys;
      both.bits = (both.bits * both.keys + file.bits * file.keys) / keys;
      both.keys = keys;
      both.bytes += file.bytes;
      both.range.last = std::max(both.range.last, file.range.last);
      asked.back() += rule->asked[i];
      may_join = false;
    } else {
      joined.push_back(std::move(file));
      asked.push_back(rule->asked[i]);
      may_join = true;
    }
  }
  rule->files = std::move(joined);
  rule->asked = std::move(asked);
}

// Shortens the keys of the files by leaving out shared runs.
void LeaveOutRuns(WorkersRule* rule) {
  std::vector<std::string_view> keys;
  for (const ListedFile& file : rule->files) {
    keys.push_back(file.range.first);
    keys.push_back(file.range.last);
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<std::string> shortened;
  rule->runs = std::make_shared<const SharedRuns>(SharedRuns::Of({}, keys, &shortened));
  const auto short_of = [&](const std::string& key) {
    const auto at = std::lower_bound(keys.begin(), keys.end(), key);
    return shortened[static_cast<size_t>(at - keys.begin())];
  };
  std::vector<family::KeyRange> ranges;  // `keys` refers to the keys of the files
  for (const ListedFile& file : rule->files) {
    ranges.push_back({short_of(file.range.first), short_of(file.range.last), {}});
  }
  for (size_t i = 0; i < ranges.size(); ++i) rule->files[i].range = std::move(ranges[i]);
}

}  // namespace

void CarryFiles(const family::Shape& shape, size_t most_files, WorkersRule* rule) {
  for (const family::Shape::Placed& placed : shape.files()) {
    const family::LiveFile& file = *placed.file;
    rule->files.push_back({{},
                           placed.level,
                           {file.range.first, file.range.last, {}},
                           file.keys,
                           file.bits,
                           file.bytes,
                           true});
    rule->asked.push_back(file.asked());
  }
  for (size_t before = 0; rule->files.size() > most_files && rule->files.size() != before;) {
    before = rule->files.size();
    JoinPairs(rule);
  }
  LeaveOutRuns(rule);
}

std::string TextOfRule(const WorkersRule& rule) {
  Writer writer;
  writer.Text(rule.family);
  writer.Number(static_cast<uint64_t>(std::clamp(rule.depth, -1, kMaxLevels) + 1));
  writer.Number(static_cast<uint64_t>(std::clamp(rule.base, -1, kMaxLevels) + 1));
  WriteFiles(rule, &writer);
  writer.Hash(rule.id);
  writer.Byte(rule.offset ? 1 : 0);
  writer.Difference(kBits * rule.offset.value_or(0));
  writer.Byte(static_cast<uint8_t>(rule.range_kinds));
  writer.Number(rule.other_families);
  Write(rule.others, &writer);
  // Without an offset, a worker would give all of filter_memory to its own files.
  writer.Byte(rule.knows_all_files && rule.offset ? 1 : 0);
  const std::string bytes = writer.bytes() + ChecksumOf(writer.bytes());
  std::string text(kName);
  text += kTextFormat;
  return text + ROCKSDB_NAMESPACE::Slice(bytes).ToString(true);
}

std::string RuleOfText(std::string_view text, WorkersRule* rule) {
  if (text.substr(0, kName.size()) != kName) return "it is no text of ExportLearned";
  text.remove_prefix(kName.size());
  if (text.substr(0, kTextFormat.size()) != kTextFormat)
    return "it is of another version of Winnow";
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
  ReadFiles(&reader, rule);
  rule->id = reader.Hash();
  const bool has_offset = reader.Truth();
  const double offset = reader.Difference() / kBits;
  if (has_offset) rule->offset = std::clamp(offset, -kMostOffset, kMostOffset);
  rule->range_kinds = ReadKinds(&reader);
  rule->other_families = reader.Number();
  Read(&reader, &rule->others);
  rule->knows_all_files = reader.Truth();
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
