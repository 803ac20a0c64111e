#include "src/rocksdb/use/use_text.h"

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>

#include "src/base/c_locale.h"
#include "src/base/utf8.h"
#include "src/rocksdb/lookups/counted_asks.h"
#include "src/rocksdb/messages/info_log.h"

namespace winnow {
namespace plugin {

using ROCKSDB_NAMESPACE::InfoLogLevel;
using ROCKSDB_NAMESPACE::Logger;

namespace {

// Bounds of the 95 % confidence interval of a Poisson distribution's mean, for n observed events
// (Wilson and Hilferty, PNAS 17, 1931).
constexpr double kDeviations = 1.96;
double LowerBound(double n) {
  return n * std::pow(std::max(0.0, 1 - 1 / (9 * n) - kDeviations / (3 * std::sqrt(n))), 3);
}
double UpperBound(double n) {
  const double next = n + 1;
  return next * std::pow(1 - 1 / (9 * next) + kDeviations / (3 * std::sqrt(next)), 3);
}

// Formats a number with six digits, or all digits of a whole one; independent of the locale.
std::string Number(double value) {
  char digits[400];
  const bool is_whole = std::floor(value) == value && value < 1e15;
  const std::to_chars_result end =
      is_whole
          ? std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 0)
          : std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 6);
  return std::string(digits, end.ptr);
}

std::string JsonString(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string List(const std::set<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ", ") + JsonString(Joined({name}));
  }
  return "[" + list + "]";
}

std::string Object(const UseRow& row) {
  const FilterUse use = AsFilterUse(row);
  std::string text = "{\"policy\": " + JsonString(row.policy) +
                     ", \"databases\": " + List(row.databases) +
                     ", \"families\": " + List(row.families);
  const auto add = [&text](const char* name, double value) {
    text += std::string(", \"") + name + "\": " + Number(value);
  };
  add("level", static_cast<double>(use.level));
  add("seconds", use.seconds);
  add("asks", use.asks);
  add("denied", use.denied);
  add("asks_counted", static_cast<double>(use.asks_counted));
  add("denied_counted", static_cast<double>(use.denied_counted));
  add("false_positives", use.false_positives);
  add("false_positives_low", use.false_positives_low);
  add("false_positives_high", use.false_positives_high);
  add("filters", static_cast<double>(use.filters));
  add("keys", static_cast<double>(use.keys));
  add("bytes", static_cast<double>(use.bytes));
  add("ranges_asked", static_cast<double>(use.ranges_asked));
  add("ranges_denied", static_cast<double>(use.ranges_denied));
  return text + "}";
}

std::string TableLine(const UseRow& row) {
  const UseSums& sums = row.sums;
  return base::Text("\n  %15.0f %15" PRIu64 " %15" PRIu64 " %5d %8" PRIu64 " %12" PRIu64
                    " %12" PRIu64 " %8.0f  ",
                    sums.false_positives, sums.asks, sums.denied, row.level, sums.filters,
                    sums.keys, sums.bytes, row.seconds) +
         Joined(row.families, 120) + "  " + row.policy;
}

// Never destroyed: databases may be closed after static objects are destroyed.
LogTimes& UseTimes() {
  static LogTimes& times = *new LogTimes;
  return times;
}

}  // namespace

FilterUse AsFilterUse(const UseRow& row) {
  const UseSums& sums = row.sums;
  FilterUse use;
  use.level = row.level;
  use.seconds = row.seconds;
  use.asks = static_cast<double>(sums.asks);
  // While other threads count, one of the sums may be newer than the other.
  use.denied = static_cast<double>(std::min(sums.denied, sums.asks));
  use.asks_counted = sums.asks_counted;
  use.denied_counted = std::min(sums.denied_counted, sums.asks_counted);
  use.false_positives = sums.false_positives;
  use.false_positives_low = sums.false_positives;
  use.false_positives_high = sums.false_positives;
  if (sums.false_positives_variance > 0) {
    // Effective sample size: this many counts of equal weight would have this variance.
    const double counts =
        sums.false_positives * sums.false_positives / sums.false_positives_variance;
    use.false_positives_low *= LowerBound(counts) / counts;
    use.false_positives_high *= UpperBound(counts) / counts;
  }
  use.filters = sums.filters;
  use.keys = sums.keys;
  use.bytes = sums.bytes;
  use.ranges_asked = sums.ranges_asked;
  use.ranges_denied = sums.ranges_denied;
  return use;
}

std::string Joined(const std::set<std::string>& names, size_t most) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  std::string text;
  size_t characters = 0;
  size_t bytes_of_most = 0;  // end of the text if "..." replaces its last three
  for (size_t at = 0; at < all.size();) {
    if (characters + 3 == most) bytes_of_most = text.size();
    if (characters++ == most) {
      text.resize(bytes_of_most);
      return text + "...";
    }
    const size_t bytes = base::CharacterBytes(std::string_view(all).substr(at));
    const bool is_control =
        bytes == 1 && (static_cast<unsigned char>(all[at]) < 0x20 || all[at] == 0x7f);
    text += bytes == 0 || is_control ? "?" : all.substr(at, bytes);
    at += std::max<size_t>(bytes, 1);
  }
  return text;
}

std::string UseAsJson(const std::vector<UseRow>& rows) {
  std::string text = "{\n  \"schema\": \"winnow.filter_use/1\",\n  \"one_counted_of\": " +
                     std::to_string((CurrentSetGap() == kNoSetGap ? kMeanGap : CurrentSetGap())) +
                     ",\n  \"rows\": [";
  for (const UseRow& row : rows) {
    text += (&row == rows.data() ? "\n    " : ",\n    ") + Object(row);
  }
  return text + (rows.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

std::string UseTable(const std::vector<UseRow>& rows) {
  // Does not use std::sort, whose functions for rows RocksDB's own library would export.
  std::multimap<double, const UseRow*, std::greater<>> worst_first;
  for (const UseRow& row : rows) {
    if (row.sums.asks > 0) worst_first.emplace(row.sums.false_positives, &row);
  }
  if (worst_first.empty()) return "";
  size_t shown = std::min(worst_first.size(), kRowsInLog);
  std::string text =
      "what filters answered, by policy, column family and level, the most false positives first; "
      "estimates, as one ask in " +
      std::to_string((CurrentSetGap() == kNoSetGap ? kMeanGap : CurrentSetGap())) + " is counted";
  if (shown < worst_first.size()) {
    text += "; " + std::to_string(shown) + " of " + std::to_string(worst_first.size()) + " rows";
  }
  text += base::Text("\n  %15s %15s %15s %5s %8s %12s %12s %8s  ", "false positives", "asks",
                     "denied", "level", "filters", "keys", "bytes", "seconds") +
          "column families, and the policy";
  for (const auto& [unused, row] : worst_first) {
    if (shown-- == 0) break;
    text += TableLine(*row);
  }
  return text;
}

void LogUse(Logger* logger, std::chrono::steady_clock::time_point now) noexcept {
  UseTimes().Write(logger, InfoLogLevel::INFO_LEVEL, kUseInterval, false, now,
                   [&] { return UseTable(UseMeter::ReadAll(logger)); });
}

}  // namespace plugin

bool VisitFilterUse(FilterUseVisitor visitor, void* state, size_t size) noexcept {
  try {
    // The caller's struct may be smaller than this one, or larger.
    std::vector<uint64_t> bytes(std::max(size, sizeof(FilterUse)) / sizeof(uint64_t) + 1);
    for (const plugin::UseRow& row : plugin::UseMeter::ReadAll()) {
      const FilterUse use = plugin::AsFilterUse(row);
      std::memcpy(bytes.data(), &use, sizeof use);
      visitor(state, row.policy.c_str(), plugin::Joined(row.databases).c_str(),
              plugin::Joined(row.families).c_str(),
              reinterpret_cast<const FilterUse*>(bytes.data()));
    }
    return true;
  } catch (...) {
    return false;
  }
}

std::string FilterUseAsJson() noexcept {
  try {
    return plugin::UseAsJson(plugin::UseMeter::ReadAll());
  } catch (...) {
    return {};
  }
}

}  // namespace winnow
