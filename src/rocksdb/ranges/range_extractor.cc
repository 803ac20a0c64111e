#include "src/rocksdb/ranges/range_extractor.h"

#include <rocksdb/table.h>
#include <rocksdb/utilities/options_type.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unordered_map>

#include "src/rocksdb/ranges/transformed_keys.h"

namespace winnow {
namespace plugin {

using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::OptionTypeInfo;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::SliceTransform;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TableFactory;

namespace {

// Returns the eight hexadecimal digits of a 32-bit number, in some order, as characters.
uint64_t HexDigits(uint64_t number) noexcept {
  number = (number | number << 16) & 0x0000ffff0000ffff;
  number = (number | number << 8) & 0x00ff00ff00ff00ff;
  number = (number | number << 4) & 0x0f0f0f0f0f0f0f0f;
  const uint64_t letters = ((number + 0x0606060606060606) >> 4) & 0x0101010101010101;
  return number + 0x3030303030303030 + letters * ('a' - '0' - 10);
}

}  // namespace

RangeExtractor::RangeExtractor() {
  // Without registered options, AsString would return the id.
  static const auto& none = *new std::unordered_map<std::string, OptionTypeInfo>;
  RegisterOptions("WinnowRangeExtractor", this, &none);
}

// Must not be inlined, so that the frames of two calls can be compared.
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
  // RocksDB calls this whenever it makes an iterator of a file. The number of digits is fixed, so
  // that files of equal keys have equal sizes.
  constexpr size_t kBegin = sizeof kName;
  char text[kBegin + 16];
  std::memcpy(text, kName, kBegin - 1);
  text[kBegin - 1] = ':';
  const uint64_t number = DifferentNumber();
  const uint64_t digits[2] = {HexDigits(number >> 32), HexDigits(number & UINT32_MAX)};
  std::memcpy(text + kBegin, digits, sizeof digits);
  return std::string(text, sizeof text);
}

}  // namespace plugin

}  // namespace winnow
