// Blocks of one SST file that lookups read, determined once per key by RocksDB's own reader.

#ifndef WINNOW_SRC_CACHE_TRIAL_FILE_VISITS_H_
#define WINNOW_SRC_CACHE_TRIAL_FILE_VISITS_H_

#include <rocksdb/comparator.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace winnow::inspect {

// Blocks and answers for a lookup of one key in one file.
struct Visit {
  float place = 0;            // position of its data block in the file, 0 to 1
  uint32_t data_block = 0;    // numbered from 0 among visited blocks
  uint32_t filter_block = 0;  // partition of the stored filter; 0 if not partitioned
  bool may_contain = true;    // answer of this filter; true without one
  bool two_blocks = false;    // true if the key lies between two data blocks, which are both read
  bool found = false;         // true if the file has the key
  bool ends = false;          // true if found and not a merge, which ends the lookup

  template <typename Code>
  void Fields(Code& code) {
    code(place, data_block, filter_block, may_contain, two_blocks, found, ends);
  }
};

// One file and its metadata, as stored.
struct VisitedFile {
  std::string error;  // reason why it can't be read, as a sentence, or empty
  std::vector<Visit> visits;

  uint64_t data_charge = 0;   // mean charge of a data block in the block cache
  uint64_t data_blocks = 0;   // number of data blocks of the file
  uint64_t index_bytes = 0;   // uncompressed bytes of the whole index
  uint64_t index_parts = 0;   // index partitions; 0 if not partitioned
  uint64_t index_top = 0;     // bytes of the index over partitions
  uint64_t filter_parts = 0;  // filter blocks: 1 if not partitioned, 0 without a filter
  bool partitioned = false;   // true if the filter is partitioned
  uint64_t filter_bytes = 0;  // bytes of all filter blocks
  uint64_t filter_top = 0;    // bytes of the index over filter partitions
  uint64_t file_bytes = 0;    // approximate bytes on disk

  template <typename Code>
  void Fields(Code& code) {
    code(error, visits, data_charge, data_blocks, index_bytes, index_parts, index_top, filter_parts,
         partitioned, filter_bytes, filter_top, file_bytes);
  }
};

// Visits the file for each of the `n` keys, which must be in its range, in the order of its
// comparator, and without timestamps. Reads each data block once. `progress` is called at times
// with the completed share.
VisitedFile VisitFile(const std::string& path, const std::string* keys, size_t n,
                      const std::function<void(double)>& progress);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_CACHE_TRIAL_FILE_VISITS_H_
