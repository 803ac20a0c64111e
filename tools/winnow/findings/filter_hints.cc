#include "tools/winnow/findings/filter_hints.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "src/core/sizing.h"
#include "src/text/numbers.h"
#include "src/text/printable.h"
#include "tools/winnow/findings/converted_share.h"
#include "tools/winnow/findings/filter_totals.h"

namespace winnow::inspect {
namespace {

using Files = std::vector<const SstReport*>;

constexpr uint64_t kKeysThatMatter = 1000;  // smaller filters cost little, whatever their kind
constexpr char kCompact[] =
    "compact them (CompactRange with bottommost_level_compaction=kForce rewrites all)";
constexpr char kRefilter[] =
    "winnow refilter FOLDER --policy=POLICY writes new filters while the database is closed, and "
    "so does a compaction (CompactRange with bottommost_level_compaction=kForce rewrites all)";

uint64_t EntriesOf(const Files& files) {
  uint64_t entries = 0;
  for (const SstReport* file : files) {
    entries += file->entries;
  }
  return entries;
}

template <typename Condition>
Files Those(const Files& files, Condition condition) {
  Files found;
  std::copy_if(files.begin(), files.end(), std::back_inserter(found),
               [&condition](const SstReport* file) { return condition(*file); });
  return found;
}

bool IsBuiltin(const FilterSummary& filter) {
  return RowOf(filter.kind).family == FilterFamily::kBuiltin;
}

bool IsWinnow(const FilterSummary& filter) {
  return RowOf(filter.kind).family == FilterFamily::kWinnow;
}

// The readable files of one column family.
class Family {
 public:
  // `where` names the family, " of column family 'x'", or is empty.
  Family(Files files, std::string where) : files_(std::move(files)), where_(std::move(where)) {}

  std::vector<std::string> Hints() && {
    Faults();
    WithoutFilter();
    Obsolete();
    Foreign();
    AlwaysTrue();
    AboveTarget();
    AboveTheOthers();
    Legacy();
    SmallPartitions();
    NotConverted();
    NewFilters();
    ManyOnLevelZero();
    return std::move(hints_);
  }

 private:
  template <typename... Parts>
  void Say(const Parts&... parts) {
    hints_.push_back(absl::StrCat(parts...));
  }

  void Faults() {
    const Files faulty = Those(files_, [](const SstReport& file) { return !!file.filter->fault; });
    if (!faulty.empty()) {
      Say(NumberWithCommas(faulty.size(), "filter"), where_, faulty.size() == 1 ? " is" : " are",
          " damaged, each named at the end: see what winnow verify says of the files, and compact "
          "their range of keys or restore them");
    }
  }

  void WithoutFilter() {
    // Files that have only range deletions have no keys for a filter.
    const Files without = Those(files_, [](const SstReport& file) {
      return file.filter->kind == kNoFilter && file.entries > file.range_deletions;
    });
    const auto has_policy = [](const SstReport& file) { return !file.filter->policy_name.empty(); };
    WithoutFilterDespiteAPolicy(Those(without, has_policy));
    WithoutPolicy(Those(without, [&](const SstReport& file) { return !has_policy(file); }));
  }

  static std::string HaveNo(const Files& without, const std::string& where) {
    return Spelt(absl::StrCat(NumberWithCommas(without.size(), "file"), where, " with ",
                              NumberWithCommas(EntriesOf(without), "entry"),
                              without.size() == 1 ? " has" : " have"));
  }

  // RocksDB records the policy even in files for which it does not ask the policy for a filter.
  void WithoutFilterDespiteAPolicy(const Files& without) {
    if (!without.empty()) {
      Say(HaveNo(without, where_),
          " no filter, though a policy was in force: that is so on the last level under "
          "optimize_filters_for_hits, and right where nearly every lookup finds its key; else turn "
          "it off, or set absent_share=1, and ",
          kCompact);
    }
  }

  void WithoutPolicy(const Files& without) {
    if (without.empty()) {
      return;
    }
    const std::string what = HaveNo(without, where_);
    if (without.size() == files_.size()) {
      Say(what,
          " no filter, nor has any other: set filter_policy in the table options, as "
          "filter_policy=winnow:10, and files get filters as they are rewritten");
    } else {
      Say(what,
          " no filter: they were written without a policy, as a compaction worker may, and every "
          "lookup in their "
          "range of keys reads a block of them; ",
          kRefilter);
    }
  }

  // Corrects the plural "entrys", which Number() makes.
  static std::string Spelt(std::string text) {
    const size_t at = text.find(" entrys");
    return at == std::string::npos ? text : text.replace(at, 7, " entries");
  }

  void Obsolete() {
    const Files obsolete =
        Those(files_, [](const SstReport& file) { return file.filter->obsolete; });
    if (!obsolete.empty()) {
      Say(NumberWithCommas(obsolete.size(), "file"), where_,
          " of a RocksDB before 7.0 with block-based filters, which are no longer read: ",
          kCompact);
    }
  }

  void Foreign() {
    std::map<std::string, uint64_t> by_policy;
    for (const SstReport* file : files_) {
      const FilterSummary& filter = *file->filter;
      if (filter.kind == kUnknown && !filter.fault && !filter.obsolete) {
        ++by_policy[filter.policy_name];
      }
    }
    for (const auto& [policy, count] : by_policy) {
      Say(NumberWithCommas(count, "file"), where_, count == 1 ? " has a filter" : " have filters",
          " of the policy '", Printable(policy),
          "': open the database with that policy, as others read such files as if they had no "
          "filter");
    }
  }

  void AlwaysTrue() {
    const Files always = Those(files_, [](const SstReport& file) {
      return IsBuiltin(*file.filter) && file.filter->expected_fpr == 1.0;
    });
    if (!always.empty()) {
      Say(NumberWithCommas(always.size(), "file"), where_,
          always.size() == 1 ? " has a filter" : " have filters",
          " that RocksDB could not build, and that let every key through: ", kRefilter);
    }
  }

  void AboveTarget() {
    constexpr double kFar = 1.5;
    const Files above = Those(files_, [](const SstReport& file) {
      const FilterSummary& filter = *file.filter;
      return filter.built_for && filter.keys >= kKeysThatMatter && !filter.fault &&
             filter.expected_fpr.value_or(0) > kFar * filter.built_for->target_fpr;
    });
    if (!above.empty()) {
      const FilterSummary& worst = *Worst(above).filter;
      Say(NumberWithCommas(above.size(), "filter"), where_, above.size() == 1 ? " has" : " have",
          " more than 1.5 times the rate that ", above.size() == 1 ? "it was" : "they were",
          " built for (at worst ", Percent(*worst.expected_fpr), " for ",
          Percent(worst.built_for->target_fpr), "): ", kRefilter);
    }
  }

  static const SstReport& Worst(const Files& files) {
    return **std::max_element(files.begin(), files.end(), [](const auto* a, const auto* b) {
      return a->filter->expected_fpr < b->filter->expected_fpr;
    });
  }

  // Built-in filters don't record their parameters, but their expected rates can be compared.
  void AboveTheOthers() {
    constexpr double kFar = 3;
    Files rated = Those(files_, [](const SstReport& file) {
      return IsBuiltin(*file.filter) && file.filter->keys >= kKeysThatMatter &&
             file.filter->expected_fpr.value_or(1) < 1;
    });
    if (rated.empty()) {
      return;
    }
    std::sort(rated.begin(), rated.end(), [](const auto* a, const auto* b) {
      return a->filter->expected_fpr < b->filter->expected_fpr;
    });
    const double usual = *rated[rated.size() / 2]->filter->expected_fpr;
    const Files above = Those(rated, [usual](const SstReport& file) {
      return *file.filter->expected_fpr > kFar * usual;
    });
    if (!above.empty()) {
      Say(NumberWithCommas(above.size(), "file"), where_,
          above.size() == 1 ? " has a filter" : " have filters", " of up to ",
          Percent(*Worst(above).filter->expected_fpr), ", where ", Percent(usual),
          " is usual: they were written with fewer bits per key; ", kRefilter);
    }
  }

  void Legacy() {
    const Files legacy = Those(files_, [](const SstReport& file) {
      return file.filter->parameters && file.filter->parameters->format == "LegacyBloom";
    });
    if (!legacy.empty()) {
      Say(NumberWithCommas(legacy.size(), "file"), where_,
          legacy.size() == 1 ? " has RocksDB's legacy Bloom filter"
                             : " have RocksDB's legacy Bloom filters",
          ", which let more absent keys through for the same memory: set format_version to 5 or "
          "more in the table options");
    }
  }

  void SmallPartitions() {
    // Winnow's filters take 8.5 bits per key with 400 keys, and 7.1 with thousands.
    constexpr uint64_t kFewKeys = 500;
    const Files small = Those(files_, [](const SstReport& file) {
      const auto partitions = static_cast<uint64_t>(std::max(file.filter->partitions, 0));
      return partitions > 1 && file.filter->keys < kFewKeys * partitions;
    });
    uint64_t keys = 0;
    uint64_t partitions = 0;
    for (const SstReport* file : small) {
      keys += file->filter->keys;
      partitions += static_cast<uint64_t>(file->filter->partitions);
    }
    if (keys > 0) {
      Say("the partitions of the filters of ", NumberWithCommas(small.size(), "file"), where_,
          " hold ", NumberWithCommas(keys / partitions, "key"),
          " on average, so that rounding and metadata take a good part of them: set "
          "decouple_partitioned_filters=true, which cuts them by their own size and not where the "
          "index is cut (RocksDB 9.6 and later, from 10.6 on the default), or before that a larger "
          "metadata_block_size, and ",
          kCompact);
    }
  }

  void NotConverted() {
    const Files builtin =
        Those(files_, [](const SstReport& file) { return IsBuiltin(*file.filter); });
    const Files winnow =
        Those(files_, [](const SstReport& file) { return IsWinnow(*file.filter); });
    if (!builtin.empty() && !winnow.empty()) {
      Say(NumberWithCommas(builtin.size(), "file"), where_, builtin.size() == 1 ? " has" : " have",
          " RocksDB's own filters beside those with Winnow's: compactions convert them as they go; "
          "to have it done, ",
          kRefilter);
    }
  }

  // Compares the filters with Winnow's: in bytes at equal rates, and in false reads with the same
  // bits in all, by the rule for files (src/family) with whole levels for files.
  void NewFilters() {
    constexpr uint64_t kLeastKeys = 100'000;
    constexpr double kMuch = 0.1;
    struct Run {
      double keys = 0;
      double false_reads = 0;
    };
    std::map<std::pair<int, uint64_t>, Run> runs;  // sorted ones, by level and place on level 0
    FilterTotals all;
    double saved_bytes = 0;
    double bits = 0;
    double range_bits = 0;
    for (const SstReport* file : files_) {
      if (file->entries == file->range_deletions) continue;
      const FilterSummary& filter = *file->filter;
      const double rate = filter.expected_fpr.value_or(1);
      if (file->database.empty() || !file->level || rate <= 0 || rate >= 1) return;
      const auto keys = static_cast<double>(filter.keys);
      Run& run = runs[{*file->level, *file->level == 0 ? file->place : 0}];
      run.keys += keys;
      run.false_reads += keys * rate;
      bits -= keys * std::log2(rate);
      if (filter.range) range_bits = std::max(range_bits, filter.range->range_bits);
      all.Add(*file);
      if (!IsBuiltin(filter)) continue;
      saved_bytes += static_cast<double>(filter.bloom.bytes) -
                     static_cast<double>(filter.bloom.bytes_as_ribbons);
    }
    if (all.keys < kLeastKeys) return;
    const auto keys = static_cast<double>(all.keys);
    double mean = 0;
    double reads = 0;
    for (const auto& [place, run] : runs) {
      mean += run.keys / keys * std::log2(keys / run.keys);
      reads += run.false_reads / run.keys;
    }
    const double of_bytes = saved_bytes / static_cast<double>(all.bytes);
    // Bits that are left for rates: Winnow's filters of few keys are larger than RocksDB's.
    bits += std::min(8 * saved_bytes, 0.0);
    const double of_reads = 1 - std::exp2(mean - bits / keys) / reads;
    if (std::max(of_bytes, of_reads) < kMuch) return;
    const long bits_per_key = std::lround(core::BitsForRate(std::exp2(-bits / keys)));
    const std::string policy = range_bits > 0
                                   ? absl::StrCat("'{id=winnow;bits_per_key=", bits_per_key,
                                                  ";range_bits=", range_bits, "}'")
                                   : absl::StrCat("winnow:", bits_per_key);
    Say("new filters", where_, " would ",
        of_bytes >= of_reads ? absl::StrCat("take about ", Percent(of_bytes), " fewer bytes")
                             : absl::StrCat("have about ", Percent(of_reads),
                                            " fewer false reads for the same bytes"),
        ": winnow refilter FOLDER --policy=", policy,
        ", with your policy's other options, writes them without a compaction, for processes with "
        "Winnow");
  }

  void ManyOnLevelZero() {
    constexpr size_t kMany = 20;
    const Files top = Those(files_, [](const SstReport& file) { return file.level == 0; });
    if (top.size() >= kMany) {
      Say("level 0", where_, " has ", NumberWithCommas(top.size(), "file"),
          ", and a lookup asks the filter of each: see whether compactions keep up, and "
          "level0_file_num_compaction_trigger");
    }
  }

  const Files files_;
  const std::string where_;
  std::vector<std::string> hints_;
};

}  // namespace

std::vector<std::string> HintsOn(const std::vector<SstReport>& files) {
  std::map<FamilyName, Files> families;
  std::map<std::string, int> databases;
  for (const SstReport& file : files) {
    if (file.filter) {
      families[{file.database, file.column_family}].push_back(&file);
    }
  }
  for (const auto& [name, of_family] : families) {
    ++databases[name.first];
  }
  std::vector<std::string> hints;
  for (auto& [name, of_family] : families) {
    std::string where;
    if (families.size() > 1 && !name.second.empty()) {
      absl::StrAppend(&where, " of column family '", Printable(name.second), "'");
    }
    if (databases.size() > 1 && !name.first.empty()) {
      absl::StrAppend(&where, " of ", Printable(name.first));
    }
    for (std::string& sentence : Family(std::move(of_family), where).Hints()) {
      hints.push_back(std::move(sentence));
    }
  }
  return hints;
}

}  // namespace winnow::inspect
