#include "tools/inspect_table.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "src/inspect/converted_share.h"
#include "src/inspect/text_table.h"
#include "tools/cells.h"

namespace winnow::tools {
namespace {

using inspect::Align;
using inspect::ConvertedShare;
using inspect::FamilySum;
using inspect::FilterFamily;
using inspect::FilterSummary;
using inspect::SstReport;
using inspect::TextTable;

struct Sum {
  uint64_t files = 0;
  uint64_t entries = 0;
  uint64_t keys = 0;
  uint64_t bytes = 0;
  double expected_positives = 0;  // of one absent key in every file
  uint64_t files_with_rate = 0;

  void Add(const SstReport& file) {
    ++files;
    entries += file.entries;
    keys += file.filter->keys;
    bytes += file.filter->bytes;
    if (file.filter->expected_fpr) {
      expected_positives += *file.filter->expected_fpr;
      ++files_with_rate;
    }
  }

  std::vector<std::string> Cells(std::string name) const {
    const double bits = keys == 0 ? 0 : 8 * static_cast<double>(bytes) / static_cast<double>(keys);
    std::optional<double> rate;
    if (files_with_rate > 0) {
      rate = expected_positives / static_cast<double>(files_with_rate);
    }
    return {std::move(name), Count(files), Count(entries), Count(keys),
            Count(bytes),    Bits(bits),   Percent(rate)};
  }
};

std::string Level(const SstReport& file) { return file.level ? absl::StrCat(*file.level) : "-"; }

std::vector<std::string> Row(const SstReport& file) {
  if (!file.filter) {
    return {file.path, Level(file), "-", "-", "-", "-", "-", "-", "not read: see below"};
  }
  const FilterSummary& filter = *file.filter;
  std::string remark = filter.detail;
  if (filter.partitions > 0) {
    remark = absl::StrCat(filter.partitions, " partitions");
    for (const auto& [kind, count] : filter.kinds) {
      absl::StrAppend(&remark, filter.kinds.size() > 1 ? absl::StrCat(", ", count, " ", kind) : "");
    }
  }
  if (filter.fault) {
    remark = "FAULT: see below";
  }
  return {file.path,
          Level(file),
          Count(file.entries),
          filter.kind,
          Count(filter.keys),
          Count(filter.bytes),
          Bits(filter.bits_per_key),
          Percent(filter.expected_fpr),
          std::move(remark)};
}

std::string Files(const std::vector<SstReport>& files) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(files.size());
  for (const SstReport& file : files) {
    rows.push_back(Row(file));
  }
  return TextTable({{"file", Align::kLeft},
                    {"level"},
                    {"entries"},
                    {"filter", Align::kLeft},
                    {"keys"},
                    {"bytes"},
                    {"bits/key"},
                    {"expected fpr"},
                    {"", Align::kLeft}},
                   rows)
      .ToString();
}

std::string Sentences(const std::vector<SstReport>& files) {
  std::string text;
  for (const SstReport& file : files) {
    if (file.error) {
      absl::StrAppend(&text, "\nnot read: ", file.path, ": ", *file.error);
    } else if (file.filter->fault) {
      absl::StrAppend(&text, "\nfault: ", file.path, ": ", *file.filter->fault);
    }
  }
  return text.empty() ? text : absl::StrCat(text, "\n");
}

std::string Sums(const std::string& title, const std::vector<std::pair<std::string, Sum>>& sums) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(sums.size());
  for (const auto& [name, sum] : sums) {
    rows.push_back(sum.Cells(name));
  }
  return absl::StrCat("\n", TextTable({{title, Align::kLeft},
                                       {"files"},
                                       {"entries"},
                                       {"keys"},
                                       {"bytes"},
                                       {"bits/key"},
                                       {"mean expected fpr"}},
                                      rows)
                                .ToString());
}

std::string SumsByKind(const std::vector<SstReport>& files) {
  std::map<std::string, Sum> by_kind;
  Sum all;
  for (const SstReport& file : files) {
    if (file.filter) {
      by_kind[file.filter->kind].Add(file);
      all.Add(file);
    }
  }
  std::vector<std::pair<std::string, Sum>> sums(by_kind.begin(), by_kind.end());
  sums.emplace_back("all", all);
  return Sums("filter", sums);
}

std::string SumsByLevel(const std::vector<SstReport>& files) {
  std::map<int, Sum> by_level;
  for (const SstReport& file : files) {
    if (file.filter && file.level) {
      by_level[*file.level].Add(file);
    }
  }
  std::vector<std::pair<std::string, Sum>> sums;
  sums.reserve(by_level.size());
  for (const auto& [level, sum] : by_level) {
    sums.emplace_back(absl::StrCat(level), sum);
  }
  return sums.empty() ? std::string() : Sums("level", sums);
}

std::string Number(uint64_t number, const char* noun) {
  return absl::StrCat(Count(number), " ", noun, number == 1 ? "" : "s");
}

// What could be less: which files are too small, or lie too high by bloom_before_level, shows
// above.
std::string Blooms(const std::vector<SstReport>& files) {
  const inspect::BloomFiles blooms = inspect::BloomsOf(files);
  if (blooms.all.blocks == 0) {
    return {};
  }
  std::string where = blooms.files > 0 ? Number(blooms.files, "file") : "";
  if (blooms.partitions > 0) {
    absl::StrAppend(&where, where.empty() ? "" : " and ", Number(blooms.partitions, "partition"));
  }
  const bool is_one = blooms.all.blocks == 1;
  return absl::StrCat(
      "\n", where,
      is_one ? " has a Bloom filter: " : " have Bloom filters: ", Number(blooms.all.bytes, "byte"),
      " for ", Number(blooms.all.keys, "key"),
      is_one ? "; as a Winnow Ribbon filter it would take about "
             : "; as Winnow Ribbon filters they would take about ",
      Count(blooms.all.bytes_as_ribbons),
      absl::StrFormat(" (%.2f)\n", static_cast<double>(blooms.all.bytes_as_ribbons) /
                                       static_cast<double>(blooms.all.bytes)));
}

// No share that isn't 0 or 1 looks as if it were: on that somebody may take the plugin away.
std::string ShareCell(uint64_t part, uint64_t all) {
  const double percent = 100 * static_cast<double>(part) / static_cast<double>(all);
  if (part > 0 && percent < 0.1) {
    return "less than 0.1 %";
  }
  if (part < all && percent > 99.9) {
    return "more than 99.9 %";
  }
  return absl::StrFormat("%.1f %%", percent);
}

// How far a roll-out has come, in one line; empty where nothing tells.
std::string Converted(const std::vector<SstReport>& files) {
  const ConvertedShare share = inspect::SumByFamily(files);
  FamilySum all;
  for (const FamilySum& sum : share.families) {
    all.files += sum.files;
    all.entries += sum.entries;
  }
  if (all.entries == 0) {
    return std::string();
  }
  constexpr std::pair<FilterFamily, absl::string_view> kPhrases[] = {
      {FilterFamily::kBuiltin, "RocksDB's own filters"},
      {FilterFamily::kNone, "no filter"},
      {FilterFamily::kUnknownForm, "filters of unknown form"}};
  const FamilySum& winnow = share[FilterFamily::kWinnow];
  std::string text = absl::StrCat("\nconverted: ", ShareCell(winnow.entries, all.entries),
                                  " of the entries are in files with Winnow's filters (",
                                  Count(winnow.files), " of ", Count(all.files), ")");
  for (const auto& [family, phrase] : kPhrases) {
    const FamilySum& sum = share[family];
    if (sum.files > 0) {
      absl::StrAppend(&text, ", ", ShareCell(sum.entries, all.entries), " in files with ", phrase,
                      " (", Count(sum.files), ")");
    }
  }
  if (const uint64_t unread = files.size() - all.files; unread > 0) {
    absl::StrAppend(&text, ", ", Number(unread, "file"), " not read");
  }
  return text + "\n";
}

}  // namespace

std::string InspectTable(const std::vector<SstReport>& files) {
  if (files.empty()) {
    return "no table files\n";
  }
  const bool any_read = std::any_of(files.begin(), files.end(),
                                    [](const SstReport& file) { return file.filter.has_value(); });
  return absl::StrCat(Files(files), Sentences(files), any_read ? SumsByKind(files) : "",
                      SumsByLevel(files), Blooms(files), Converted(files));
}

}  // namespace winnow::tools
