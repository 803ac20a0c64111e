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
  std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> prefixes;  // null: no prefixes

  // The name of a prefix extractor that this program does not have; then prefixes is null although
  // the filter has some. Else empty.
  std::string unknown_extractor;
};

// Returns the prefix extractor of this name or options string; null: this program does not have it.
std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> ExtractorOf(const std::string& text);

// As the properties say, which RocksDB goes by as well.
FilterContents ContentsOf(const ROCKSDB_NAMESPACE::TableProperties& properties);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_FILTER_CONTENTS_H_
