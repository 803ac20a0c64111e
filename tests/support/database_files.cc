#include "tests/support/database_files.h"

#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "tests/support/files.h"
#include "winnow/filter.h"

namespace winnow::testing {
namespace {

// A policy that copies the filter of a file when it is opened. It makes no reader, which means "may
// match".
class CopyingPolicy final : public rocksdb::FilterPolicy {
 public:
  explicit CopyingPolicy(std::string* block) : block_(block) {}
  const char* Name() const override { return "winnow.test.Copying"; }
  const char* CompatibilityName() const override { return "rocksdb.BuiltinBloomFilter"; }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext&) const override {
    return nullptr;
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& contents) const override {
    *block_ = contents.ToString();
    return nullptr;
  }

 private:
  std::string* const block_;
};

FileFilter ReadFilter(const std::string& path) {
  FileFilter filter;
  filter.file = path;
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = std::make_shared<const CopyingPolicy>(&filter.block);
  rocksdb::Options options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::SstFileReader reader(options);
  const rocksdb::Status status = reader.Open(path);
  if (!status.ok()) {
    throw std::runtime_error("can't open " + path + ": " + status.ToString());
  }
  filter.entries = reader.GetTableProperties()->num_entries;
  filter.policy_name = reader.GetTableProperties()->filter_policy_name;
  return filter;
}

}  // namespace

std::vector<FileFilter> ReadFilters(const std::string& database,
                                    const std::set<std::string>& known) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(database)) {
    if (entry.path().extension() == ".sst" && known.count(entry.path().string()) == 0) {
      paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<FileFilter> filters;
  filters.reserve(paths.size());
  for (const std::string& path : paths) {
    filters.push_back(ReadFilter(path));
  }
  return filters;
}

std::string KindOf(const std::string& block) {
  if (block.empty()) {
    return "none";
  }
  const FilterView view(block);
  if (view.fault() == Fault::kNone) {
    return "winnow " + std::string(ToString(view.info().kind));
  }
  // RocksDB's own readers use this byte.
  const signed char marker =
      block.size() < 5 ? 0 : static_cast<signed char>(block[block.size() - 5]);
  return marker == -1 ? "built-in bloom" : marker == -2 ? "built-in ribbon" : "other";
}

std::map<std::string, int> KindsOfFilters(const std::string& database) {
  std::map<std::string, int> kinds;
  for (const FileFilter& filter : ReadFilters(database)) {
    ++kinds[KindOf(filter.block)];
  }
  return kinds;
}

std::string NewestOptionsPath(const std::string& database) {
  // File numbers in names have a fixed width.
  std::string newest;
  for (const auto& entry : std::filesystem::directory_iterator(database)) {
    const std::string name = entry.path().filename().string();
    if (name.compare(0, 8, "OPTIONS-") == 0 && entry.path().string() > newest) {
      newest = entry.path().string();
    }
  }
  if (newest.empty()) {
    throw std::runtime_error("there is no OPTIONS file in " + database);
  }
  return newest;
}

std::string NewestOptionsFile(const std::string& database) {
  return ReadFile(NewestOptionsPath(database));
}

}  // namespace winnow::testing
