// Contents of an SST file's filter: whole keys, their prefixes, or both.

#ifndef WINNOW_SRC_SST_FILTER_CONTENTS_H_
#define WINNOW_SRC_SST_FILTER_CONTENTS_H_

#include <rocksdb/slice_transform.h>
#include <rocksdb/table_properties.h>

#include <memory>
#include <string>

namespace winnow::inspect {

struct FilterContents {
  bool whole_keys = true;
  // Null if there are no prefixes.
  std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> prefixes;

  // Name of a prefix extractor that this program does not have; `prefixes` is then null, although
  // the filter has prefixes. Else empty.
  std::string unknown_extractor;
};

// Returns the prefix extractor with this name or options string, or null if this program does not
// have it.
std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> ExtractorOf(const std::string& text);

// Returns the contents by the file's properties, which RocksDB uses, too.
FilterContents ContentsOf(const ROCKSDB_NAMESPACE::TableProperties& properties);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_FILTER_CONTENTS_H_
