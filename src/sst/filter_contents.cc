#include "src/sst/filter_contents.h"

#include <rocksdb/convenience.h>

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::SliceTransform;
using ROCKSDB_NAMESPACE::TableProperties;

// Returns false if the property is "0"; a missing property, as in files of old versions, counts as
// true.
bool Says(const TableProperties& properties, const std::string& name) {
  const auto found = properties.user_collected_properties.find(name);
  return found == properties.user_collected_properties.end() || found->second != "0";
}

}  // namespace

std::shared_ptr<const SliceTransform> ExtractorOf(const std::string& text) {
  ROCKSDB_NAMESPACE::ConfigOptions config;
  config.ignore_unsupported_options = false;
  std::shared_ptr<const SliceTransform> extractor;
  return SliceTransform::CreateFromString(config, text, &extractor).ok() ? extractor : nullptr;
}

FilterContents ContentsOf(const TableProperties& properties) {
  FilterContents contents;
  contents.whole_keys = Says(properties, "rocksdb.block.based.table.whole.key.filtering");
  const std::string& extractor = properties.prefix_extractor_name;
  const bool has_prefixes = !extractor.empty() && extractor != "nullptr" &&
                            Says(properties, "rocksdb.block.based.table.prefix.filtering");
  if (has_prefixes) {
    contents.prefixes = ExtractorOf(extractor);
    contents.unknown_extractor = contents.prefixes ? std::string() : extractor;
  }
  return contents;
}

}  // namespace winnow::inspect
