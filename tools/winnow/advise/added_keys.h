// The keys and prefixes that RocksDB adds to the filter of a file, entry by entry.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADDED_KEYS_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADDED_KEYS_H_

#include <rocksdb/slice.h>
#include <rocksdb/slice_transform.h>

#include <string>
#include <string_view>

#include "src/sst/filter_contents.h"

namespace winnow::inspect {

// Generates each entry's key and prefix, without those of the previous entry.
class AddedKeys {
 public:
  explicit AddedKeys(const FilterContents& contents) : contents_(contents) {}

  // Calls add(std::string_view) for each key and prefix that the next entry adds.
  template <typename Add>
  void Take(std::string_view key, const Add& add) {
    if (any_ && key == last_key_) return;
    if (contents_.whole_keys) add(key);
    const ROCKSDB_NAMESPACE::Slice slice(key.data(), key.size());
    if (contents_.prefixes != nullptr && contents_.prefixes->InDomain(slice)) {
      const ROCKSDB_NAMESPACE::Slice prefix = contents_.prefixes->Transform(slice);
      if (!any_prefix_ || last_prefix_ != prefix.ToStringView()) {
        add(prefix.ToStringView());
        last_prefix_.assign(prefix.data(), prefix.size());
        any_prefix_ = true;
      }
    }
    last_key_.assign(key);
    any_ = true;
  }

  // Must be called before the first key of a partition.
  void Forget() { any_ = any_prefix_ = false; }

 private:
  const FilterContents& contents_;
  bool any_ = false;
  bool any_prefix_ = false;
  std::string last_key_;
  std::string last_prefix_;
};

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADDED_KEYS_H_
