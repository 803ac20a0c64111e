// Prefix extractor winnow.range, which passes the bounds of a seek to filters.

#ifndef WINNOW_SRC_ROCKSDB_RANGES_RANGE_EXTRACTOR_H_
#define WINNOW_SRC_ROCKSDB_RANGES_RANGE_EXTRACTOR_H_

#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/status.h>

#include <string>
#include <string_view>

#include "third_party/rocksdb_abi/type_information.h"

namespace winnow::plugin {

// Prefix extractor that has every key in its domain. The prefix is always empty, but its address
// identifies a note of the key (transformed_keys.h).
//
// RocksDB passes the upper bound of an iterator with auto_prefix_mode, and otherwise if the
// extractor is not the one that a file was written with, compared by their text. So the text of
// this extractor is different each time: files are written with winnow.range:NUMBER and read with
// winnow.range:ANOTHER_NUMBER. Only the text differs: the name and the id, which RocksDB checks in
// OPTIONS files, are winnow.range, and each such text makes this extractor.
//
// Thread-safe.
class RangeExtractor final : public ROCKSDB_NAMESPACE::SliceTransform {
 public:
  RangeExtractor();

  static constexpr char kName[] = "winnow.range";
  const char* Name() const override { return kName; }

  ROCKSDB_NAMESPACE::Slice Transform(const ROCKSDB_NAMESPACE::Slice& key) const override;
  bool InDomain(const ROCKSDB_NAMESPACE::Slice& /*key*/) const override { return true; }
  bool SameResultWhenAppended(const ROCKSDB_NAMESPACE::Slice& /*prefix*/) const override {
    return true;
  }

  // Called by DB::Open with the options of a family. Returns InvalidArgument for PlainTable, whose
  // files can't be opened with an extractor whose text changes.
  ROCKSDB_NAMESPACE::Status ValidateOptions(
      const ROCKSDB_NAMESPACE::DBOptions& database,
      const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) const override;

 protected:
  // Returns the text for AsString, with a new number each time.
  std::string SerializeOptions(const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
                               const std::string& header) const override;
};

// Returns whether this is a RangeExtractor, which may be null.
inline bool IsRangeExtractor(const ROCKSDB_NAMESPACE::SliceTransform* extractor) {
  return extractor != nullptr && std::string_view(extractor->Name()) == RangeExtractor::kName;
}

// Returns whether text from an options string or an OPTIONS file names the extractor, with or
// without a number.
inline bool IsRangeExtractorText(std::string_view text) {
  constexpr std::string_view kName = RangeExtractor::kName;
  return text.substr(0, kName.size()) == kName &&
         (text.size() == kName.size() || text[kName.size()] == ':');
}

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_RANGES_RANGE_EXTRACTOR_H_
