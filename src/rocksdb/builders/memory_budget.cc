#include "src/rocksdb/builders/memory_budget.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "src/base/c_locale.h"
#include "src/core/level_plan.h"
#include "src/core/sizing.h"
#include "src/rocksdb/messages/size_text.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/policy_options.h"
#include "winnow/range_filter.h"

namespace winnow::plugin {
namespace {

// Bits that a file over others loses, times the excess of its filter over the free memory as a part
// of filter_memory.
constexpr double kLostBits = 150;

// Part of the replaced filters' bytes that a merged file may keep.
constexpr double kOfReplaced = 0.75;

// Part of the free memory that one file may take, so that the next file, which may come before
// others are deleted, gets some, too.
constexpr double kOfWhatIsLeft = 0.6;

// Excess, as a part of filter_memory, from which on the LOG reports it.
constexpr double kTooMuch = 0.01;

// Share of all keys on level 0 from which on the LOG says that compactions lag.
constexpr double kMuchOnLevel0 = 0.1;

// Part of filter_memory that the rule shares out, so that there is room for the next file.
constexpr double kAim = 0.98;

constexpr double kMaxKeys = uint64_t{1} << 50;

constexpr auto kBetweenLines = std::chrono::minutes(10);

double Bytes(const FilterOptions& form, double keys, double bits_per_key) noexcept {
  FilterOptions options = form;
  options.bits_per_key = bits_per_key;
  return static_cast<double>(core::EstimateBytes(
      static_cast<uint64_t>(std::clamp(keys, 1.0, kMaxKeys)), core::ForBuilding(options)));
}

// Returns the bits_per_key, up to `most`, of a filter of this many bytes, or the option's minimum.
double BitsThatTake(const FilterOptions& form, double keys, double bytes, double most) noexcept {
  double low = kBitsPerKeyOption.least;
  double high = std::clamp(most, low, kBitsPerKeyOption.most);
  for (int i = 0; i < 12; ++i) {
    const double middle = (low + high) / 2;
    (Bytes(form, keys, middle) > bytes ? high : low) = middle;
  }
  return low;
}

// Returns the bits_per_key of a filter with this log2(1/rate), limited to the maximum rate bits.
double BitsPerKeyOf(double bits) noexcept {
  return core::BitsForRate(std::exp2(-std::clamp(bits, 0.0, family::kMostBits)));
}

// Returns a filter's bytes per key and bit of log2(1/rate), for files of this many keys.
double BytesABit(const FilterOptions& form, double keys) noexcept {
  constexpr double kUsualBits = 10;
  return Bytes(form, keys, kUsualBits) / keys / core::RateBits(kUsualBits);
}

double RangeBitsPerKey(double range_bits, double keys) noexcept {
  return 8 * RangeBytes(range_bits, keys) / keys;
}

std::string CountText(double count) {
  return count >= 1e6 ? base::Text("%.1f M", count / 1e6) : base::Text("%.0f", count);
}

std::string Bits(double bytes_a_key) { return base::Text("%.1f", 8 * bytes_a_key); }

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

double MeanKeys(const family::Family::Totals& files) noexcept {
  constexpr double kKeysOfAFile = 10'000;
  return files.files > 0 && files.keys > 0 ? files.keys / static_cast<double>(files.files)
                                           : kKeysOfAFile;
}

SharedMemory MemoryOf(const PolicyOptions& policy, const BuildFacts& facts, const KnownTree& known,
                      const family::Family::Totals& files) noexcept {
  const double mean_keys = MeanKeys(files);
  BuildFacts last = facts;  // has most of the keys
  last.level = std::max({known.depth, facts.level, 0});
  last.reason = ROCKSDB_NAMESPACE::TableFileCreationReason::kCompaction;
  const double bytes_a_bit = BytesABit(FactsToOptions(policy, last), mean_keys);
  return {kAim * static_cast<double>(policy.filter_memory) / bytes_a_bit,
          family::kMostBits + RangeBitsPerKey(policy.range_bits, mean_keys)};
}

std::optional<PolicyOptions> WithBitsThatFit(const PolicyOptions& asked, const KnownTotals& known,
                                             const FileToSize& file) noexcept {
  const auto memory = static_cast<double>(asked.filter_memory);
  const double own = std::max(file.keys, 1.0);
  // The rule counts the bits of a large file; the fixed bytes of a small one are more.
  constexpr double kManyKeys = 1e8;
  const double range_bits = RangeBitsPerKey(asked.range_bits, kManyKeys);
  const auto bytes_with = [&](double bits) {
    if (!(bits > 0)) return 0.0;
    double of_ranges = 0;
    if (asked.range_bits > 0) {
      of_ranges = file.range_bytes * std::clamp((bits - family::kMostBits) / range_bits, 0.0, 1.0);
    }
    return Bytes(file.form, own, BitsPerKeyOf(bits)) + of_ranges;
  };
  const double fewest = Bytes(file.form, own, kBitsPerKeyOption.least);
  const double left = memory - known.files.bytes;
  const double room =
      std::min(file.replaced.bytes, known.files.bytes) + left * (left > 0 ? kOfWhatIsLeft : 1);
  const double wanted = bytes_with(file.bits);
  const double of_replaced =
      kOfReplaced * std::min(own / std::max(file.replaced.keys, 1.0), 1.0) * file.replaced_there;
  const double too_much = std::max((wanted - room) / std::max(memory, 1.0), 0.0);
  const double of_upper = file.lies_over_others ? bytes_with(file.bits - kLostBits * too_much) : 0;
  double bytes = std::min(wanted, std::max({room, of_replaced, of_upper}));
  const bool may_have_fewest =
      (file.bits > 0 && std::max(room, of_replaced) >= fewest) || file.waits;
  if (bytes < fewest && !may_have_fewest) return std::nullopt;
  PolicyOptions sized = asked;
  if (asked.range_bits > 0 && file.range_bytes > 0) {
    if (bytes >= Bytes(file.form, own, asked.bits_per_key) + file.range_bytes) {
      bytes -= file.range_bytes;
    } else {
      sized.range_bits = 0;
    }
  }
  sized.bits_per_key = BitsThatTake(file.form, own, bytes, BitsPerKeyOf(file.bits));
  return sized;
}

std::string MemoryLine(const PolicyOptions& asked, const KnownTotals& known,
                       const FileToSize& next) {
  const std::string option = OptionText(asked, "filter_memory");
  if (!known.knows_all_files) {
    return option + " is not in force, as not all live files are known: filters are built by " +
           OptionText(asked, "bits_per_key") +
           ". A listener in the database's options tells of files, and soon after an open of those "
           "of before: winnow::NewListener of winnow/rocksdb_listener.h; libwinnow_preload.so adds "
           "it by itself";
  }
  const family::Family::Totals& files = known.files;
  const auto memory = static_cast<double>(asked.filter_memory);
  const double keys = std::max(files.keys, 1.0);
  const auto count = [](size_t n, const char* one, const char* more) {
    return std::to_string(n) + " " + (n == 1 ? one : more);
  };
  std::string line =
      option + ": " + CountText(files.keys) + " keys in " + count(files.files, "file", "files") +
      " of " + count(known.families, "column family", "column families") + " have filters of " +
      SizeText(files.bytes) + ", " + Bits(files.bytes / keys) + " bits per key; ";
  const std::optional<PolicyOptions> sized = WithBitsThatFit(asked, known, next);
  if (sized) {
    line += base::Text("new files of the last level get bits_per_key=%.1f", sized->bits_per_key);
    if (asked.range_bits > 0) {
      line +=
          sized->range_bits > 0 ? " and range filters" : " and no range filters, for lack of room";
    }
  } else {
    line += "new files of the last level get no filters";
  }
  const double over = files.bytes - memory;
  if (over > kTooMuch * memory) {
    line +=
        ". That is " + SizeText(over) +
        " more than allowed, as filters keep their sizes until their files are rewritten: raise "
        "filter_memory, or have them rewritten by CompactRange with "
        "bottommost_level_compaction=kForce";
  }
  const double on_level_0 = files.keys_on_level_0 / keys;
  if (on_level_0 > kMuchOnLevel0 && files.bytes > memory) {
    line +=
        base::Text(". Compactions lag behind writes: level 0 has %.0f %% of the ",
                   100 * on_level_0) +
        "keys. Until they catch up, filters may take more than allowed, and new files get fewer "
        "bits";
  }
  return line;
}

std::string WithoutLine(const PolicyOptions& asked, const KnownTotals& known,
                        const std::string& family, int level) {
  const family::Family::Totals& files = known.files;
  return OptionText(asked, "filter_memory") + " has no room for the filter of a file on level " +
         std::to_string(level) + " of column family " + Quoted(family) + ": " +
         CountText(files.keys) + " keys in " + std::to_string(files.files) +
         " files have filters of " + SizeText(files.bytes) +
         ". Lookups of absent keys read such a file: raise "
         "filter_memory";
}

void MemoryReport::Write(ROCKSDB_NAMESPACE::Logger* logger, const PolicyOptions& asked,
                         const KnownTotals& known, const FileToSize& next) noexcept {
  using ROCKSDB_NAMESPACE::InfoLogLevel;
  if (known.are_elsewhere && !known.knows_all_files) return;  // a listener here could not change it
  LogTimes& times = known.knows_all_files ? in_force_ : not_in_force_;
  times.Write(logger, known.knows_all_files ? InfoLogLevel::INFO_LEVEL : InfoLogLevel::WARN_LEVEL,
              kBetweenLines, true, std::chrono::steady_clock::now(),
              [&] { return MemoryLine(asked, known, next); });
}

void MemoryReport::WriteWithout(ROCKSDB_NAMESPACE::Logger* logger, const PolicyOptions& asked,
                                const KnownTotals& known, const std::string& family,
                                int level) noexcept {
  without_.Write(logger, ROCKSDB_NAMESPACE::InfoLogLevel::WARN_LEVEL, kBetweenLines, true,
                 std::chrono::steady_clock::now(),
                 [&] { return WithoutLine(asked, known, family, level); });
}

}  // namespace winnow::plugin
