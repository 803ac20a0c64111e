// Replay of lookups, in their order, through the filters, indexes and data blocks of files and a
// block cache, for a given form of the filters.

#ifndef WINNOW_SRC_CACHE_TRIAL_CACHE_REPLAY_H_
#define WINNOW_SRC_CACHE_TRIAL_CACHE_REPLAY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "src/cache_trial/file_visits.h"
#include "src/cache_trial/trial_cache.h"

namespace winnow::inspect {

// Lookups of all kinds of keys: each distinct key once, and the order of lookups.
struct TimedLookups {
  struct Ask {
    uint32_t file = 0;   // index in `files`
    uint32_t visit = 0;  // index in the file's visits
  };

  std::vector<VisitedFile> files;
  // Files that a lookup of key i reads until it is found: asks[begin[i]] to asks[begin[i + 1] - 1],
  // in their order.
  std::vector<uint64_t> begin;
  std::vector<Ask> asks;
  std::vector<uint32_t> order;  // keys, in the order of time
  // Indexed like `order`: true if the key belongs to the MultiGet of the one before it. Empty if
  // there is no MultiGet.
  std::vector<bool> joins;

  // Sorts the keys of each MultiGet, as RocksDB does; keys must be numbered in the order of the
  // comparator. Required by Replay().
  void SortMultiGets();
};

// Blocks of a filter or an index.
struct BlockSet {
  uint64_t blocks = 0;      // 0 if there is none
  uint64_t charge = 0;      // charge of each block
  uint64_t top_charge = 0;  // charge of the index over them; 0 if there is none
  bool pin_blocks = false;  // true if pinned from the opening of the file on
  bool pin_top = false;
  // True if the one block, or the index over several blocks, is in memory outside the cache
  // (cache_index_and_filter_blocks=false); the several blocks are in the cache nevertheless.
  bool beside = false;
};

// Metadata of a file under a choice of filters.
struct FileForm {
  BlockSet filter;
  BlockSet index;
  // True if Visit::filter_block and Visit::may_contain apply; else a key's position in the file
  // determines the filter block, and `rate` is the share of absent keys that pass.
  bool has_stored_blocks = false;
  bool has_stored_answers = false;
  double rate = 1;
};

struct ReplayOptions {
  CacheShape cache;
  std::vector<FileForm> forms;  // one per file
  // True if metadata has high priority in the cache.
  bool high_priority = true;
  // Seed that determines which blocks share a shard.
  uint64_t salt = 1;
  // Number of lookups that fill the cache and are not counted.
  size_t warm_up = 0;
};

// Cache misses of the lookups. Bytes are charges, as in RocksDB's tickers
// (rocksdb.block.cache.filter.bytes.insert).
struct ReplayFigures {
  uint64_t runs = 0;     // number of runs that all members sum up
  uint64_t lookups = 0;  // counted lookups
  uint64_t filter_blocks = 0;
  uint64_t filter_bytes = 0;
  uint64_t index_blocks = 0;
  uint64_t index_bytes = 0;
  uint64_t data_blocks = 0;
  uint64_t data_bytes = 0;
  // Lookups for which a filter block was read, also by another lookup of their MultiGet.
  uint64_t read_filters = 0;
  uint64_t false_reads = 0;  // files that were read for an absent key
  uint64_t pinned_bytes = 0;
  bool pins_fit = true;  // false if a strict limit left too little room
  // Blocks that were read and for which a strict limit left no room. RocksDB ignores a filter block
  // then: the key may be there. If it is an index or data block, a real lookup fails; the replay
  // continues.
  uint64_t no_room = 0;
  uint64_t usage = 0;           // cache usage at the end
  uint64_t usage_at_count = 0;  // cache usage when counting began
  uint64_t beside_bytes = 0;    // bytes outside the cache

  ReplayFigures& operator+=(const ReplayFigures& other);

  template <typename Code>
  void Fields(Code& code) {
    code(runs, lookups, filter_blocks, filter_bytes, index_blocks, index_bytes, data_blocks,
         data_bytes, read_filters, false_reads, pinned_bytes, pins_fit, no_room, usage,
         usage_at_count, beside_bytes);
  }
};

// Replays the lookups. `progress` is called at times with the completed share. The cache is empty
// at the beginning, except for pinned blocks.
ReplayFigures Replay(const TimedLookups& lookups, const ReplayOptions& options,
                     const std::function<void(double)>& progress);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_CACHE_TRIAL_CACHE_REPLAY_H_
