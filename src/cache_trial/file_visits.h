// Which blocks of one SST file lookups ask for: worked out once for each key, by RocksDB's own
// reader.

#ifndef WINNOW_SRC_CACHE_TRIAL_FILE_VISITS_H_
#define WINNOW_SRC_CACHE_TRIAL_FILE_VISITS_H_

#include <rocksdb/comparator.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace winnow::inspect {

// Blocks and answer that a lookup of one key meets in one file.
struct Visit {
  float place = 0;            // of its data block in the file, 0 to 1
  uint32_t data_block = 0;    // counted among those that are visited, from 0 on
  uint32_t filter_block = 0;  // of the filter that is stored: the partition; 0 where it is whole
  bool may_contain = true;    // as that filter answers; true without one
  bool two_blocks = false;    // the key lies between two data blocks: both are read
  bool found = false;         // there is such a key
  bool ends = false;          // and the lookup ends with it: it is no merge

  template <typename Code>
  void Fields(Code& code) {
    code(place, data_block, filter_block, may_contain, two_blocks, found, ends);
  }
};

// One file and its metadata, as it is.
struct VisitedFile {
  std::string error;  // why it can't be read, as a sentence; empty: it can
  std::vector<Visit> visits;

  uint64_t data_charge = 0;   // of a data block in the block cache, on an average
  uint64_t data_blocks = 0;   // of the file
  uint64_t index_bytes = 0;   // of the index, uncompressed, all of it
  uint64_t index_parts = 0;   // its partitions; 0: it is whole
  uint64_t index_top = 0;     // bytes of the index over these
  uint64_t filter_parts = 0;  // blocks of the filter: 1 of a whole one, 0 without
  bool partitioned = false;   // the filter
  uint64_t filter_bytes = 0;  // of all its blocks
  uint64_t filter_top = 0;    // bytes of the index over partitions
  uint64_t file_bytes = 0;    // on disk, about

  template <typename Code>
  void Fields(Code& code) {
    code(error, visits, data_charge, data_blocks, index_bytes, index_parts, index_top, filter_parts,
         partitioned, filter_bytes, filter_top, file_bytes);
  }
};

// Visits the file for each of the `n` keys, which lie within its range, in the order of its
// comparator, and are without timestamps. Reads each data block once. `progress` is told the share
// that is done now and then.
VisitedFile VisitFile(const std::string& path, const std::string* keys, size_t n,
                      const std::function<void(double)>& progress);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_CACHE_TRIAL_FILE_VISITS_H_
