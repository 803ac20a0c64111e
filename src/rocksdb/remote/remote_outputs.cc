#include "src/rocksdb/remote/remote_outputs.h"

#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "src/core/format.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/policy.h"
#include "third_party/rocksdb_abi/type_information.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::TableProperties;

// Filter policy that only tells whether a block is Winnow's: the other partitions are like it.
struct FirstBlockPolicy final : ROCKSDB_NAMESPACE::FilterPolicy {
  const char* Name() const override { return "winnow.internal.FirstBlock"; }
  const char* CompatibilityName() const override { return "rocksdb.BuiltinBloomFilter"; }

  ROCKSDB_NAMESPACE::FilterBitsBuilder* GetBuilderWithContext(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& /*context*/) const override {
    return nullptr;
  }

  // Always returns null: "may match".
  ROCKSDB_NAMESPACE::FilterBitsReader* GetFilterBitsReader(
      const ROCKSDB_NAMESPACE::Slice& contents) const override {
    is_ours = is_ours || core::LooksOurs({contents.data(), contents.size()});
    return nullptr;
  }

  mutable bool is_ours = false;
};

constexpr char kWhatToDo[] =
    "; in the process that calls DB::OpenAndCompact, call winnow::PrepareOpenAndCompact "
    "(winnow/rocksdb_remote_compaction.h) before, or preload libwinnow_preload.so, with the "
    "WINNOW_POLICY of this process if it has one, and leave table_factory null; lookups read the "
    "file without Winnow's filter until it is compacted again";

// Returns the line about a file; empty if the file is right; nullopt if the file says nothing about
// its job. A file that can't be read says nothing: it may have been compacted again and deleted,
// and RocksDB reports damage itself.
std::optional<std::string> LookAt(const std::string& path, const RemoteJob& job) {
  const auto first = std::make_shared<const FirstBlockPolicy>();
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  // RocksDB reads partitions only if there is a cache for them.
  table.block_cache = ROCKSDB_NAMESPACE::NewLRUCache(1 << 20);
  table.filter_policy = first;
  ROCKSDB_NAMESPACE::Options options;
  options.env = job.env;
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  ROCKSDB_NAMESPACE::SstFileReader reader(options);
  if (!reader.Open(path).ok()) return std::nullopt;
  const std::shared_ptr<const TableProperties> properties = reader.GetTableProperties();
  if (properties == nullptr) return std::nullopt;
  const std::string fault = FaultOfOutput(*properties, first->is_ours, job.all_have_filters);
  if (!fault.empty()) {
    return "compactions by other processes lose Winnow's filters: " + path + " of column family " +
           job.family + " " + fault + kWhatToDo + "; `winnow inspect " + job.folder +
           "` lists all such files";
  }
  return first->is_ours ? std::optional(std::string()) : std::nullopt;
}

}  // namespace

std::string FaultOfOutput(const TableProperties& properties, bool is_ours, bool all_have_filters) {
  const std::string& policy = properties.filter_policy_name;
  const bool is_builtin = policy == "bloomfilter" || policy == "ribbonfilter";
  if (is_ours || properties.num_entries <= properties.num_range_deletions) return {};
  if (properties.filter_size > 0) {
    if (policy == Policy::kName) return {};
    return "has a filter of " + std::string(is_builtin ? "RocksDB's" : "the") + " policy " +
           Quoted(policy) + ", which is the worker's";
  }
  if (policy.empty()) return "has no filter, as the worker's table_factory has no filter policy";
  // Without whole keys, a filter contains nothing of keys without a prefix.
  const auto whole =
      properties.user_collected_properties.find("rocksdb.block.based.table.whole.key.filtering");
  const bool all_are_in =
      whole == properties.user_collected_properties.end() || whole->second != "0";
  if ((policy == Policy::kName || is_builtin) && !(all_have_filters && all_are_in)) return {};
  return "has no filter, as the worker's policy " + Quoted(policy) + " built none";
}

std::string LostFilterLine(const RemoteJob& job) {
  std::optional<std::string> line;
  for (size_t i = 0; !line && i < std::min(job.paths.size(), 1 + RemoteJob::kMaxOthers); ++i) {
    line = LookAt(job.paths[i], job);
  }
  return line.value_or(std::string());
}

}  // namespace winnow::plugin
