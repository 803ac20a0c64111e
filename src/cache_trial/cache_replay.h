// Lookups followed in their order through the filters, indexes and data blocks of files and a block
// cache, with one form of the filters or another.

#ifndef WINNOW_SRC_CACHE_TRIAL_CACHE_REPLAY_H_
#define WINNOW_SRC_CACHE_TRIAL_CACHE_REPLAY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "src/cache_trial/file_visits.h"
#include "src/cache_trial/trial_cache.h"

namespace winnow::inspect {

// Lookups of all kinds of keys: each key once, and which of them are asked for when.
struct TimedLookups {
  struct Ask {
    uint32_t file = 0;   // in `files`
    uint32_t visit = 0;  // of this file
  };

  std::vector<VisitedFile> files;
  // Asks of key i until it is found: asks[begin[i]] to asks[begin[i + 1] - 1], in their order.
  std::vector<uint64_t> begin;
  std::vector<Ask> asks;
  std::vector<uint32_t> order;  // keys, in the order of time
  // By place in `order`: it is asked for by the same MultiGet as the one before it. Empty: none is.
  std::vector<bool> joins;

  // Sorts the keys of each MultiGet, as RocksDB does, where keys have their numbers in the order of
  // the comparator. Replay() needs it.
  void SortMultiGets();
};

// The blocks that a filter or an index is made of.
struct BlockSet {
  uint64_t blocks = 0;      // 0: there is none
  uint64_t charge = 0;      // of each
  uint64_t top_charge = 0;  // of the index over them; 0: there is none
  bool pin_blocks = false;  // they stay in the cache from the opening of the file on
  bool pin_top = false;
  // In memory of their own: the one block, or the index over several, which are in the cache all
  // the same (cache_index_and_filter_blocks=false).
  bool beside = false;
};

// A file under a choice.
struct FileForm {
  BlockSet filter;
  BlockSet index;
  // True if Visit::filter_block and Visit::may_contain hold; else a key's place in the file says
  // which block it is, and `rate` which share of absent keys it lets through.
  bool has_stored_blocks = false;
  bool has_stored_answers = false;
  double rate = 1;
};

struct ReplayOptions {
  CacheShape cache;
  std::vector<FileForm> forms;  // of each file
  // True if metadata goes into the cache with high priority.
  bool high_priority = true;
  // Which blocks share a shard.
  uint64_t salt = 1;
  // So many lookups fill the cache and are not counted.
  size_t warm_up = 0;
};

// Cache misses of the lookups. Bytes as RocksDB's tickers have them
// (rocksdb.block.cache.filter.bytes.insert): charges.
struct ReplayFigures {
  uint64_t runs = 0;     // that these are the sums of; the usages and pinned and beside bytes too
  uint64_t lookups = 0;  // that were counted
  uint64_t filter_blocks = 0;
  uint64_t filter_bytes = 0;
  uint64_t index_blocks = 0;
  uint64_t index_bytes = 0;
  uint64_t data_blocks = 0;
  uint64_t data_bytes = 0;
  // Lookups that had to read some block of a filter, or that another one of their MultiGet read for
  // them.
  uint64_t read_filters = 0;
  uint64_t false_reads = 0;  // files that were read for an absent key
  uint64_t pinned_bytes = 0;
  bool pins_fit = true;  // false: the strict limit left no room for all that is to be pinned
  // Blocks that were read and for which a strict limit left no room. RocksDB does without such a
  // block of a filter: the key may be there. Without one of an index or of data the lookup fails;
  // it goes on here.
  uint64_t no_room = 0;
  uint64_t usage = 0;           // of the cache at the end
  uint64_t usage_at_count = 0;  // when counting began
  uint64_t beside_bytes = 0;    // of what lies beside the cache

  ReplayFigures& operator+=(const ReplayFigures& other);

  template <typename Code>
  void Fields(Code& code) {
    code(runs, lookups, filter_blocks, filter_bytes, index_blocks, index_bytes, data_blocks,
         data_bytes, read_filters, false_reads, pinned_bytes, pins_fit, no_room, usage,
         usage_at_count, beside_bytes);
  }
};

// `progress` is told the share that is done now and then. The cache is empty at the beginning, but
// for what is pinned.
ReplayFigures Replay(const TimedLookups& lookups, const ReplayOptions& options,
                     const std::function<void(double)>& progress);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_CACHE_TRIAL_CACHE_REPLAY_H_
