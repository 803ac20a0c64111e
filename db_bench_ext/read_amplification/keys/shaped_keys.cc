#include "db_bench_ext/read_amplification/keys/shaped_keys.h"

#include <absl/container/flat_hash_set.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "src/base/random.h"

namespace winnow::bench {
namespace {

constexpr uint64_t kShapeSalt = 0x7368617065;
constexpr uint64_t kEventsOfUser = 50;
constexpr uint64_t kFirstTime = 1'700'000'000'000;
constexpr uint64_t kDay = 86'400'000;
constexpr uint64_t kMeanFilesOfFolder = 20;

std::string BigEndian(uint64_t number) {
  std::string bytes(8, '\0');
  for (size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(number >> (56 - 8 * i));
  return bytes;
}

std::string_view Word(Random* random) {
  static constexpr std::string_view kWords[] = {
      "share", "lib",   "doc",   "python", "module", "test",   "index", "main",
      "util",  "data",  "image", "config", "locale", "common", "core",  "src",
      "build", "asset", "icon",  "theme",  "plugin", "server", "cache", "report"};
  return kWords[RandomBelow(random, std::size(kWords))];
}

// Returns a path of one to five components; most are deep.
std::string Folder(Random* random) {
  std::string folder;
  const uint64_t parts = 1 + RandomBelow(random, 3) + RandomBelow(random, 3);
  for (uint64_t i = 0; i < parts; ++i) {
    absl::StrAppend(&folder, "/", std::string(Word(random)));
    if (RandomBelow(random, 3) == 0) absl::StrAppend(&folder, RandomBelow(random, 100));
  }
  return folder;
}

std::string File(Random* random) {
  static constexpr std::string_view kEndings[] = {".c", ".h", ".py", ".json", ".png", ".txt"};
  std::string name(Word(random));
  absl::StrAppend(&name, "_", std::string(Word(random)));
  if (RandomBelow(random, 2) == 0) absl::StrAppend(&name, RandomBelow(random, 1000));
  return name.append(kEndings[RandomBelow(random, std::size(kEndings))]);
}

// Adds n keys of one user, or of one folder.
void AddGroup(KeyShape shape, Random* random, absl::flat_hash_set<std::string>* keys, uint64_t n) {
  if (shape == KeyShape::kPaths) {
    const std::string folder = Folder(random);
    const uint64_t files = 1 + RandomBelow(random, 2 * kMeanFilesOfFolder);
    for (uint64_t i = 0; i < files && keys->size() < n; ++i) {
      keys->insert(folder + "/" + File(random));
    }
    return;
  }
  const std::string user = BigEndian((*random)()) + BigEndian((*random)());
  for (uint64_t i = 0; i < kEventsOfUser && keys->size() < n; ++i) {
    keys->insert(user + BigEndian(kFirstTime + RandomBelow(random, kDay)));
  }
}

}  // namespace

std::optional<KeyShape> FindKeyShape(std::string_view name) {
  static constexpr std::pair<std::string_view, KeyShape> kShapes[] = {
      {"numbers", KeyShape::kNumbers},
      {"integers", KeyShape::kIntegers},
      {"events", KeyShape::kEvents},
      {"paths", KeyShape::kPaths}};
  for (const auto& [known, shape] : kShapes) {
    if (name == known) return shape;
  }
  return std::nullopt;
}

KeyTable MakeShapedKeys(KeyShape shape, uint64_t n, uint64_t seed) {
  Random random(seed ^ kShapeSalt);
  absl::flat_hash_set<std::string> keys;
  keys.reserve(n);
  while (keys.size() < n) {
    if (shape == KeyShape::kIntegers) {
      keys.insert(BigEndian(random()));
    } else {
      AddGroup(shape, &random, &keys, n);
    }
  }
  // The order of a hash set differs between runs; the table is sorted.
  std::vector<std::string_view> sorted(keys.begin(), keys.end());
  std::sort(sorted.begin(), sorted.end());
  KeyTable table;
  for (const std::string_view key : sorted) table.Add(key);
  return table;
}

}  // namespace winnow::bench
