// Data shapes on which a level plan must not be worse than uniform filters of equal memory.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_LEVEL_SCENARIOS_H_
#define WINNOW_DB_BENCH_EXT_TUNING_LEVEL_SCENARIOS_H_

#include <absl/status/status.h>
#include <rocksdb/options.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "db_bench_ext/tuning/level_tree.h"

namespace winnow::bench {

struct LevelScenario {
  std::string name;
  std::string meaning;
  std::function<void(rocksdb::Options*)> change_options;
  // Writes about `keys` keys.
  std::function<absl::Status(LevelTree*, uint64_t keys)> grow;
  std::string prefix = {};  // prefix of all keys
};

const std::vector<LevelScenario>& LevelScenarios();

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_LEVEL_SCENARIOS_H_
