// Settles what a file's filter is built for, once it is known where in the range of keys it lies.

#ifndef WINNOW_SRC_ROCKSDB_PLACE_OF_FILE_H_
#define WINNOW_SRC_ROCKSDB_PLACE_OF_FILE_H_

#include <rocksdb/slice.h>

#include <cstdint>
#include <memory>

#include "src/rocksdb/context.h"
#include "src/rocksdb/known_ranges.h"
#include "winnow/options.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// Of one file, whose builder it belongs to.
class PlaceOfFile {
 public:
  PlaceOfFile(const PolicyOptions& policy, const BuildFacts& facts, const KnownTree& known,
              std::shared_ptr<KnownRanges> ranges)
      : policy_(policy), facts_(facts), known_(known), ranges_(std::move(ranges)) {}

  // The next key, or prefix of keys, that is added to the filter. Some are looked at. May throw
  // std::bad_alloc.
  void See(const ROCKSDB_NAMESPACE::Slice& key) {
    if (keys_++ % kEvery == 0) Note(key);
  }

  // The options of the filter of the keys seen. Of several filters of one file (its partitions) the
  // first decides for all. Other files hear of this one's keys from here on. May throw
  // std::bad_alloc.
  FilterOptions Settle();

 private:
  static constexpr uint64_t kEvery = 64;

  void Note(const ROCKSDB_NAMESPACE::Slice& key);

  const PolicyOptions policy_;
  const BuildFacts facts_;
  const KnownTree known_;
  const std::shared_ptr<KnownRanges> ranges_;
  uint64_t keys_ = 0;
  KeyRange range_;
  bool is_settled_ = false;
  int next_ = -1;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_PLACE_OF_FILE_H_
