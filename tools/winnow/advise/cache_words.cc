#include "tools/winnow/advise/cache_words.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string>

#include "src/cache_trial/trial_cache.h"
#include "src/text/numbers.h"

namespace winnow::inspect {
namespace {

void SayStrict(const CacheAdvice& advice, std::vector<std::string>* says) {
  std::string pins;
  std::string rooms;
  for (const CacheRow& row : advice.rows) {
    std::string& rows = row.figures.pins_fit ? rooms : pins;
    if (!row.figures.pins_fit || row.figures.no_room > 0) {
      absl::StrAppend(&rows, rows.empty() ? "" : "; ", row.choice.Title());
    }
  }
  says->emplace_back(
      "The cache has a strict limit: where it is full of what is in use, RocksDB does without a "
      "filter, and lookups that find no room for an index or for data fail. One lookup at a time "
      "is followed here: several at once need more room.");
  if (!pins.empty()) {
    says->push_back(absl::StrCat(
        "The cache has no room for all that is to be pinned, and a strict limit: opening files "
        "fails, or their filters go unused. Not recommended: ",
        pins, "."));
  }
  if (!rooms.empty()) {
    says->push_back(
        absl::StrCat("Blocks are larger than the strict limit has room for: filters go unused "
                     "(they count as if each key may be there), or lookups fail. Not recommended: ",
                     rooms, "."));
  }
}

void SayPrefixes(const std::set<std::string>& prefixes, std::vector<std::string>* says) {
  for (const std::string& contents : prefixes) {
    says->push_back(absl::StrCat(
        "Filters have ", contents,
        " and no whole keys: near misses differ within the prefix, and where that is there all "
        "the same, no filter helps; rows with filters of another policy leave this out, and are "
        "not recommended."));
  }
}

void SayMultiGets(const CacheWordFacts& facts, const CacheAdvice& advice,
                  std::vector<std::string>* says) {
  if (advice.joined > 0) {
    says->emplace_back(
        "The keys of a MultiGet are followed as RocksDB reads them: sorted, up to 32 at once, each "
        "block taken from the cache once for a file.");
  }
  if (facts.one_by_one) {
    says->push_back(absl::StrCat(
        "RocksDB before 9.0 reads the keys of a MultiGet that takes vectors one by one, and a "
        "trace does not tell which MultiGet it was. If all were of that kind, lookups read ",
        ByteSize(*facts.one_by_one),
        " each now; a list of the keys, one a line, in the place of the trace has all rows so."));
  }
}

void SayPlacements(const CacheRow& now, std::vector<std::string>* says) {
  if (now.placements.size() < 2) {
    return;
  }
  says->push_back(absl::StrCat(
      "The cache is in several shards, and into which of them the filter of a file falls is "
      "chance: ",
      now.placements.size(),
      " such placements were followed. A range is from the least to the most of these, a single "
      "figure their average. Of lookups now ",
      ReadFiltersText(now), " read a filter, by which shard a file falls into."));
}

void SayAssumptions(const CacheAdviceOptions& options, const FiltersOfNow& shape,
                    const CacheWordFacts& facts, CacheAdvice* advice) {
  const CacheRow& now = advice->Now();
  std::vector<std::string>& says = advice->assumptions;
  says.push_back(absl::StrCat(
      !advice->recorded
          ? absl::StrCat(
                "The lookups are made up: ",
                options.advice.absent_share >= 1
                    ? "of keys that are not there (--absent_share says another share), near "
                      "misses of those that are"
                    : absl::StrCat(PartOfAll(shape.absent_share),
                                   " of them of keys that are not there (--absent_share), the "
                                   "others of keys that are"),
                ", each as likely as any other, in an order of chance, and hardly one twice; "
                "real ones that ask some keys more often read less",
                facts.found_by_chance > 0
                    ? absl::StrCat(". ", Number(facts.found_by_chance, "drawn lookup"),
                                   " had a key that is there by chance, and did not count")
                    : "",
                facts.lookups_left_out > 0
                    ? absl::StrCat(". ", Number(facts.lookups_left_out, "lookup"),
                                   " of those that were drawn were left out, evenly, since they "
                                   "would ask too many files")
                    : "")
      : options.advice.recorded_in_time
          ? "The lookups are recorded ones, in the order of the list"
          : "The list of lookups is sorted: a cache goes by the order in which they come, and "
            "what they read in another one is not told",
      ". The first half of them fills the cache, which is empty at first; the figures are those "
      "of the other half, ",
      now.figures.lookups / std::max<uint64_t>(now.figures.runs, 1), " lookups."));
  SayMultiGets(facts, *advice, &says);
  SayPlacements(now, &says);
  for (const AdvisedFamily* family : facts.families) {
    if (!family->shape_problem.empty()) {
      says.push_back(
          absl::StrCat("RocksDB's defaults are taken for the options of the family ", family->name,
                       ", also for what goes into the cache: ", family->shape_problem, "."));
    }
  }
  const bool no_cache =
      std::any_of(facts.families.begin(), facts.families.end(),
                  [](const AdvisedFamily* family) { return family->shape.caching.no_block_cache; });
  if (no_cache) {
    says.emplace_back(
        "The OPTIONS file has no_block_cache: the database reads without a cache, and \"now\" is "
        "what it would read with the one that is looked at here. Options to paste have "
        "no_block_cache=false.");
  }
  if (!HasCacheOf(options.cache)) {
    says.emplace_back(
        "The RocksDB of this program has no HyperClockCache of such settings: an LRUCache stands "
        "for it.");
  }
  if (!options.cache_says.empty()) {
    says.push_back(options.cache_says);
  }
  const double full = 0.9 * now.capacity;
  if (facts.largest_filter > ShardBytes(options.cache)) {
    says.push_back(absl::StrCat(
        "Filters are of up to ", ByteSize(static_cast<double>(facts.largest_filter)),
        ", and a shard of the cache has ", ByteSize(static_cast<double>(ShardBytes(options.cache))),
        ": such a filter never stays, and is read anew for each lookup that asks it."));
  } else if (static_cast<double>(now.figures.usage_at_count) < full &&
             now.figures.filter_bytes + now.figures.data_bytes > 0) {
    says.push_back(absl::StrCat(
        "The cache held ", ByteSize(static_cast<double>(now.figures.usage_at_count)),
        " when counting began: so few lookups did not fill it, and some of what is read is read "
        "for the first time. A longer list tells more."));
  }
  for (const CacheRow& row : advice->rows) {
    if (static_cast<double>(row.figures.pinned_bytes) > row.capacity) {
      says.push_back(absl::StrCat(
          "What is pinned takes ", ByteSize(static_cast<double>(row.figures.pinned_bytes)),
          ", more than the cache of ", ByteSize(row.capacity), " has (", row.choice.Title(),
          "): RocksDB lets the cache grow for it, unless its limit is strict."));
    }
  }
  if (options.cache.strict) {
    SayStrict(*advice, &says);
  }
  if (advice->cache.capacity > 0 && shape.fewer_shard_bits &&
      (options.is_shared || facts.families.size() > 1)) {
    says.emplace_back(
        "Column families share the cache: one in fewer shards is to be made in code, one for all "
        "of them. By options each family would get a cache of its own.");
  }
  SayPrefixes(facts.prefixes, &says);
  if (facts.beside_is_too_large) {
    says.emplace_back(
        "Filters and indexes beside the cache (cache_index_and_filter_blocks=false) would take "
        "all of its memory, and more: that is no choice here.");
  }
  const bool some_read_in_vain =
      std::any_of(advice->rows.begin(), advice->rows.end(), [&now](const CacheRow& row) {
        return !row.TakesMoreThan(now) && row.ReadsMoreInVainThan(now) &&
               row.BytesALookup() < now.BytesALookup();
      });
  if (some_read_in_vain) {
    says.emplace_back(
        "Choices by which more than one lookup in ten reads a further file in vain are not "
        "recommended: lookups of more absent keys would read much more.");
  }
  says.emplace_back(
      "Bytes are charges of the cache, as RocksDB's tickers count them "
      "(rocksdb.block.cache.filter.bytes.insert): blocks as they are in memory, uncompressed. "
      "Sizes and rates of filters that are not there are those of what the policy builds for so "
      "many keys.");
  if (ReadsPartitionsMoreOften()) {
    says.emplace_back(
        "With RocksDB 9.10 and small caches partitions were read up to twice as often as is told "
        "here; whole filters were not.");
  }
  says.emplace_back(
      "Left out: iterators, writes, flushes and compactions, what is read ahead, the row cache, a "
      "secondary cache, the operating system's cache, dictionaries of compression, the opening of "
      "files (max_open_files), and whatever else shares the cache.");
  says.push_back(absl::StrCat(
      "Databases that share a cache are to be named together, as in winnow advise DB1 DB2 "
      "--cache=SIZE: what one of them reads pushes out what the others have there.",
      advice->recorded ? " Recorded lookups are of one column family: leave them away for that."
                       : ""));
}

// What it costs where it is more than twice what it was.
std::string ReadInVain(const CacheRow& best, const CacheRow& now) {
  const double reads = best.ALookup(best.figures.false_reads);
  const double before = now.ALookup(now.figures.false_reads);
  if (reads <= 2 * before) return {};
  return absl::StrCat(" But lookups would read ", Figure(reads),
                      " files each in vain (false reads), and now read ", Figure(before), ".");
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
        ReadInVain(best, now));
  }
  SayAssumptions(options, shape, facts, advice);
}

}  // namespace winnow::inspect
