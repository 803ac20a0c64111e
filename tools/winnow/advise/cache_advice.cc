#include <absl/algorithm/container.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "src/policy_trial/learned_trial.h"
#include "src/text/numbers.h"
#include "tools/winnow/advise/advice.h"
#include "tools/winnow/advise/advice_reading.h"
#include "tools/winnow/advise/cache_lookups.h"
#include "tools/winnow/advise/cache_words.h"

namespace winnow::inspect {
namespace {

// Rows within this share of the best one count as equally good.
constexpr double kAsGood = 0.05;

// Sizes of a sweep, relative to the requested cache.
constexpr double kSweep[] = {0.25, 0.5, 1, 2, 4};
constexpr size_t kMaxLines = 5;

// Number of simulations of a row, which differ in the hash of blocks to cache shards. If few blocks
// fill a shard, the results depend on which blocks share one. With 4 simulations, a further one
// would be within their range in most cases.
constexpr uint64_t kMaxSalts = 16;
constexpr uint64_t kMinSalts = 4;
constexpr uint64_t kLookupsOfSalts = 3'200'000;  // total of all simulations of a row
constexpr uint64_t kFewBlocks = 512;

// Returns the bits per key of a policy's options string, such as "winnow:10" or
// "bloomfilter:9.5:false".
std::optional<double> BitsOf(const std::string& policy) {
  if (const std::optional<PolicyOptions> winnow = WinnowPolicyOf(policy)) {
    return winnow->bits_per_key;
  }
  const std::vector<std::string> parts = absl::StrSplit(policy, ':');
  double bits = 0;
  const bool has_bits = parts.size() > 1 && absl::SimpleAtod(parts[1], &bits) && bits > 0;
  return has_bits ? std::optional(bits) : std::nullopt;
}

class Adviser {
 public:
  Adviser(const CacheAdviceOptions& options, const AdviceProgress& progress, AdviceReading* reading)
      : options_(options), progress_(progress), read_(*reading) {}

  CacheAdvice Advise() {
    advice_.cache = options_.cache;
    advice_.recorded = options_.advice.recorded.has_value();
    lookups_ = TakeCacheLookups(options_.advice, progress_, &read_);
    advice_.assumptions = lookups_.left_away;
    advice_.lookups = timed_.order.size();
    policies_known_ = absl::c_all_of(
        read_.families, [](const AdvisedFamily& family) { return !family.shape.policy.empty(); });
    DescribeNow();
    timed_.joins = options_.advice.recorded_joins;
    timed_.joins.resize(timed_.joins.empty() ? 0 : timed_.order.size());
    timed_.SortMultiGets();
    advice_.joined = static_cast<uint64_t>(absl::c_count(timed_.joins, true));
    std::vector<CacheRow> wanted;
    for (const CacheChoice& choice : CacheChoices(now_)) {
      CacheRow row;
      row.choice = choice;
      row.capacity = static_cast<double>(options_.cache.capacity) * choice.cache_factor;
      if (MakeRoom(&row)) {
        wanted.push_back(std::move(row));
      } else if (choice.where == CacheChoice::Where::kBeside) {
        beside_is_too_large_ = true;
      }
    }
    Follow("following lookups", &wanted);
    const CacheRow now = wanted.front();
    absl::c_stable_sort(wanted, [&now](const CacheRow& a, const CacheRow& b) {
      return std::pair(a.TakesMoreThan(now), a.BytesALookup()) <
             std::pair(b.TakesMoreThan(now), b.BytesALookup());
    });
    advice_.rows = std::move(wanted);
    if (options_.sweep) {
      Sweep();
    }
    SayCacheAdvice(options_, now_, Facts(), Best(), &advice_);
    return std::move(advice_);
  }

 private:
  void DescribeNow() {
    uint64_t bytes = 0;
    uint64_t range_bytes = 0;
    uint64_t keys = 0;
    uint64_t absent = 0;
    for (const AdvicePiece& piece : lookups_.pieces) {
      const size_t i = static_cast<size_t>(&piece - lookups_.pieces.data());
      const VisitedFile& file = timed_.files[i];
      now_.partitioned = now_.partitioned || file.partitioned;
      now_.whole = now_.whole || (file.filter_parts > 0 && !file.partitioned);
      bytes += file.filter_bytes;
      range_bytes += read_.FileOf(piece).range_bytes;
      keys += file.filter_bytes > 0 ? read_.FileOf(piece).keys : 0;
    }
    for (const uint32_t key : timed_.order) {
      absent += lookups_.IsFound(key) ? 0 : 1;
    }
    advice_.files =
        static_cast<uint64_t>(absl::c_count_if(lookups_.pieces, [this](const AdvicePiece& piece) {
          return read_.FileOf(piece).error.empty();
        }));
    advice_.filter_bytes = bytes;
    const double bits = keys > 0 ? 8.0 * static_cast<double>(bytes - std::min(bytes, range_bytes)) /
                                       static_cast<double>(keys)
                                 : 10;
    now_.has_plans = read_.has_plans;
    now_.absent_share = AbsentShareOf(absent, timed_.order.size());
    now_.further = options_.advice.policies;
    now_.fewer_shards = FewerShards();
    const std::string& policy = read_.families[0].shape.policy;
    now_.bits_per_key = std::clamp(std::round(BitsOf(policy).value_or(bits)), 4.0, 20.0);
    const std::string substitute = WinnowText(now_.bits_per_key);
    now_.substitute = policies_known_ ? "" : substitute;
    bool has_none = false;
    for (const AdvisedFamily& family : read_.families) {
      const MetadataCaching& caching = family.shape.caching;
      has_none = has_none || family.shape.has_no_policy;
      now_.no_block_cache = now_.no_block_cache || caching.no_block_cache;
      now_.in_cache = now_.in_cache || caching.in_cache;
      now_.partition_bytes = caching.block_bytes;
      now_.skips_last_level = now_.skips_last_level || !family.shape.last_level_has_filters;
      now_.policy = policies_known_ ? family.shape.policy : "";
    }
    if (has_none) {
      advice_.assumptions.push_back(absl::StrCat(
          "The OPTIONS file has filter_policy=nullptr: RocksDB builds and asks no filter now. Rows "
          "that write files anew have ",
          substitute, ", and their options name it."));
    } else if (!policies_known_) {
      advice_.assumptions.push_back(absl::StrCat(
          "The OPTIONS file does not tell the present policy: rows that write files anew have ",
          substitute, " instead, and their options name it."));
    }
  }

  // Returns the cache with fewer shards, each large enough for eight of the largest filters, or
  // nullopt if its shards are large enough.
  std::optional<CacheShape> FewerShards() const {
    constexpr uint64_t kRoom = 8;
    uint64_t largest = 1;
    for (const VisitedFile& file : timed_.files) {
      largest = std::max(largest, file.filter_bytes / std::max<uint64_t>(file.filter_parts, 1));
    }
    const uint64_t shard = ShardBytes(options_.cache);
    if (options_.cache.hyper_clock || shard >= options_.cache.capacity ||
        shard >= kRoom * largest) {
      return std::nullopt;
    }
    CacheShape fewer = options_.cache;
    fewer.shard_bits = 0;
    while (fewer.capacity >> (fewer.shard_bits + 1) >= kRoom * largest) {
      ++fewer.shard_bits;
    }
    return fewer;
  }

  std::vector<FileForm> FormsOf(const CacheChoice& choice) {
    std::vector<FileForm> forms;
    for (size_t i = 0; i < lookups_.pieces.size(); ++i) {
      const AdvicePiece& piece = lookups_.pieces[i];
      const AdvisedFile& file = read_.FileOf(piece);
      forms.push_back(file.error.empty() ? FormOf(choice, read_.families[piece.family], piece.at,
                                                  file, timed_.files[i])
                                         : FileForm());
    }
    return forms;
  }

  // Subtracts from the cache the blocks that the choice keeps outside of it. Returns false if
  // nothing is left.
  bool MakeRoom(CacheRow* row) {
    if (row->choice.where != CacheChoice::Where::kBeside) {
      return true;
    }
    double beside = 0;
    for (const FileForm& form : FormsOf(row->choice)) {
      for (const BlockSet* set : {&form.filter, &form.index}) {
        beside +=
            static_cast<double>(set->top_charge > 0 ? set->top_charge : set->blocks * set->charge);
      }
    }
    row->capacity -= beside;
    return row->capacity > 0;
  }

  CacheShape ShapeFor(const CacheRow& row) const {
    CacheShape shape = row.choice.fewer_shards.value_or(options_.cache);
    shape.capacity = static_cast<uint64_t>(row.capacity);
    return shape;
  }

  // Returns the number of hashes of blocks to shards to simulate.
  uint64_t SaltsFor(const CacheRow& row, const std::vector<FileForm>& forms) const {
    uint64_t largest = 1;
    for (const FileForm& form : forms) {
      largest = std::max({largest, form.filter.charge, form.index.charge});
    }
    const CacheShape shape = ShapeFor(row);
    const uint64_t salts = std::clamp(kLookupsOfSalts / std::max<uint64_t>(1, timed_.order.size()),
                                      kMinSalts, kMaxSalts);
    const bool has_shards = ShardBytes(shape) < shape.capacity;
    return has_shards && shape.capacity / largest < kFewBlocks ? salts : 1;
  }

  // Simulates the lookups and sets the figures of the rows.
  void Follow(const std::string& step, std::vector<CacheRow>* rows) {
    std::vector<std::vector<FileForm>> forms;
    std::vector<std::pair<size_t, uint64_t>> runs;  // index of the row, salt
    for (size_t i = 0; i < rows->size(); ++i) {
      forms.push_back(FormsOf((*rows)[i].choice));
      (*rows)[i].guesses_prefixes = GuessesPrefixes(forms.back());
      const uint64_t salts = SaltsFor((*rows)[i], forms.back());
      for (uint64_t salt = 1; salt <= salts; ++salt) {
        runs.emplace_back(i, salt);
      }
    }
    std::vector<std::string> errors(runs.size());
    DoAdviceWork(
        {step, std::vector<double>(runs.size(), 1), options_.advice.jobs, progress_},
        [&](size_t i, const auto& beat) {
          ReplayOptions replay;
          replay.cache = ShapeFor((*rows)[runs[i].first]);
          replay.forms = forms[runs[i].first];
          replay.high_priority = read_.families[0].shape.caching.high_priority;
          replay.salt = runs[i].second;
          replay.warm_up = timed_.order.size() / 2;
          return Replay(timed_, replay, beat);
        },
        [&](size_t i, const ReplayFigures& figures) {
          (*rows)[runs[i].first].figures += figures;
          (*rows)[runs[i].first].placements.push_back(figures);
        },
        [&](size_t i) -> std::string& { return errors[i]; });
    for (size_t i = 0; i < runs.size(); ++i) {
      if (!errors[i].empty()) {
        advice_.assumptions.push_back(absl::StrCat(
            "The lookups could not be followed for one choice: ",
            (*rows)[runs[i].first].choice.Title(), "; what it says of that is not to be used."));
      }
    }
    for (CacheRow& row : *rows) {
      row.figures.beside_bytes /= std::max<uint64_t>(row.figures.runs, 1);
      row.figures.pinned_bytes /= std::max<uint64_t>(row.figures.runs, 1);
      row.figures.usage_at_count /= std::max<uint64_t>(row.figures.runs, 1);
      row.figures.usage /= std::max<uint64_t>(row.figures.runs, 1);
    }
  }

  // Returns true if new filters of the file would have only prefixes. Their answers are unknown:
  // expected rates are for absent prefixes, but prefixes of absent keys are often present.
  bool HasPrefixesOnly(size_t piece) const {
    const TreeShape& shape = read_.families[lookups_.pieces[piece].family].shape;
    const AdvisedFile& file = read_.FileOf(lookups_.pieces[piece]);
    return file.error.empty() && (file.has_prefixes_only || !shape.whole_keys);
  }

  bool GuessesPrefixes(const std::vector<FileForm>& forms) const {
    for (size_t i = 0; i < forms.size(); ++i) {
      if (forms[i].filter.blocks > 0 && !forms[i].has_stored_answers && HasPrefixesOnly(i)) {
        return true;
      }
    }
    return false;
  }

  static bool IsWorthIt(const CacheRow& row, const CacheRow& now) {
    return row.figures.lookups > 0 && !row.TakesMoreThan(now) && row.figures.pins_fit &&
           row.figures.no_room == 0 && !row.guesses_prefixes && !row.ReadsMoreInVainThan(now);
  }

  // Returns the recommended row: it needs no more memory than now, and is the best one or equally
  // good. Rows that need no new files are preferred. Rows with many more false reads are excluded,
  // as other lookups could suffer from them.
  const CacheRow& Best() const {
    const CacheRow& now = advice_.Now();
    const CacheRow* best = &*absl::c_find_if(
        advice_.rows, [&](const CacheRow& row) { return &row == &now || IsWorthIt(row, now); });
    const double limit = best->BytesALookup() * (1 + kAsGood);
    if (now.BytesALookup() <= limit) {
      return now;
    }
    // Among equally good rows, the one with the fewest false reads wins.
    for (const CacheRow& row : advice_.rows) {
      const auto cost = [](const CacheRow& each) {
        return std::pair(each.choice.Rewrites(), each.figures.false_reads);
      };
      if (IsWorthIt(row, now) && row.BytesALookup() <= limit && cost(row) < cost(*best)) {
        best = &row;
      }
    }
    return *best;
  }

  // Simulates the current state, the best row and the best row of each other kind with other cache
  // sizes.
  void Sweep() {
    std::vector<const CacheRow*> rows = {&advice_.Now(), &Best()};
    for (const CacheRow& row : advice_.rows) rows.push_back(&row);
    std::set<std::tuple<CacheChoice::Where, CacheChoice::Pins, bool, bool, bool>> kinds;
    for (const CacheRow* each : rows) {
      const CacheChoice& choice = each->choice;
      const bool is_new = kinds
                              .emplace(choice.where, choice.pins, choice.partition_bytes > 0u,
                                       choice.Rewrites(), choice.skip_last_level)
                              .second;
      const bool has_other_cache = choice.cache_factor != 1 || choice.fewer_shards;
      if (!is_new || has_other_cache || advice_.lines.size() == kMaxLines) continue;
      CacheLine line;
      line.choice = choice;
      for (const double share : kSweep) {
        CacheRow row;
        row.choice = choice;
        row.capacity = share * static_cast<double>(options_.cache.capacity);
        if (MakeRoom(&row)) line.points.push_back(std::move(row));
      }
      Follow("following lookups through caches of other sizes", &line.points);
      if (!line.points.empty()) advice_.lines.push_back(std::move(line));
    }
  }

  CacheWordFacts Facts() {
    CacheWordFacts facts;
    for (const AdvisedFamily& family : read_.families) {
      facts.families.push_back(&family);
    }
    for (const FileForm& form : FormsOf(advice_.Now().choice)) {
      const bool stays = form.filter.beside || form.filter.pin_blocks;
      facts.largest_filter = std::max(facts.largest_filter, stays ? 0 : form.filter.charge);
    }
    for (size_t i = 0; i < lookups_.pieces.size(); ++i) {
      const AdvisedFile& file = read_.FileOf(lookups_.pieces[i]);
      facts.range_bytes += file.range_bytes;
      if (HasPrefixesOnly(i)) {
        facts.prefixes.insert(file.has_prefixes_only ? file.contents : "prefixes");
      }
    }
    facts.lookups_left_out = read_.lookups_left_out;
    facts.found_by_chance = lookups_.found_by_chance;
    facts.beside_is_too_large = beside_is_too_large_;
    return facts;
  }

  const CacheAdviceOptions& options_;
  const AdviceProgress& progress_;
  AdviceReading& read_;
  CacheAdvice advice_;
  CacheLookups lookups_;
  TimedLookups& timed_ = lookups_.timed;
  FiltersOfNow now_;
  bool policies_known_ = true;
  bool beside_is_too_large_ = false;
};

}  // namespace

CacheAdvice AdviseOnCache(const std::vector<AdviceTable>& tables, const CacheAdviceOptions& options,
                          const AdviceProgress& progress, std::string* problem) {
  CacheAdvice advice;
  advice.cache = options.cache;
  advice.recorded = options.advice.recorded.has_value();
  if (tables.empty()) {
    advice.recommendation = "There are no SST files, and so there is nothing to advise on.";
    return advice;
  }
  AdviceReading reading;
  *problem = ReadForAdvice(tables, options.advice, progress, &reading);
  if (problem->empty()) {
    advice = Adviser(options, progress, &reading).Advise();
  }
  advice.errors = reading.Errors();
  return advice;
}

}  // namespace winnow::inspect
