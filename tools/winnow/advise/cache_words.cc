#include "tools/winnow/advise/cache_words.h"

#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/cache_trial/trial_cache.h"
#include "src/text/numbers.h"
#include "tools/winnow/advise/advice_words.h"

namespace winnow::inspect {
namespace {

class Assumptions {
 public:
  Assumptions(const CacheAdviceOptions& options, const FiltersOfNow& shape,
              const CacheWordFacts& facts, CacheAdvice* advice)
      : options_(options), shape_(shape), facts_(facts), advice_(*advice), now_(advice->Now()) {}

  void SayAll() {
    SayLookups();
    SayOptions();
    SayRoom();
    SayStrict();
    SayChoices();
    SayFigures();
  }

 private:
  void Say(bool holds, const std::string& sentence) {
    if (holds) advice_.assumptions.push_back(sentence);
  }

  std::string WhichLookups() const {
    if (advice_.recorded) {
      return options_.advice.recorded_in_time
                 ? "The lookups are recorded ones, in the order of the list"
                 : "The list of lookups is sorted: a cache goes by the order in which they come, "
                   "and what they read in another one is not told";
    }
    return absl::StrCat(
        "The lookups are made up: ",
        options_.advice.absent_share >= 1
            ? "of keys that are not there (--absent_share says another share), near misses of "
              "those that are"
            : absl::StrCat(PartOfAll(shape_.absent_share),
                           " of them of keys that are not there (--absent_share), the others of "
                           "keys that are"),
        ", each as likely as any other, in an order of chance, and hardly one twice; real ones "
        "that ask some keys more often read less",
        facts_.found_by_chance > 0
            ? absl::StrCat(". ", Number(facts_.found_by_chance, "drawn lookup"),
                           " had a key that is there by chance, and did not count")
            : "",
        facts_.lookups_left_out > 0
            ? absl::StrCat(". ", Number(facts_.lookups_left_out, "lookup"),
                           " of those that were drawn were left out, evenly, since they would ask "
                           "too many files")
            : "");
  }

  void SayLookups() {
    Say(true,
        absl::StrCat(WhichLookups(),
                     ". The first half of them fills the cache, which is empty at first; the "
                     "figures are those of the other half, ",
                     now_.figures.lookups / std::max<uint64_t>(now_.figures.runs, 1), " lookups."));
    Say(advice_.joined > 0,
        "The keys of a MultiGet are followed as RocksDB reads them: sorted, up to 32 at once, each "
        "block taken from the cache once for a file.");
    Say(options_.advice.recorded_may_be_read_one_by_one,
        "RocksDB before 9.0 reads the keys of a MultiGet that takes vectors one by one, and a "
        "trace "
        "does not tell which MultiGet it was. If the program calls that one, a list of the keys, "
        "one a line, in the place of the trace has all rows so.");
    Say(now_.placements.size() > 1,
        absl::StrCat(
            "The cache is in several shards, and into which of them the filter of a file falls is "
            "chance: ",
            now_.placements.size(),
            " such placements were followed. A range is from the least to the most of these, a "
            "single figure their average. Of lookups now ",
            ReadFiltersText(now_), " read a filter, by which shard a file falls into."));
  }

  void SayOptions() {
    bool no_cache = false;
    for (const AdvisedFamily* family : facts_.families) {
      no_cache = no_cache || family->shape.caching.no_block_cache;
      Say(!family->shape_problem.empty(),
          absl::StrCat("RocksDB's defaults are taken for the options of the family ", family->name,
                       ", also for what goes into the cache: ", family->shape_problem, "."));
    }
    Say(no_cache,
        "The OPTIONS file has no_block_cache: the database reads without a cache, and \"now\" is "
        "what it would read with the one that is looked at here. Options to paste have "
        "no_block_cache=false.");
    Say(facts_.range_bytes > 0,
        absl::StrCat("Filters as they are have range filters in them, ", facts_.range_bytes,
                     " bytes in all; filters that are built anew are counted without."));
    Say(!HasCacheOf(options_.cache),
        "The RocksDB of this program has no HyperClockCache of such settings: an LRUCache stands "
        "for it.");
    Say(!options_.cache_says.empty(), options_.cache_says);
  }

  void SayRoom() {
    const auto shard = static_cast<double>(ShardBytes(options_.cache));
    const auto largest = static_cast<double>(facts_.largest_filter);
    const auto held = static_cast<double>(now_.figures.usage_at_count);
    Say(largest > shard,
        absl::StrCat("Filters are of up to ", ByteSize(largest), ", and a shard of the cache has ",
                     ByteSize(shard),
                     ": such a filter never stays, and is read anew for each lookup that asks "
                     "it."));
    Say(largest <= shard && held < 0.9 * now_.capacity &&
            now_.figures.filter_bytes + now_.figures.data_bytes > 0,
        absl::StrCat("The cache held ", ByteSize(held),
                     " when counting began: so few lookups did not fill it, and some of what is "
                     "read is read for the first time. A longer list tells more."));
    for (const CacheRow& row : advice_.rows) {
      const auto pinned = static_cast<double>(row.figures.pinned_bytes);
      Say(pinned > row.capacity,
          absl::StrCat("What is pinned takes ", ByteSize(pinned), ", more than the cache of ",
                       ByteSize(row.capacity), " has (", row.choice.Title(),
                       "): RocksDB lets the cache grow for it, unless its limit is strict."));
    }
  }

  void SayStrict() {
    if (!options_.cache.strict) return;
    std::vector<std::string> refused;
    for (const CacheRow& row : advice_.rows) {
      if (!row.figures.pins_fit || row.figures.no_room > 0) refused.push_back(row.choice.Title());
    }
    Say(true,
        absl::StrCat(
            "The cache has a strict limit. Where it has no room, RocksDB does without a filter, "
            "which counts as if each key may be there; lookups that need an index or data fail, "
            "and so does the opening of files whose blocks are to be pinned. One lookup at a time "
            "is followed here: several at once need more room.",
            refused.empty() ? "" : " Not recommended: ", absl::StrJoin(refused, "; "),
            refused.empty() ? "" : "."));
  }

  void SayChoices() {
    Say(advice_.cache.capacity > 0 && shape_.fewer_shards &&
            (options_.is_shared || facts_.families.size() > 1),
        "Column families share the cache: one in fewer shards is to be made in code, one for all "
        "of them. By options each family would get a cache of its own.");
    for (const std::string& contents : facts_.prefixes) {
      Say(true, absl::StrCat("Filters have ", contents,
                             " and no whole keys: near misses differ within the prefix, and where "
                             "that is there all the same, no filter helps; rows with filters of "
                             "another policy leave this out, and are not recommended."));
    }
    Say(facts_.beside_is_too_large,
        "Filters and indexes beside the cache (cache_index_and_filter_blocks=false) would take "
        "all of its memory, and more: that is no choice here.");
    Say(absl::c_any_of(advice_.rows,
                       [this](const CacheRow& row) {
                         return !row.TakesMoreThan(now_) && row.ReadsMoreInVainThan(now_) &&
                                row.BytesALookup() < now_.BytesALookup();
                       }),
        "Choices by which more than one lookup in ten makes a further false read are not "
        "recommended: lookups of more absent keys would read much more.");
  }

  void SayFigures() {
    Say(true,
        "Bytes are charges of the cache, as RocksDB's tickers count them "
        "(rocksdb.block.cache.filter.bytes.insert): blocks as they are in memory, uncompressed. "
        "Sizes and rates of filters that are not there are those of what the policy builds for so "
        "many keys.");
    Say(ReadsPartitionsMoreOften(),
        "With RocksDB 9.10 and small caches partitions were read up to twice as often as is told "
        "here; whole filters were not.");
    Say(true,
        "Left out: iterators, writes, flushes and compactions, what is read ahead, the row cache, "
        "a secondary cache, the operating system's cache, dictionaries of compression, the opening "
        "of files (max_open_files), and whatever else shares the cache.");
    Say(true,
        absl::StrCat(
            "Databases that share a cache are to be named together, as in winnow advise DB1 DB2 "
            "--cache=SIZE: what one of them reads pushes out what the others have there.",
            advice_.recorded
                ? " Recorded lookups are of one column family: leave them out for that."
                : ""));
  }

  const CacheAdviceOptions& options_;
  const FiltersOfNow& shape_;
  const CacheWordFacts& facts_;
  CacheAdvice& advice_;
  const CacheRow& now_;
};

// Returns a remark if the best choice makes over twice as many false reads as now.
std::string ReadInVain(const CacheRow& best, const CacheRow& now) {
  const double reads = best.ALookup(best.figures.false_reads);
  const double before = now.ALookup(now.figures.false_reads);
  if (reads <= 2 * before) return {};
  return absl::StrCat(" But lookups would make ", Figure(reads), " false reads each, and now make ",
                      Figure(before), ".");
}

}  // namespace

void SayCacheAdvice(const CacheAdviceOptions& options, const FiltersOfNow& shape,
                    const CacheWordFacts& facts, const CacheRow& best, CacheAdvice* advice) {
  const CacheRow& now = advice->Now();
  if (now.figures.lookups == 0) {
    advice->recommendation = "There are no lookups to follow.";
  } else if (&best == &now) {
    advice->recommendation = absl::StrCat(
        "In this memory nothing reads less than what there is: ", BytesText(now), " a lookup.");
  } else {
    advice->options = best.choice.Options();
    advice->recommendation = absl::StrCat(
        "Lookups read ", BytesText(now), " into the cache now, ", FilterBytesText(now),
        " of them of filters. With ", best.choice.Title(), " they would read ", BytesText(best),
        ", ", FilterBytesText(best), " of them of filters, in a cache of ", ByteSize(best.capacity),
        ". ",
        best.choice.Rewrites()
            ? "Files must be written anew for it, as a compaction does; it begins with new ones."
            : "Files stay as they are; the database is to be opened anew.",
        ReadInVain(best, now), ListenerText({advice->options}));
  }
  Assumptions(options, shape, facts, advice).SayAll();
}

}  // namespace winnow::inspect
