#include "src/rocksdb/builders/memory_budget.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"
#include "src/rocksdb/messages/size_text.h"
#include "src/rocksdb/policy_options.h"
#include "winnow/range_filter.h"

namespace winnow::plugin {
namespace {

// The share of filter_memory that is aimed at. It is less than all: in a growing tree, filters of
// large files were built when it was smaller, and small levels may have more keys than they had
// lately.
constexpr double kAim = 0.97;

// By how much files that stay count less. If nearly all files stay, the others would otherwise get
// all of the memory at one moment and nothing at the next.
constexpr double kSlack = 0.25;

// The gain of the controller for large files: how much less than its share a file gets, for each
// part that large files take too much. And the most that it gets, as a part of its share.
constexpr double kGain = 4;
constexpr double kMaxOfShare = 1.25;

// The same for files of small levels, for each part that all filters together take too much,
// including a plan's bits on top. And from how much of filter_memory on: files of level 0, and of
// other small levels.
constexpr double kSmallGain = 16;
constexpr double kMaxBelowLevel0 = 1;
constexpr double kMaxOfLevel0 = 1.03;
// But a file gets at least this part of its share, as one with few bits costs many false reads.
constexpr double kMinOfShare = 0.5;

// The part of the filters that it replaces which a large file may have in any case, up to its
// share. The sum still falls, and if filter_memory was made smaller, no file is without a filter.
constexpr double kOfReplaced = 0.75;

// The excess, as a part of filter_memory, that the LOG reports.
constexpr double kTooMuch = 0.01;

// The share of all keys on level 0 from which on the LOG says that compactions lag.
constexpr double kMuchOnLevel0 = 0.1;

// The part of filter_memory from which on the LOG names files that stay as the reason why others
// get little.
constexpr double kHeld = 0.25;

constexpr double kMaxKeys = uint64_t{1} << 50;

constexpr auto kBetweenLines = std::chrono::minutes(10);

double Bytes(const FilterOptions& form, double keys, double bits_per_key) noexcept {
  FilterOptions options = form;
  options.bits_per_key = bits_per_key;
  return static_cast<double>(core::EstimateBytes(
      static_cast<uint64_t>(std::clamp(keys, 1.0, kMaxKeys)), core::ForBuilding(options)));
}

// The bits_per_key, within the option's range, whose filter takes so many bytes, or the fewest.
double BitsThatTake(const FilterOptions& form, double keys, double bytes) noexcept {
  double low = kBitsPerKeyOption.least;
  double high = kBitsPerKeyOption.most;
  for (int i = 0; i < 12; ++i) {
    const double middle = (low + high) / 2;
    (Bytes(form, keys, middle) > bytes ? high : low) = middle;
  }
  return low;
}

FilterOptions WithoutLevels(FilterOptions form) noexcept {
  form.level_plan = LevelPlan::kUniform;
  return form;
}

// The fair share, in bytes a key: what files that stay leave, divided by the keys of the others.
double ShareOf(double bytes, double keys, const LiveFiles::Sums& alive) noexcept {
  const double staying_keys = std::clamp(alive.keys_that_stay, 0.0, keys);
  const double left = bytes * (1 + kSlack) - alive.bytes_that_stay;
  return std::max(left / (keys * (1 + kSlack) - staying_keys), 0.0);
}

// A family's part of the fair share, by lookups.
double OfFamily(double share, const KnownTotals& known) noexcept {
  if (known.shares.empty() || !(share > 0)) return share;
  return BitsOfFamily(8 * share, known.shares, known.own_share) / 8;
}

// For a file of a small level: its share, and the plan's bits on top. Less if all filters together
// take more than the memory, because levels grew faster than they are merged.
Fit FitOfSmall(double memory, double share, double others, const FileToSize& file) noexcept {
  const double own = std::max(file.keys, 1.0);
  const double planned =
      Bytes(file.form, own, BitsThatTake(WithoutLevels(file.form), own, share * own));
  const double most = file.level == 0 ? kMaxOfLevel0 : kMaxBelowLevel0;
  const double too_much = (others + planned) / std::max(most * memory, 1.0) - 1;
  if (too_much <= 0) return {share * own, true, share > 0};
  return {std::max((1 - kSmallGain * too_much) * planned, kMinOfShare * share * own), false,
          share > 0 || file.level == 0};
}

std::string CountText(double count) {
  char text[40];
  if (count >= 1e6) {
    std::snprintf(text, sizeof text, "%.1f M", count / 1e6);
  } else {
    std::snprintf(text, sizeof text, "%.0f", count);
  }
  return text;
}

std::string Bits(double bytes_a_key) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f", 8 * bytes_a_key);
  return text;
}

// Which families get the most and the fewest bits by their lookups, if they are shared out so.
std::string SharesText(double bytes_a_key, const std::vector<FamilyShare>& shares) {
  if (shares.empty()) return {};
  const auto less = [](const FamilyShare& a, const FamilyShare& b) {
    return a.more_bits < b.more_bits;
  };
  const auto [coldest, hottest] = std::minmax_element(shares.begin(), shares.end(), less);
  const auto text = [&](const auto& share) {
    const auto own = static_cast<size_t>(share - shares.begin());
    return share->family + " about " + Bits(BitsOfFamily(8 * bytes_a_key, shares, own) / 8);
  };
  return ". By their lookups, filters get more bits a key or fewer: in column family " +
         text(hottest) + ", in " + text(coldest);
}

std::string OptionText(const PolicyOptions& asked, const char* name) {
  return std::string(name) + "=" + PolicyOptionText(name, asked);
}

}  // namespace

double RangeBytes(double range_bits, double keys) noexcept {
  if (range_bits == 0) return 0;
  const RangeFilterBuilder builder(RangeFilterOptions{range_bits});
  return static_cast<double>(
      builder.EstimateSize(static_cast<uint64_t>(std::clamp(keys, 1.0, kMaxKeys))));
}

FileToSize FileBeforeItsKeys(const FilterOptions& form, const BuildFacts& facts,
                             const LiveFiles::Sums& tree) noexcept {
  constexpr double kKeysOfAFile = 10'000;
  FileToSize file;
  file.form = form;
  // If no file lies over others, this one will not either. SstFileWriter knows no level.
  const bool is_over_others =
      facts.level >= 0 && !facts.is_bottommost && tree.levels.back().keys < tree.keys;
  file.level = is_over_others ? static_cast<size_t>(RecordedFiles::LevelIndex(facts.level, false))
                              : FileToSize::kLast;
  file.keys = tree.files > 0 ? tree.keys / static_cast<double>(tree.files) : kKeysOfAFile;
  if (facts.level > 0 && tree.files > 0) {
    file.replaced.keys = file.keys;
    file.replaced.filter_bytes = tree.filter_bytes / static_cast<double>(tree.files);
  }
  return file;
}

Fit FitOf(uint64_t filter_memory, const KnownTotals& known, const FileToSize& file) noexcept {
  const LiveFiles::Sums& alive = known.files;
  const LiveFiles::Sums& replaced = file.replaced;
  const auto less = [](double all, double some) { return std::max(all - some, 0.0); };
  const auto memory = static_cast<double>(filter_memory);
  const double own = std::max(file.keys, 1.0);
  double keys = less(alive.keys, replaced.keys) + own;
  double others = less(alive.filter_bytes, replaced.filter_bytes);
  double replaced_large = replaced.filter_bytes;
  double kept = 0;
  if (file.all_have_filters) {
    const double more = own - replaced.levels[file.level].keys;
    const double share = OfFamily(ShareOf(kAim * memory, keys, alive), known);
    if (known.IsSmall(file.level, more)) return FitOfSmall(memory, share, others, file);
    kept = known.most_small_bytes;
    for (size_t i = 0; i < alive.levels.size(); ++i) {
      if (!known.IsSmall(i)) continue;
      keys -= less(alive.levels[i].keys, replaced.levels[i].keys);
      others -= less(alive.levels[i].filter_bytes, replaced.levels[i].filter_bytes);
      replaced_large -= replaced.levels[i].filter_bytes;
    }
  } else {
    keys -= less(alive.keys_without_filters, replaced.keys_without_filters);
  }
  keys = std::max(keys, own);
  others = std::max(others, 0.0);
  const double room = std::max(kAim * memory - kept, 1.0);
  const double wanted = OfFamily(ShareOf(room, keys, alive), known) * own;
  const double too_much = (others + wanted) / room - 1;
  const double part = std::clamp(1 - kGain * too_much, 0.0, kMaxOfShare);
  // The file must not bring the sum above the memory.
  const double added = std::min(part * wanted, less(memory - kept, others));
  const double of_replaced = kOfReplaced * std::min(own / std::max(replaced.keys, 1.0), 1.0);
  // A file of level 0 has at least the fewest bits: it may stay when level 0, which is large now,
  // is small again.
  const bool may_have_fewest =
      file.level == 0 || others + Bytes(file.form, own, kBitsPerKeyOption.least) <= room;
  return {std::max(added, std::min(wanted, of_replaced * replaced_large)), false, may_have_fewest};
}

std::optional<PolicyOptions> WithBitsThatFit(const PolicyOptions& asked, const KnownTotals& known,
                                             const FileToSize& file) noexcept {
  if (asked.filter_memory == 0 || !known.knows_all_files) return asked;
  const Fit fit = FitOf(asked.filter_memory, known, file);
  const FilterOptions form = fit.is_share ? WithoutLevels(file.form) : file.form;
  if (fit.bytes < Bytes(form, file.keys, kBitsPerKeyOption.least) && !fit.may_have_fewest) {
    return std::nullopt;
  }
  PolicyOptions sized = asked;
  double bytes = fit.bytes;
  if (asked.range_bits > 0 && file.range_bytes > 0) {
    if (bytes >= Bytes(form, file.keys, asked.bits_per_key) + file.range_bytes) {
      bytes -= file.range_bytes;
    } else {
      sized.range_bits = 0;
    }
  }
  sized.bits_per_key = BitsThatTake(form, file.keys, bytes);
  return sized;
}

std::string MemoryLine(const PolicyOptions& asked, const KnownTotals& known) {
  const std::string option = OptionText(asked, "filter_memory");
  if (!known.knows_all_files) {
    return option + " is not in force, as not all live files are known: filters are built by " +
           OptionText(asked, "bits_per_key") +
           ". A listener in the database's options tells of files, and soon after an open of those "
           "of before: winnow::NewListener of winnow/rocksdb_listener.h; libwinnow_preload.so adds "
           "it by itself";
  }
  const LiveFiles::Sums& files = known.files;
  const auto memory = static_cast<double>(asked.filter_memory);
  const double keys = std::max(files.keys, 1.0);
  // A file of the last level, with the mean number of keys.
  BuildFacts facts;
  facts.level = 1;
  facts.is_bottommost = true;
  FileToSize next = FileBeforeItsKeys(FactsToOptions(asked, facts), facts, files);
  next.range_bytes = RangeBytes(asked.range_bits, next.keys);
  const auto count = [](size_t n, const char* one, const char* more) {
    return std::to_string(n) + " " + (n == 1 ? one : more);
  };
  std::string line =
      option + ": " + CountText(files.keys) + " keys in " + count(files.files, "file", "files") +
      " of " + count(known.families, "column family", "column families") + " have filters of " +
      SizeText(files.filter_bytes) + ", " + Bits(files.filter_bytes / keys) + " bits a key; ";
  const std::optional<PolicyOptions> sized = WithBitsThatFit(asked, known, next);
  if (sized) {
    char bits[80];
    std::snprintf(bits, sizeof bits, "new files of the last level get bits_per_key=%.1f",
                  sized->bits_per_key);
    line += bits;
    if (asked.range_bits > 0) {
      line +=
          sized->range_bits > 0 ? " and range filters" : " and no range filters, for lack of room";
    }
  } else {
    line += "new files of the last level get no filters";
  }
  line += SharesText(kAim * memory / keys, known.shares);
  const double over = files.filter_bytes - memory;
  if (over > kTooMuch * memory) {
    line += ". That is " + SizeText(over) + " more than allowed";
  }
  const double on_level_0 = files.levels[0].keys / keys;
  if (on_level_0 > kMuchOnLevel0 && files.filter_bytes > memory) {
    char part[80];
    std::snprintf(part, sizeof part, ". Compactions lag behind writes: level 0 has %.0f %% of the ",
                  100 * on_level_0);
    line +=
        std::string(part) +
        "keys. Until they catch up, filters may take more than allowed, and new files get fewer "
        "bits";
  }
  const bool is_little =
      !sized || FitOf(asked.filter_memory, known, next).bytes < memory / keys * next.keys / 2;
  if (is_little && files.bytes_that_stay > kHeld * memory) {
    line += ". Files that will not be rewritten soon hold " + SizeText(files.bytes_that_stay) +
            ": raise filter_memory, or have them rewritten by CompactRange with "
            "bottommost_level_compaction=kForce";
  }
  return line;
}

void MemoryReport::Write(ROCKSDB_NAMESPACE::Logger* logger, const PolicyOptions& asked,
                         const KnownTotals& known) noexcept {
  if (asked.filter_memory == 0 || logger == nullptr) return;
  if (known.are_elsewhere && !known.knows_all_files) return;  // which no listener here changes
  try {
    LogTimes& times = known.knows_all_files ? in_force_ : not_in_force_;
    if (!times.IsDue(*logger, kBetweenLines, true, std::chrono::steady_clock::now())) return;
    WriteInLog(logger,
               known.knows_all_files ? ROCKSDB_NAMESPACE::InfoLogLevel::INFO_LEVEL
                                     : ROCKSDB_NAMESPACE::InfoLogLevel::WARN_LEVEL,
               MemoryLine(asked, known));
  } catch (...) {
    // A missing line in the LOG is better than a failed flush.
  }
}

}  // namespace winnow::plugin
