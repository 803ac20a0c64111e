#include "src/database/cache_of_log.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "src/database/options_path.h"

namespace winnow::inspect {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxBytesOfNewest = uint64_t{64} << 20;
// The options printed when a database is opened take about 10 KB per column family, for at most
// ten.
constexpr uint64_t kMaxBytesOfOlder = uint64_t{1} << 20;

// Longer lines are never relevant.
constexpr size_t kMaxBytesOfLine = size_t{64} << 10;

constexpr absl::string_view kFamilyMark = "Options for column family [";
constexpr absl::string_view kTableMark = "table_factory options: ";

bool Parse(absl::string_view text, bool* value) { return absl::SimpleAtob(text, value); }
bool Parse(absl::string_view text, int* value) { return absl::SimpleAtoi(text, value); }
bool Parse(absl::string_view text, double* value) {
  return absl::SimpleAtod(text, value) && *value >= 0 && *value <= 1;
}

// Parses a number. RocksDB prints plain numbers; those given to SetOptions() may have a unit.
bool Parse(absl::string_view text, uint64_t* value) {
  constexpr absl::string_view kUnits = "kmgt";
  int shift = 0;
  if (!text.empty()) {
    const size_t unit = kUnits.find(absl::ascii_tolower(static_cast<unsigned char>(text.back())));
    if (unit != absl::string_view::npos) {
      shift = 10 * static_cast<int>(unit + 1);
      text.remove_suffix(1);
    }
  }
  uint64_t number = 0;
  if (!absl::SimpleAtoi(text, &number) || number > std::numeric_limits<uint64_t>::max() >> shift) {
    return false;
  }
  *value = number << shift;
  return true;
}

// Block-based table options of a column family, as printed in the LOG line by line.
class Dump {
 public:
  // Parses a line. Returns false if it does not belong to the options.
  bool Add(absl::string_view line) {
    if (!absl::StartsWith(line, "  ")) {
      return false;
    }
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 1));
    const absl::string_view name = absl::StripAsciiWhitespace(parts.first);
    const absl::string_view value = absl::StripAsciiWhitespace(parts.second);
    // Options of a nested object are indented further, until the next option with less indentation.
    if (!absl::StartsWith(line, "    ")) {
      section_ = std::string(value.empty() ? name : absl::string_view());
    }
    if (section_ == "block_cache_options") {
      SetOfCache(name, value);
    } else if (section_.empty()) {
      Set(name, value);
    } else if (section_ == "secondary_cache") {
      cache_.has_secondary_cache = true;
    }
    return true;
  }

  // Sets an option of the table; ignores other options.
  void Set(absl::string_view name, absl::string_view value) {
    if (name == "block_cache") {
      pointer_ = std::string(value);
    } else if (name == "block_cache_name" && cache_.kind.empty() && !cache_.no_block_cache) {
      // The first line counts: up to 7.x, block_cache_compressed has a line with this name, too.
      cache_.kind = std::string(value);
    } else if (name == "no_block_cache") {
      Take(value, &cache_.no_block_cache);
    } else if (name == "cache_index_and_filter_blocks") {
      Take(value, &cache_.cache_index_and_filter_blocks);
    } else if (name == "cache_index_and_filter_blocks_with_high_priority") {
      Take(value, &cache_.cache_index_and_filter_blocks_with_high_priority);
    } else if (name == "pin_l0_filter_and_index_blocks_in_cache") {
      Take(value, &cache_.pin_l0_filter_and_index_blocks_in_cache);
    } else if (name == "pin_top_level_index_and_filter") {
      Take(value, &cache_.pin_top_level_index_and_filter);
    } else if (name == "partition_filters") {
      Take(value, &cache_.partition_filters);
    } else if (name == "block_size") {
      Take(value, &cache_.block_size);
    } else if (name == "metadata_block_size") {
      Take(value, &cache_.metadata_block_size);
    } else if (name == "prepopulate_block_cache") {
      Take(value, &cache_.prepopulate_block_cache);
    } else if (name == "format_version") {
      // printed after all relevant options, in each version from 7.1 to 11.9
      has_end_ = true;
    }
  }

  // Applies the text within the braces of SetOptions({{"block_based_table_factory", "{…}"}}).
  void Change(const std::string& options) {
    std::unordered_map<std::string, std::string> values;
    if (!ROCKSDB_NAMESPACE::StringToMap(options, &values).ok()) {
      return;
    }
    for (const auto& [name, value] : values) {
      Set(name, value);
    }
  }

  bool IsWhole() const {
    return has_end_ && is_sound_ && (has_capacity_ != cache_.no_block_cache) &&
           cache_.block_size > 0;
  }

  const std::string& pointer() const { return pointer_; }
  const LoggedCache& cache() const { return cache_; }

 private:
  void SetOfCache(absl::string_view name, absl::string_view value) {
    if (name == "capacity") {
      Take(value, &cache_.capacity);
      has_capacity_ = true;
    } else if (name == "num_shard_bits") {
      Take(value, &cache_.num_shard_bits);
    } else if (name == "strict_capacity_limit") {
      Take(value, &cache_.strict_capacity_limit);
    } else if (name == "high_pri_pool_ratio") {
      Take(value, &cache_.high_pri_pool_ratio);
    } else if (name == "low_pri_pool_ratio") {
      Take(value, &cache_.low_pri_pool_ratio);
    }
  }

  template <typename T>
  void Take(absl::string_view text, T* value) {
    is_sound_ = Parse(text, value) && is_sound_;
  }

  LoggedCache cache_;
  std::string section_;
  std::string pointer_;
  bool has_capacity_ = false;
  bool has_end_ = false;
  bool is_sound_ = true;
};

// Returns the name in "…marker[name]…", or nullopt.
std::optional<std::string> NameBehind(absl::string_view marker, absl::string_view line) {
  const size_t at = line.find(marker);
  const size_t end = line.rfind(']');
  if (at == absl::string_view::npos || end == absl::string_view::npos || end < at + marker.size()) {
    return std::nullopt;
  }
  return std::string(line.substr(at + marker.size(), end - at - marker.size()));
}

// Parser of a LOG, line by line.
class LogText {
 public:
  void Read(absl::string_view line) {
    if (in_dump_ && dump_.Add(line)) {
      return;
    }
    EndDump();
    if (std::optional<std::string> name = NameBehind(kFamilyMark, line)) {
      family_ = std::move(name);
      changed_.reset();
    } else if (const size_t at = line.find(kTableMark); at != absl::string_view::npos) {
      // This line also has the first option.
      in_dump_ = true;
      dump_ = Dump();
    } else {
      ReadChange(line);
    }
  }

  // Returns the cache of the family; shared_with reflects the state at the end of the LOG.
  std::optional<LoggedCache> Find(const std::string& family) {
    EndDump();
    const Dump* found = nullptr;
    for (const auto& [name, dump] : families_) {
      found = name == family ? &dump : found;
    }
    if (found == nullptr) {
      return std::nullopt;
    }
    LoggedCache cache = found->cache();
    for (const auto& [name, dump] : families_) {
      if (name != family && !cache.no_block_cache && dump.pointer() == found->pointer()) {
        cache.shared_with.push_back(name);
      }
    }
    return cache;
  }

 private:
  void EndDump() {
    if (!in_dump_) {
      return;
    }
    in_dump_ = false;
    // A LOG that was rolled over because of its size repeats the first part of the options, without
    // the name of the column family.
    if (family_ && dump_.IsWhole()) {
      if (Dump* known = Of(*family_)) {
        *known = dump_;
      } else {
        families_.emplace_back(*family_, dump_);
      }
    }
    family_.reset();
  }

  // Parses the lines of SetOptions(): up to 9.x "SetOptions() on column family [name], inputs:",
  // then "option: value" for each option, and "[name] SetOptions() succeeded"; later "Set options
  // on column family [name] (0/1), inputs:" and "… (0/1) succeeded, updated CF options:".
  void ReadChange(absl::string_view line) {
    constexpr absl::string_view kInputs = ", inputs:";
    constexpr absl::string_view kTable = "table_factory: ";  // may follow "block_based_"
    if (absl::EndsWith(line, kInputs)) {
      for (const absl::string_view marker :
           {"SetOptions() on column family [", "Set options on column family ["}) {
        if (const std::optional<std::string> name = NameBehind(marker, line)) {
          changed_ = std::make_pair(*name, std::string());
          return;
        }
      }
    }
    if (!changed_) {
      return;
    }
    if (const size_t at = line.find(kTable); at != absl::string_view::npos) {
      absl::string_view value = absl::StripAsciiWhitespace(line.substr(at + kTable.size()));
      absl::ConsumePrefix(&value, "{");
      absl::ConsumeSuffix(&value, "}");
      changed_->second = std::string(value);
      return;
    }
    if (absl::StrContains(line, "succeeded") &&
        absl::StrContains(line, absl::StrCat("[", changed_->first, "]"))) {
      if (Dump* known = Of(changed_->first); known != nullptr) {
        Dump changed = *known;
        changed.Change(changed_->second);
        *known = changed.IsWhole() ? changed : *known;
      }
      changed_.reset();
    }
  }

  Dump* Of(const std::string& family) {
    for (auto& [name, dump] : families_) {
      if (name == family) {
        return &dump;
      }
    }
    return nullptr;
  }

  std::optional<std::string> family_;  // column family whose options follow
  bool in_dump_ = false;
  Dump dump_;
  std::vector<std::pair<std::string, Dump>> families_;
  // Column family, and its new table options.
  std::optional<std::pair<std::string, std::string>> changed_;
};

// Reads at most the first `most` bytes.
std::optional<LoggedCache> CacheOfOneLog(const fs::path& path, const std::string& family,
                                         uint64_t most) {
  std::error_code code;
  if (!fs::is_regular_file(path, code)) {
    return std::nullopt;
  }
  std::ifstream file(path, std::ios::binary);
  LogText log;
  std::string chunk(size_t{1} << 20, '\0');
  std::string rest;
  while (file && most > 0) {
    file.read(chunk.data(), static_cast<std::streamsize>(std::min<uint64_t>(most, chunk.size())));
    const auto count = static_cast<size_t>(file.gcount());
    most -= count;
    absl::string_view text(chunk.data(), count);
    for (size_t end = text.find('\n'); end != absl::string_view::npos; end = text.find('\n')) {
      absl::StrAppend(&rest, text.substr(0, std::min(end, kMaxBytesOfLine)));
      log.Read(rest);
      rest.clear();
      text.remove_prefix(end + 1);
    }
    if (rest.size() < kMaxBytesOfLine) {
      absl::StrAppend(&rest, text.substr(0, kMaxBytesOfLine));
    }
  }
  return log.Find(family);
}

// Returns db_log_dir of the database's OPTIONS file; empty if there is none.
std::string LogFolder(const std::string& folder) {
  const OptionsPath options = FindOptionsFile(folder);
  if (!options.error.empty()) {
    return std::string();
  }
  std::ifstream file(options.path);
  for (std::string line; std::getline(file, line);) {
    absl::string_view rest = absl::StripAsciiWhitespace(line);
    if (absl::ConsumePrefix(&rest, "db_log_dir=")) {
      return std::string(absl::StripAsciiWhitespace(rest));
    }
    if (absl::StartsWith(rest, "[CFOptions")) {
      break;
    }
  }
  return std::string();
}

// Returns RocksDB's name for a LOG in another folder: the path of the database without its leading
// slash, with all characters except letters, digits, '-', '.' and '_' replaced by '_'.
std::string LogNameElsewhere(const std::string& folder) {
  std::string name;
  for (const char character : folder) {
    const bool stays = absl::ascii_isalnum(static_cast<unsigned char>(character)) ||
                       absl::StrContains("-._", absl::string_view(&character, 1));
    if (stays || !name.empty()) {
      name += stays ? character : '_';
    }
  }
  // RocksDB's buffer has room for "_LOG" and a terminating zero.
  constexpr size_t kRoom = 260 - sizeof("_LOG");
  return absl::StrCat(name.substr(0, kRoom), "_LOG");
}

// Adds all LOGs called `name` in the folder, the newest first.
void AddLogs(const fs::path& folder, const std::string& name, std::vector<fs::path>* logs) {
  logs->push_back(folder / name);
  // "LOG.old." is followed by microseconds since 1970.
  const std::string start = name + ".old.";
  std::set<std::pair<uint64_t, fs::path>> old;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code); !code && entry != fs::directory_iterator();
       entry.increment(code)) {
    const std::string there = entry->path().filename().string();
    uint64_t time = 0;
    if (absl::StartsWith(there, start) && absl::SimpleAtoi(there.substr(start.size()), &time)) {
      old.emplace(time, entry->path());
    }
  }
  for (auto entry = old.rbegin(); entry != old.rend(); ++entry) {
    logs->push_back(entry->second);
  }
}

}  // namespace

std::optional<LoggedCache> CacheOfLog(const std::string& folder, const std::string& family) {
  std::vector<fs::path> logs;
  if (const std::string log_folder = LogFolder(folder); !log_folder.empty()) {
    std::error_code code;
    std::set<std::string> names;
    for (const fs::path& path :
         {fs::absolute(folder, code).lexically_normal(), fs::weakly_canonical(folder, code)}) {
      const std::string text = path.string();
      const std::string shorter(absl::StripSuffix(text, "/"));
      names.insert({LogNameElsewhere(shorter), LogNameElsewhere(shorter + "/")});
    }
    for (const std::string& name : names) {
      AddLogs(log_folder, name, &logs);
    }
  }
  AddLogs(folder, "LOG", &logs);
  for (const fs::path& log : logs) {
    const bool is_old = absl::StrContains(log.filename().string(), "LOG.old.");
    if (std::optional<LoggedCache> cache =
            CacheOfOneLog(log, family, is_old ? kMaxBytesOfOlder : kMaxBytesOfNewest)) {
      return cache;
    }
  }
  return std::nullopt;
}

}  // namespace winnow::inspect
