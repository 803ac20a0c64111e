#include "db_bench_ext/read_amplification/trees/build_memory.h"

#include <absl/status/status.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <cstdio>
#include <memory>

#include "db_bench_ext/read_amplification/keys/generated_keys.h"
#include "db_bench_ext/read_amplification/system/own_process.h"
#include "db_bench_ext/read_amplification/system/status.h"
#include "db_bench_ext/read_amplification/trees/policies.h"
#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::bench {
namespace {

constexpr char kFlag[] = "--process-that-builds-a-filter";

absl::Status Build(const FilterToBuild& filter, const Policy& policy) {
  const rocksdb::BlockBasedTableOptions table;
  const rocksdb::FilterBuildingContext context =
      BuildingContext(table, filter.level, filter.num_levels, filter.bottommost, nullptr);
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      policy.object->GetBuilderWithContext(context));
  if (builder == nullptr) return absl::InternalError("the policy gives no builder");
  const GeneratedKeys keys(filter.keys, 16);
  std::string room;
  for (uint64_t i = 0; i < filter.keys; ++i) {
    const std::string_view key = keys.Get(i, &room);
    builder->AddKey({key.data(), key.size()});
  }
  std::unique_ptr<const char[]> buffer;
  rocksdb::Status status;
  builder->Finish(&buffer, &status);
  return FromRocksDB(status, "finish a filter");
}

absl::StatusOr<uint64_t> Measure(const FilterToBuild& filter) {
  const absl::StatusOr<Policy> policy = MakePolicy(filter.policy);
  if (!policy.ok()) return policy.status();
  const std::optional<uint64_t> before = StatusBytes("RssAnon:");
  if (absl::Status status = Build(filter, *policy); !status.ok()) return status;
  const std::optional<uint64_t> peak = StatusBytes("VmHWM:");
  // Pages of the program's files: their number grows as the program runs, and does not shrink.
  const std::optional<uint64_t> code = StatusBytes("RssFile:");
  if (!before || !peak || !code) {
    return absl::UnavailableError("/proc/self/status has no RssAnon, RssFile and VmHWM");
  }
  const uint64_t others = *before + *code;
  return *peak > others ? *peak - others : 0;
}

}  // namespace

absl::StatusOr<uint64_t> PeakBuildMemory(const FilterToBuild& filter) {
  const absl::StatusOr<std::string> output = OutputOfOwnProcess(
      {"db_bench_ext", kFlag, filter.policy, absl::StrCat(filter.keys), absl::StrCat(filter.level),
       absl::StrCat(filter.num_levels), filter.bottommost ? "1" : "0"});
  if (!output.ok()) return output.status();
  uint64_t bytes = 0;
  if (!absl::SimpleAtoi(*output, &bytes)) {
    return absl::InternalError(absl::StrCat("the process printed '", *output, "'"));
  }
  return bytes;
}

std::optional<int> BuildMemoryProcess(const std::vector<std::string>& words) {
  if (words.size() != 7 || words[1] != kFlag) return std::nullopt;
  FilterToBuild filter;
  filter.policy = words[2];
  filter.bottommost = words[6] == "1";
  if (!absl::SimpleAtoi(words[3], &filter.keys) || !absl::SimpleAtoi(words[4], &filter.level) ||
      !absl::SimpleAtoi(words[5], &filter.num_levels)) {
    return 2;
  }
  const absl::StatusOr<uint64_t> bytes = Measure(filter);
  std::printf("%s", bytes.ok() ? absl::StrCat(*bytes).c_str()
                               : std::string(bytes.status().message()).c_str());
  return bytes.ok() && std::fflush(stdout) == 0 ? 0 : 1;
}

rocksdb::FilterBuildingContext BuildingContext(const rocksdb::BlockBasedTableOptions& table,
                                               int level, int num_levels, bool bottommost,
                                               rocksdb::Logger* logger) {
  rocksdb::FilterBuildingContext context(table);
  context.compaction_style = rocksdb::kCompactionStyleLevel;
  context.num_levels = num_levels;
  context.info_log = logger;
  context.column_family_name = "default";
  context.level_at_creation = level;
  context.is_bottommost = bottommost;
  context.reason = level == 0 ? rocksdb::TableFileCreationReason::kFlush
                              : rocksdb::TableFileCreationReason::kCompaction;
  return context;
}

}  // namespace winnow::bench
