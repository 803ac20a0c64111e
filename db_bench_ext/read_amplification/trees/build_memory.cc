#include "db_bench_ext/read_amplification/trees/build_memory.h"

#include <absl/status/status.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <memory>

#include "db_bench_ext/read_amplification/keys/generated_keys.h"
#include "db_bench_ext/read_amplification/system/status.h"
#include "db_bench_ext/read_amplification/trees/policies.h"
#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::bench {
namespace {

constexpr char kFlag[] = "--process-that-builds-a-filter";

// A line of /proc/self/status such as "VmHWM:  1234 kB", in bytes.
std::optional<uint64_t> StatusBytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.compare(0, field.size(), field) != 0) continue;
    const std::vector<std::string> words =
        absl::StrSplit(line.substr(field.size()), absl::ByAnyChar(" \t"), absl::SkipEmpty());
    uint64_t kilobytes = 0;
    if (words.empty() || !absl::SimpleAtoi(words[0], &kilobytes)) return std::nullopt;
    return kilobytes * 1024;
  }
  return std::nullopt;
}

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
  // Pages of the program itself, more of which come into memory as it runs, and stay.
  const std::optional<uint64_t> code = StatusBytes("RssFile:");
  if (!before || !peak || !code) {
    return absl::UnavailableError("/proc/self/status has no RssAnon, RssFile and VmHWM");
  }
  const uint64_t others = *before + *code;
  return *peak > others ? *peak - others : 0;
}

// What the program prints, run with these words; an error if it can't be run or fails.
absl::StatusOr<std::string> OutputOf(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return absl::ErrnoToStatus(errno, "can't make a pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int problem =
      posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  std::array<char, 256> buffer{};
  ssize_t n = 0;
  while (problem == 0 &&
         ((n = read(ends[0], buffer.data(), buffer.size())) > 0 || (n < 0 && errno == EINTR))) {
    if (n > 0) output.append(buffer.data(), static_cast<size_t>(n));
  }
  close(ends[0]);
  if (problem != 0) return absl::ErrnoToStatus(problem, "can't run /proc/self/exe");
  int exited = 0;
  while (waitpid(child, &exited, 0) < 0 && errno == EINTR) {
  }
  if (exited != 0) return absl::InternalError(absl::StrCat("the process failed: ", output));
  return output;
}

}  // namespace

absl::StatusOr<uint64_t> PeakBuildMemory(const FilterToBuild& filter) {
  const absl::StatusOr<std::string> output = OutputOf(
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
