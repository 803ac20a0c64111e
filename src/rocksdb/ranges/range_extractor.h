// The prefix extractor winnow.range, by which filters learn the bounds of a seek.

#ifndef WINNOW_SRC_ROCKSDB_RANGES_RANGE_EXTRACTOR_H_
#define WINNOW_SRC_ROCKSDB_RANGES_RANGE_EXTRACTOR_H_

#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/status.h>
#include <rocksdb/utilities/object_registry.h>

#include <string>
#include <string_view>

#include "third_party/rocksdb_abi/type_information.h"

namespace winnow::plugin {

// Every key is in its domain and has the empty prefix, which stands for a note of the key
// (transformed_keys.h).
//
// RocksDB asks for the upper bound of an iterator with auto_prefix_mode, and without it where the
// extractor is not the one that a file was written with, by their texts. So the text of this one is
// another one each time: files have been written with winnow.range:NUMBER, and it is
// winnow.range:ANOTHER_NUMBER that reads them. Only the text differs: name and id, by which RocksDB
// checks OPTIONS files, are winnow.range, and each of the texts makes this extractor.
//
// Safe from any number of threads.
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

  // DB::Open shows it the options of a family. InvalidArgument for PlainTable, whose files can't be
  // opened with an extractor whose text changes.
  ROCKSDB_NAMESPACE::Status ValidateOptions(
      const ROCKSDB_NAMESPACE::DBOptions& database,
      const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) const override;

 protected:
  // Returns what AsString gives.
  std::string SerializeOptions(const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
                               const std::string& header) const override;
};

// Null is allowed.
inline bool IsRangeExtractor(const ROCKSDB_NAMESPACE::SliceTransform* extractor) {
  return extractor != nullptr && std::string_view(extractor->Name()) == RangeExtractor::kName;
}

// Returns whether an options string or an OPTIONS file names it so: with or without a number.
inline bool IsRangeExtractorText(std::string_view text) {
  constexpr std::string_view kName = RangeExtractor::kName;
  return text.substr(0, kName.size()) == kName &&
         (text.size() == kName.size() || text[kName.size()] == ':');
}

// Makes it known by its name, with or without a number behind it.
void AddRangeExtractor(ROCKSDB_NAMESPACE::ObjectLibrary& library);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_RANGES_RANGE_EXTRACTOR_H_
