#include "src/rocksdb/remote/family_text.h"

#include <rocksdb/slice.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
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
constexpr double kMostAsked = 1 << 30;

// Encoder and Decoder have the same functions, so that one list of fields, Transfer, serves both.
// Numbers are varints: seven bits per byte, the low ones first.
class Encoder {
 public:
  size_t Size(size_t size, size_t /*most*/) {
    Number(size);
    return size;
  }
  void Number(uint64_t number) {
    for (; number >= 128; number >>= 7) Byte(static_cast<uint8_t>(number | 128));
    Byte(static_cast<uint8_t>(number));
  }
  void Hash(uint64_t hash) {
    for (int i = 0; i < 8; ++i, hash >>= 8) Byte(static_cast<uint8_t>(hash & 255));
  }
  void Flag(bool flag) { Byte(flag ? 1 : 0); }
  void Level(int level) { Number(static_cast<uint64_t>(std::clamp(level, -1, kMaxLevels) + 1)); }
  void Count(double count, double scale = 1) {
    Number(static_cast<uint64_t>(std::llround(std::clamp(scale * count, 0.0, 1e18))));
  }
  void Text(std::string_view text) {
    Number(text.size());
    bytes_ += text;
  }
  // Writes a key without its common prefix with the key before.
  void Key(std::string_view key, std::string_view before) {
    const size_t common = CommonBytes(key, before);
    Number(common);
    Text(key.substr(common));
  }
  bool is_good() const { return true; }
  const std::string& bytes() const { return bytes_; }

 private:
  void Byte(uint8_t byte) { bytes_.push_back(static_cast<char>(byte)); }

  std::string bytes_;
};

// Reads zeros after an error.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}

  uint64_t Size(uint64_t /*size*/, uint64_t most) {
    uint64_t size = 0;
    Number(size);
    if (size > most) is_good_ = false;
    return is_good_ ? size : 0;
  }
  void Number(uint64_t& number) {
    number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t byte = Byte();
      number |= uint64_t{byte & 127u} << shift;
      if (byte < 128) break;
    }
  }
  void Hash(uint64_t& hash) {
    hash = 0;
    for (int shift = 0; shift < 64; shift += 8) hash |= uint64_t{Byte()} << shift;
  }
  void Flag(bool& flag) { flag = Byte() != 0; }
  void Level(int& level) { level = static_cast<int>(Size(0, kMaxLevels + 1)) - 1; }
  void Count(double& count, double scale = 1) {
    count = static_cast<double>(Size(0, uint64_t{1} << 60)) / scale;
  }
  void Text(std::string& text) { text = Bytes(Size(0, rest_.size())); }
  void Key(std::string& key, const std::string& before) {
    std::string read = before.substr(0, Size(0, before.size()));
    read += Bytes(Size(0, SharedRuns::kMaxKeyBytes - read.size()));
    key = std::move(read);
  }
  bool is_good() const { return is_good_; }
  // Returns whether the whole text was read, and nothing was missing.
  bool IsAtEnd() const { return is_good_ && rest_.empty(); }

 private:
  std::string_view Bytes(size_t size) {
    if (size > rest_.size()) is_good_ = false;
    const std::string_view bytes = rest_.substr(0, is_good_ ? size : 0);
    rest_.remove_prefix(bytes.size());
    return bytes;
  }
  uint8_t Byte() {
    const std::string_view byte = Bytes(1);
    return byte.empty() ? 0 : static_cast<uint8_t>(byte.front());
  }

  std::string_view rest_;
  bool is_good_ = true;
};

template <typename Coder>
void Transfer(Coder* coder, std::vector<SharedRuns::Run>* runs) {
  runs->resize(coder->Size(runs->size(), 2 * kMostCarriedFiles));
  std::string before;
  for (SharedRuns::Run& run : *runs) {
    coder->Key(run.before, before);
    coder->Number(run.bytes);
    coder->Hash(run.hash);
    before = run.before;
  }
}

template <typename Coder>
void Transfer(Coder* coder, std::vector<ListedFile>* files) {
  files->resize(coder->Size(files->size(), kMostCarriedFiles));
  std::string before;
  for (ListedFile& file : *files) {
    coder->Level(file.level);
    coder->Key(file.range.first, before);
    coder->Key(file.range.last, file.range.first);
    coder->Count(file.keys);
    coder->Count(file.bits, kBits);
    coder->Count(file.bytes);
    coder->Count(file.asked);
    file.asked = std::min(file.asked, kMostAsked);
    file.is_measured = true;
    before = file.range.first;
  }
}

// Writes the rule, or reads it: then fields that were read are within their bounds.
template <typename Coder>
void Transfer(Coder* coder, WorkersRule* rule) {
  coder->Text(rule->family);
  coder->Level(rule->depth);
  coder->Level(rule->base);
  std::vector<SharedRuns::Run> runs;
  if (rule->runs != nullptr) runs = rule->runs->runs();
  Transfer(coder, &runs);
  rule->runs = std::make_shared<const SharedRuns>(std::move(runs));
  Transfer(coder, &rule->files);
  coder->Hash(rule->id);
  bool has_offset = rule->offset.has_value();
  coder->Flag(has_offset);
  double raised = rule->offset.value_or(0) + kMostOffset;
  coder->Count(raised, kBits);
  rule->offset.reset();
  if (has_offset) rule->offset = std::min(raised, 2 * kMostOffset) - kMostOffset;
  auto kinds = static_cast<uint64_t>(rule->range_kinds);
  coder->Number(kinds);
  for (const auto decided : {core::RangeKinds::kPositions, core::RangeKinds::kTrees}) {
    if (kinds == static_cast<uint64_t>(decided)) rule->range_kinds = decided;
  }
  KnownTotals& others = rule->others;
  coder->Number(others.families);
  coder->Number(others.files.files);
  coder->Count(others.files.keys);
  coder->Count(others.files.bytes);
  // Without an offset, a worker would give all of filter_memory to its own files.
  others.knows_all_files = others.knows_all_files && rule->offset;
  coder->Flag(others.knows_all_files);
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
void JoinPairs(std::vector<ListedFile>* files) {
  std::vector<ListedFile> joined;
  bool may_join = false;
  for (ListedFile& file : *files) {
    may_join = may_join && joined.back().level == file.level &&
               (file.level > 0 || joined.back().range.last < file.range.first);
    if (may_join) {
      ListedFile& both = joined.back();
      const double keys = both.keys + file.keys;
      both.bits = (both.bits * both.keys + file.bits * file.keys) / keys;
      both.keys = keys;
      both.bytes += file.bytes;
      both.asked += file.asked;
      both.range.last = std::max(both.range.last, file.range.last);
    } else {
      joined.push_back(std::move(file));
    }
    may_join = !may_join;
  }
  *files = std::move(joined);
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
  rule->runs = std::make_shared<const SharedRuns>(SharedRuns::Of(keys, &shortened));
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
    ListedFile& carried = rule->files.emplace_back();
    carried.level = placed.level;
    carried.range = {file.range.first, file.range.last, {}};
    carried.keys = file.keys;
    carried.bits = file.bits;
    carried.bytes = file.bytes;
    carried.asked = file.asked();
  }
  for (size_t before = 0; rule->files.size() > most_files && rule->files.size() != before;) {
    before = rule->files.size();
    JoinPairs(&rule->files);
  }
  LeaveOutRuns(rule);
}

std::string TextOfRule(WorkersRule rule) {
  Encoder encoder;
  Transfer(&encoder, &rule);
  const std::string bytes = encoder.bytes() + ChecksumOf(encoder.bytes());
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
  Decoder decoder(bytes);
  Transfer(&decoder, rule);
  const std::vector<SharedRuns::Run>& runs = rule->runs->runs();
  const bool have_places = std::adjacent_find(runs.begin(), runs.end(), [](auto& one, auto& next) {
                             return one.before >= next.before;
                           }) == runs.end();
  return decoder.IsAtEnd() && have_places ? std::string() : damaged;
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
