#include "src/rocksdb/ranges/range_extractor.h"

#include <rocksdb/table.h>
#include <rocksdb/utilities/options_type.h>

#include <charconv>
#include <cstddef>
#include <memory>
#include <unordered_map>

#include "src/rocksdb/ranges/transformed_keys.h"
#include "winnow/rocksdb_policy.h"

namespace winnow {
namespace plugin {

using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::ObjectLibrary;
using ROCKSDB_NAMESPACE::OptionTypeInfo;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::SliceTransform;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TableFactory;

RangeExtractor::RangeExtractor() {
  // Without options AsString would give the id.
  static const auto& none = *new std::unordered_map<std::string, OptionTypeInfo>;
  RegisterOptions("WinnowRangeExtractor", this, &none);
}

// Not inlined, so that the frames of two calls can be compared.
__attribute__((noinline)) Slice RangeExtractor::Transform(const Slice& key) const {
  return Slice(NoteTransformedKey(key, __builtin_frame_address(0)), 0);
}

Status RangeExtractor::ValidateOptions(const DBOptions& database,
                                       const ColumnFamilyOptions& family) const {
  if (family.table_factory != nullptr &&
      family.table_factory->IsInstanceOf(TableFactory::kPlainTableName())) {
    return Status::InvalidArgument(
        "prefix_extractor=winnow.range needs block-based tables: a PlainTable that was written "
        "with "
        "it can't be opened",
        "take another prefix_extractor for this column family");
  }
  return SliceTransform::ValidateOptions(database, family);
}

std::string RangeExtractor::SerializeOptions(const ConfigOptions& /*config_options*/,
                                             const std::string& /*header*/) const {
  std::string text(kName);
  text += ':';
  char digits[16];
  const std::to_chars_result end =
      std::to_chars(digits, digits + sizeof digits, DifferentNumber(), 16);
  // Always as many of them: files of the same keys then have the same size.
  text.append(sizeof digits - static_cast<size_t>(end.ptr - digits), '0');
  return text.append(digits, end.ptr);
}

void AddRangeExtractor(ObjectLibrary& library) {
  ObjectLibrary::PatternEntry names(RangeExtractor::kName, true);
  names.AddSeparator(":", false);
  library.AddFactory<const SliceTransform>(
      names, [](const std::string& /*id*/, std::unique_ptr<const SliceTransform>* guard,
                std::string* /*message*/) {
        *guard = std::make_unique<RangeExtractor>();
        return guard->get();
      });
}

}  // namespace plugin

std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> NewRangeExtractor() {
  return std::make_shared<plugin::RangeExtractor>();
}

}  // namespace winnow
