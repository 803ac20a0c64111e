#include "tools/winnow/advise/cache_advice.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <string_view>
#include <utility>

#include "src/cache_trial/file_visits.h"
#include "src/text/numbers.h"
#include "tools/winnow/advise/advice_reading.h"
#include "tools/winnow/advise/cache_words.h"

namespace winnow::inspect {
namespace {

// Of a key in a file, each of which is worked out once: so many take some 200 MB.
constexpr uint64_t kMostVisits = 8'000'000;

// Rows within so much of the best one are as good.
constexpr double kAsGood = 0.05;

// A sweep's sizes, as shares of the cache that was asked for.
constexpr double kSweep[] = {0.25, 0.5, 1, 2, 4};
constexpr size_t kMostLines = 5;

// Where few blocks fill a shard, chance decides which of them share it: then so many chances are
// looked at. One more is within their range in all but one of eight cases or nine.
constexpr uint64_t kSalts = 16;
constexpr uint64_t kFewestSalts = 4;
constexpr uint64_t kLookupsOfSalts = 3'200'000;  // of a row, for all of its chances together
constexpr uint64_t kFewBlocks = 512;

struct TimedFamily {
  AdvisedFamily family;
  std::vector<std::string> keys;   // each once, in the order of the comparator
  std::vector<uint32_t> order;     // places in `keys`, in the order of time
  std::vector<AskedRange> ranges;  // by file
};

uint64_t VisitsOf(const std::vector<TimedFamily>& families) {
  uint64_t visits = 0;
  for (const TimedFamily& family : families) {
    for (const AskedRange& range : family.ranges) {
      visits += range.end - range.begin;
    }
  }
  return visits;
}

// Sets `keys`, `order` and `ranges` by the lookups in their order of time.
void Arrange(const std::vector<std::string>& lookups, const std::vector<AdvisedFile>& files,
             TimedFamily* family) {
  const ROCKSDB_NAMESPACE::Comparator& comparator = *family->family.comparator;
  std::vector<uint32_t> sorted(lookups.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  const auto compare = [&](uint32_t a, uint32_t b) {
    return comparator.CompareWithoutTimestamp(lookups[a], false, lookups[b], false);
  };
  std::sort(sorted.begin(), sorted.end(),
            [&](uint32_t a, uint32_t b) { return compare(a, b) < 0; });
  family->keys.clear();
  family->order.assign(lookups.size(), 0);
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || compare(sorted[i - 1], sorted[i]) != 0) {
      family->keys.push_back(lookups[sorted[i]]);
    }
    family->order[sorted[i]] = static_cast<uint32_t>(family->keys.size() - 1);
  }
  family->ranges.clear();
  for (const size_t file : family->family.files) {
    family->ranges.push_back(LookupsWithin(family->keys, files[file], comparator));
  }
}

// That a policy's options string has: "winnow:10", "bloomfilter:9.5:false",
// "{id=winnow;bits_per_key=10;...}".
std::optional<double> BitsOf(const std::string& policy) {
  constexpr std::string_view kOption = "bits_per_key=";
  const size_t option = policy.find(kOption);
  const size_t colon = policy.find(':');
  const size_t at = option != std::string::npos  ? option + kOption.size()
                    : colon != std::string::npos ? colon + 1
                                                 : policy.size();
  const std::string number = policy.substr(at, policy.find_first_not_of("0123456789.", at) - at);
  double bits = 0;
  return absl::SimpleAtod(number, &bits) && bits > 0 ? std::optional(bits) : std::nullopt;
}

class Adviser {
 public:
  Adviser(const CacheAdviceOptions& options, const AdviceProgress& progress, AdviceReading* reading)
      : options_(options), progress_(progress), read_(*reading) {}

  CacheAdvice Advise() {
    advice_.cache = options_.cache;
    advice_.recorded = options_.advice.recorded.has_value();
    TakeFamilies();
    VisitFiles();
    Join();
    DescribeNow();
    if (options_.advice.recorded_may_be_read_one_by_one) {
      FollowOneByOne();
    }
    lookups_.joins = options_.advice.recorded_joins;
    lookups_.joins.resize(lookups_.joins.empty() ? 0 : lookups_.order.size());
    lookups_.SortMultiGets();
    advice_.joined =
        static_cast<uint64_t>(std::count(lookups_.joins.begin(), lookups_.joins.end(), true));
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
    SortRows(&wanted);
    advice_.rows = std::move(wanted);
    if (options_.sweep) {
      Sweep();
    }
    SayCacheAdvice(options_, now_, Facts(), Best(), &advice_);
    return std::move(advice_);
  }

 private:
  // Lookups in their order of time, and each key once.
  void TakeFamilies() {
    const bool recorded = advice_.recorded;
    std::vector<std::vector<std::string>> lookups;
    std::mt19937_64 random(1);
    for (size_t i = 0; i < read_.families.size(); ++i) {
      if (recorded) {
        lookups.push_back(*options_.advice.recorded);
      } else {
        lookups.push_back(std::move(read_.lookups[i].keys));
        std::shuffle(lookups.back().begin(), lookups.back().end(), random);
      }
      families_.push_back({read_.families[i], {}, {}, {}});
      Arrange(lookups.back(), read_.files, &families_.back());
    }
    const uint64_t visits = VisitsOf(families_);
    if (visits > kMostVisits) {
      const double share = static_cast<double>(kMostVisits) / static_cast<double>(visits);
      for (size_t i = 0; i < families_.size(); ++i) {
        const auto kept = static_cast<size_t>(share * static_cast<double>(lookups[i].size()));
        advice_.assumptions.push_back(absl::StrCat("Of ", Number(lookups[i].size(), "lookup"),
                                                   " the first ", kept,
                                                   " were followed: more would ask more keys of "
                                                   "files than this program keeps in memory."));
        lookups[i].resize(kept);
        Arrange(lookups[i], read_.files, &families_[i]);
      }
    }
    for (TimedFamily& family : families_) {
      policies_known_ = policies_known_ && !family.family.shape.policy.empty();
    }
  }

  void VisitFiles() {
    for (size_t family = 0; family < families_.size(); ++family) {
      for (size_t at = 0; at < families_[family].family.files.size(); ++at) {
        pieces_.push_back({family, at});
      }
    }
    lookups_.files.resize(pieces_.size());
    std::vector<double> sizes;
    for (const AdvicePiece& piece : pieces_) {
      const AskedRange& range = families_[piece.family].ranges[piece.at];
      sizes.push_back(static_cast<double>(range.end - range.begin) + 1);
    }
    DoAdviceWork(
        {"finding the blocks that lookups ask for", sizes, options_.advice.jobs, progress_},
        [&](size_t i, const auto& beat) {
          const TimedFamily& family = families_[pieces_[i].family];
          const AskedRange& range = family.ranges[pieces_[i].at];
          return VisitFile(read_.FileOf(pieces_[i]).path, family.keys.data() + range.begin,
                           range.end - range.begin, beat);
        },
        [&](size_t i, VisitedFile visited) {
          std::string& error = read_.FileOf(pieces_[i]).error;
          error = error.empty() ? visited.error : error;  // of what was read before
          lookups_.files[i] = std::move(visited);
        },
        [&](size_t i) -> std::string& { return read_.FileOf(pieces_[i]).error; });
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if (!read_.FileOf(pieces_[i]).error.empty()) {
        lookups_.files[i] = VisitedFile();
      }
    }
  }

  // What each key asks, in the order of files, until it is found; and the lookups of all families
  // in one order.
  void Join() {
    size_t keys = 0;
    std::vector<size_t> first_key;
    for (const TimedFamily& family : families_) {
      first_key.push_back(keys);
      keys += family.keys.size();
    }
    lookups_.begin.assign(keys + 1, 0);
    std::vector<bool> ended(keys);
    const auto each = [&](auto visit) {
      std::fill(ended.begin(), ended.end(), false);
      for (uint32_t i = 0; i < pieces_.size(); ++i) {
        const AskedRange& range = families_[pieces_[i].family].ranges[pieces_[i].at];
        const std::vector<Visit>& visits = lookups_.files[i].visits;
        for (uint32_t j = 0; j < visits.size(); ++j) {
          const size_t key = first_key[pieces_[i].family] + range.begin + j;
          if (!ended[key]) {
            visit(key, TimedLookups::Ask{i, j});
            ended[key] = visits[j].ends;
          }
        }
      }
    };
    each([&](size_t key, const TimedLookups::Ask&) { ++lookups_.begin[key + 1]; });
    std::partial_sum(lookups_.begin.begin(), lookups_.begin.end(), lookups_.begin.begin());
    lookups_.asks.resize(lookups_.begin.back());
    std::vector<uint64_t> next(lookups_.begin.begin(), lookups_.begin.end() - 1);
    each([&](size_t key, const TimedLookups::Ask& ask) { lookups_.asks[next[key]++] = ask; });
    // Made-up lookups of several families take turns, in proportion to their numbers.
    std::vector<std::pair<double, uint32_t>> all;
    for (size_t i = 0; i < families_.size(); ++i) {
      const std::vector<uint32_t>& order = families_[i].order;
      for (size_t j = 0; j < order.size(); ++j) {
        all.emplace_back((static_cast<double>(j) + 0.5) / static_cast<double>(order.size()),
                         static_cast<uint32_t>(first_key[i] + order[j]));
      }
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    // A near miss may be a key by chance.
    const bool drops_found = !advice_.recorded && options_.advice.absent_share >= 1;
    for (const auto& [time, key] : all) {
      if (drops_found && IsFound(key)) {
        ++found_by_chance_;
      } else {
        lookups_.order.push_back(key);
      }
    }
    advice_.lookups = lookups_.order.size();
  }

  bool IsFound(uint32_t key) const {
    const auto begin = lookups_.asks.begin() + static_cast<ptrdiff_t>(lookups_.begin[key]);
    const auto end = lookups_.asks.begin() + static_cast<ptrdiff_t>(lookups_.begin[key + 1]);
    return std::any_of(begin, end, [this](const TimedLookups::Ask& ask) {
      return lookups_.files[ask.file].visits[ask.visit].found;
    });
  }

  void DescribeNow() {
    uint64_t bytes = 0;
    uint64_t keys = 0;
    uint64_t absent = 0;
    for (const AdvicePiece& piece : pieces_) {
      const size_t i = static_cast<size_t>(&piece - pieces_.data());
      const VisitedFile& file = lookups_.files[i];
      now_.partitioned = now_.partitioned || file.partitioned;
      now_.whole = now_.whole || (file.filter_parts > 0 && !file.partitioned);
      bytes += file.filter_bytes;
      keys += file.filter_bytes > 0 ? read_.FileOf(piece).keys : 0;
    }
    for (const uint32_t key : lookups_.order) {
      absent += IsFound(key) ? 0 : 1;
    }
    advice_.files = static_cast<uint64_t>(std::count_if(
        pieces_.begin(), pieces_.end(),
        [this](const AdvicePiece& piece) { return read_.FileOf(piece).error.empty(); }));
    advice_.filter_bytes = bytes;
    const double bits =
        keys > 0 ? 8.0 * static_cast<double>(bytes) / static_cast<double>(keys) : 10;
    now_.has_plans = read_.has_plans;
    now_.absent_share =
        lookups_.order.empty()
            ? 1
            : std::max(0.01, std::round(100 * static_cast<double>(absent) /
                                        static_cast<double>(lookups_.order.size())) /
                                 100);
    now_.further = options_.advice.policies;
    now_.capacity = options_.cache.capacity;
    now_.high_priority_share = options_.cache.high_priority_share;
    now_.strict = options_.cache.strict;
    now_.fewer_shard_bits = FewerShardBits();
    const std::string& policy = families_[0].family.shape.policy;
    now_.bits_per_key = std::clamp(std::round(BitsOf(policy).value_or(bits)), 4.0, 20.0);
    const std::string substitute = absl::StrCat("winnow:", Decimals(now_.bits_per_key, 1));
    now_.substitute = policies_known_ ? "" : substitute;
    bool has_none = false;
    for (const TimedFamily& family : families_) {
      const MetadataCaching& caching = family.family.shape.caching;
      has_none = has_none || family.family.shape.has_no_policy;
      now_.no_block_cache = now_.no_block_cache || caching.no_block_cache;
      now_.in_cache = now_.in_cache || caching.in_cache;
      now_.partition_bytes = caching.block_bytes;
      now_.skips_last_level = now_.skips_last_level || !family.family.shape.last_level_has_filters;
      now_.policy = policies_known_ ? family.family.shape.policy : "";
    }
    if (has_none) {
      advice_.assumptions.push_back(absl::StrCat(
          "The OPTIONS file has filter_policy=nullptr: RocksDB builds and asks no filter now. Rows "
          "that write files anew have ",
          substitute, ", and their options name it."));
    } else if (!policies_known_) {
      advice_.assumptions.push_back(absl::StrCat(
          "The policy of now is not known by the OPTIONS file: rows that write files anew have ",
          substitute, " instead, and their options name it."));
    }
  }

  // Where the largest filter is more than an eighth of a shard: as many shards as have room for
  // eight of it each.
  std::optional<int> FewerShardBits() const {
    constexpr uint64_t kRoom = 8;
    uint64_t largest = 1;
    for (const VisitedFile& file : lookups_.files) {
      largest = std::max(largest, file.filter_bytes / std::max<uint64_t>(file.filter_parts, 1));
    }
    const uint64_t shard = ShardBytes(options_.cache);
    if (options_.cache.hyper_clock || shard >= options_.cache.capacity ||
        shard >= kRoom * largest) {
      return std::nullopt;
    }
    int bits = 0;
    while (options_.cache.capacity >> (bits + 1) >= kRoom * largest) {
      ++bits;
    }
    return bits;
  }

  std::vector<FileForm> FormsOf(const CacheChoice& choice) {
    std::vector<FileForm> forms;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      const AdvisedFile& file = read_.FileOf(pieces_[i]);
      forms.push_back(
          file.error.empty()
              ? forms_.FormOf(choice, families_[pieces_[i].family].family, file, lookups_.files[i])
              : FileForm());
    }
    return forms;
  }

  // What is to lie beside the cache by choice is taken from it: false where nothing is left.
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
    CacheShape shape = options_.cache;
    shape.capacity = static_cast<uint64_t>(row.capacity);
    shape.shard_bits = row.choice.shard_bits.value_or(shape.shard_bits);
    return shape;
  }

  // The row of now, if the keys of a MultiGet are not read together.
  void FollowOneByOne() {
    CacheRow row;
    row.choice = CacheChoices(now_).front();
    row.capacity = static_cast<double>(options_.cache.capacity);
    std::vector<CacheRow> rows = {std::move(row)};
    Follow("following lookups one by one", &rows);
    one_by_one_ = rows.front().BytesALookup();
  }

  // How many chances of sharing a shard to look at.
  uint64_t SaltsFor(const CacheRow& row, const std::vector<FileForm>& forms) const {
    uint64_t largest = 1;
    for (const FileForm& form : forms) {
      largest = std::max({largest, form.filter.charge, form.index.charge});
    }
    const CacheShape shape = ShapeFor(row);
    const uint64_t salts = std::clamp(
        kLookupsOfSalts / std::max<uint64_t>(1, lookups_.order.size()), kFewestSalts, kSalts);
    const bool has_shards = ShardBytes(shape) < shape.capacity;
    return has_shards && shape.capacity / largest < kFewBlocks ? salts : 1;
  }

  // Sets the figures of the rows.
  void Follow(const std::string& step, std::vector<CacheRow>* rows) {
    std::vector<std::vector<FileForm>> forms;
    std::vector<std::pair<size_t, uint64_t>> runs;  // row and salt
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
          replay.high_priority = families_[0].family.shape.caching.high_priority;
          replay.salt = runs[i].second;
          replay.warm_up = lookups_.order.size() / 2;
          return Replay(lookups_, replay, beat);
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

  // Of files whose filters have prefixes and no whole keys, new ones would too: a rate is of keys
  // that are not there, and their prefixes often are.
  bool HasPrefixesOnly(size_t piece) const {
    const TreeShape& shape = families_[pieces_[piece].family].family.shape;
    const AdvisedFile& file = read_.FileOf(pieces_[piece]);
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

  void SortRows(std::vector<CacheRow>* rows) {
    const CacheRow now = rows->front();
    std::stable_sort(rows->begin(), rows->end(), [&now](const CacheRow& a, const CacheRow& b) {
      return std::pair(a.TakesMoreThan(now), a.BytesALookup()) <
             std::pair(b.TakesMoreThan(now), b.BytesALookup());
    });
  }

  // The row to take: in the memory of now, of those that are as good as the best the one that needs
  // no new files, if there is one. One that reads many more files in vain is only as good as these
  // lookups: others would pay for it.
  const CacheRow& Best() const {
    const CacheRow& now = advice_.Now();
    const CacheRow* best =
        &*std::find_if(advice_.rows.begin(), advice_.rows.end(),
                       [&](const CacheRow& row) { return &row == &now || IsWorthIt(row, now); });
    const double limit = best->BytesALookup() * (1 + kAsGood);
    if (now.BytesALookup() <= limit) {
      return now;
    }
    // Of several the one that reads the fewest files in vain.
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

  void Sweep() {
    // What there is, the best, and the best of each other kind.
    std::vector<CacheChoice> choices = {advice_.Now().choice, Best().choice};
    std::vector<std::pair<std::string, bool>> kinds;
    for (const CacheRow& row : advice_.rows) {
      const CacheChoice& choice = row.choice;
      const std::pair<std::string, bool> kind = {
          choice.where == CacheChoice::Where::kBeside ? "beside"
          : choice.partition_bytes ? (*choice.partition_bytes > 0 ? "partitions" : "whole")
                                   : "",
          choice.skip_last_level};
      if (choice.pins == CacheChoice::Pins::kAsNow && choice.cache_factor == 1 &&
          std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
        kinds.push_back(kind);
        choices.push_back(choice);
      }
    }
    std::vector<CacheRow> rows;
    std::vector<std::string> titles;
    for (const CacheChoice& choice : choices) {
      const bool is_new = std::find(titles.begin(), titles.end(), choice.Title()) == titles.end();
      if (!is_new || choice.cache_factor != 1 || titles.size() == kMostLines) {
        continue;
      }
      titles.push_back(choice.Title());
      for (const double share : kSweep) {
        CacheRow row;
        row.choice = choice;
        row.capacity = share * static_cast<double>(options_.cache.capacity);
        if (MakeRoom(&row)) {
          rows.push_back(std::move(row));
        }
      }
    }
    Follow("following lookups through caches of other sizes", &rows);
    for (const std::string& title : titles) {
      CacheLine line;
      for (const CacheRow& row : rows) {
        if (row.choice.Title() == title) {
          line.choice = row.choice;
          line.points.push_back(row);
        }
      }
      if (!line.points.empty()) {
        advice_.lines.push_back(std::move(line));
      }
    }
  }

  CacheWordFacts Facts() {
    CacheWordFacts facts;
    for (const TimedFamily& family : families_) {
      facts.families.push_back(&family.family);
    }
    for (const FileForm& form : FormsOf(advice_.Now().choice)) {
      const bool stays = form.filter.beside || form.filter.pin_blocks;
      facts.largest_filter = std::max(facts.largest_filter, stays ? 0 : form.filter.charge);
    }
    for (size_t i = 0; i < pieces_.size(); ++i) {
      const AdvisedFile& file = read_.FileOf(pieces_[i]);
      if (HasPrefixesOnly(i)) {
        facts.prefixes.insert(file.has_prefixes_only ? file.contents : "prefixes");
      }
    }
    facts.lookups_left_out = read_.lookups_left_out;
    facts.found_by_chance = found_by_chance_;
    facts.beside_is_too_large = beside_is_too_large_;
    facts.one_by_one = one_by_one_;
    return facts;
  }

  const CacheAdviceOptions& options_;
  const AdviceProgress& progress_;
  AdviceReading& read_;
  CacheAdvice advice_;
  std::vector<TimedFamily> families_;
  std::vector<AdvicePiece> pieces_;
  TimedLookups lookups_;
  FiltersOfNow now_;
  FormsOfChoices forms_;
  uint64_t found_by_chance_ = 0;  // lookups that were made up and dropped
  bool policies_known_ = true;
  bool beside_is_too_large_ = false;
  std::optional<double> one_by_one_;  // bytes a lookup
};

}  // namespace

CacheAdvice AdviseOnCache(const std::vector<AdviceTable>& tables, const CacheAdviceOptions& options,
                          const AdviceProgress& progress, std::string* problem) {
  CacheAdvice advice;
  advice.cache = options.cache;
  advice.recorded = options.advice.recorded.has_value();
  if (tables.empty()) {
    advice.recommendation = "There are no table files, and so there is nothing to advise on.";
    return advice;
  }
  AdviceReading reading;
  *problem = ReadForAdvice(tables, options.advice, progress, &reading);
  if (problem->empty()) {
    advice = Adviser(options, progress, &reading).Advise();
  }
  for (const AdvisedFile& file : reading.files) {
    if (!file.error.empty()) {
      advice.errors.push_back({file.path, file.error});
    }
  }
  return advice;
}

}  // namespace winnow::inspect
