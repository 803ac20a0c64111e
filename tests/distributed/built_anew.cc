#include "tests/distributed/built_anew.h"

#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/slice.h>

#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "src/core/format.h"
#include "src/core/notes.h"
#include "src/core/sizing.h"
#include "src/rocksdb/policy_options.h"
#include "src/sst/filter_contents.h"
#include "src/sst/internal_keys.h"
#include "src/sst/sst_reader.h"
#include "winnow/builder.h"
#include "winnow/hash.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::distributed {
namespace {

constexpr double kBlockBits = 512;  // per block of a Bloom filter

// Returns the hashes that a filter of this file has, without adjacent duplicates.
std::vector<KeyHash> HashesOf(const std::string& path, const inspect::FilterContents& contents) {
  std::unique_ptr<inspect::InternalKeys> keys;
  const ROCKSDB_NAMESPACE::Status status =
      inspect::InternalKeys::Open(path, ROCKSDB_NAMESPACE::BytewiseComparator(), &keys);
  if (!status.ok()) throw std::runtime_error(path + ": " + status.ToString());
  std::vector<KeyHash> hashes;
  std::string last_key;
  std::string last_prefix;
  bool is_first = true;
  bool is_first_prefix = true;
  for (keys->SeekToFirst(); keys->Valid(); keys->Next()) {
    const std::string_view key = keys->key().user_key;
    if (!is_first && key == last_key) continue;
    is_first = false;
    last_key = key;
    if (contents.whole_keys) hashes.push_back(HashKey(key));
    const ROCKSDB_NAMESPACE::Slice slice(key.data(), key.size());
    if (contents.prefixes == nullptr || !contents.prefixes->InDomain(slice)) continue;
    const std::string prefix = contents.prefixes->Transform(slice).ToString();
    if (!is_first_prefix && prefix == last_prefix) continue;
    is_first_prefix = false;
    last_prefix = prefix;
    hashes.push_back(HashKey(prefix));
  }
  if (!keys->status().ok()) throw std::runtime_error(path + ": " + keys->status().ToString());
  return hashes;
}

// Returns the options recorded in the filter's tail. The recorded rate is rounded, so bits_per_key
// comes from the filter's size. Sets `fault` if rate and size do not match, else leaves it empty.
FilterOptions OptionsIn(const core::ParsedBlock& block, std::string* fault) {
  const core::Tail& tail = block.tail;
  FilterOptions options;
  options.level = tail.level;
  if (tail.kind == FilterKind::kEmpty) return options;
  options.kind = tail.kind;
  // Rates that are rounded to the recorded one are between `low` and `high`.
  const double low = core::UnpackRate(static_cast<uint16_t>(tail.target + 1));
  const double high = core::UnpackRate(static_cast<uint16_t>(tail.target - 1));
  bool is_within = false;
  if (tail.kind == FilterKind::kBloom) {
    const uint32_t blocks = core::ReadLayerEntry(block.directory, 0).count;
    is_within = core::BloomBlocks(tail.num_hashes, core::BitsForRate(high)) <= blocks &&
                blocks <= core::BloomBlocks(tail.num_hashes, core::BitsForRate(low));
    options.bits_per_key = (blocks - 0.5) * kBlockBits / static_cast<double>(tail.num_hashes);
  } else {
    const core::Columns columns = core::UnpackColumns(tail.columns);
    is_within = core::PackColumns(core::RibbonColumns(high)) <= tail.columns &&
                tail.columns <= core::PackColumns(core::RibbonColumns(low));
    options.bits_per_key = core::BitsForRate(core::ColumnsRate(columns));
  }
  if (!is_within) *fault = "its shape is not that of the rate in its tail";
  return options;
}

std::string BuildBy(const FilterOptions& options, const std::vector<KeyHash>& hashes) {
  FilterBuilder builder(options);
  builder.Add(hashes.data(), hashes.size());
  return std::string(builder.Finish().bytes());
}

// Builds a filter and copies into it what the keys do not determine: the recorded rate and the
// level plan.
std::string BuildByTail(const FilterOptions& options, const std::vector<KeyHash>& hashes,
                        const core::Tail& recorded) {
  std::string block = BuildBy(options, hashes);
  core::ParsedBlock parsed;
  if (core::Parse(block, &parsed) != Fault::kNone) return "";
  core::Tail tail = parsed.tail;
  tail.target = recorded.target;
  tail.plan = recorded.plan;
  std::vector<core::LayerEntry> layers;
  for (unsigned i = 0; i < tail.entries; ++i) {
    layers.push_back(core::ReadLayerEntry(parsed.directory, i));
  }
  core::WriteDirectoryAndTail(reinterpret_cast<unsigned char*>(block.data()), parsed.payload_size,
                              layers.data(), tail);
  return block;
}

}  // namespace

Recipe RecipeOf(const ROCKSDB_NAMESPACE::FilterPolicy& policy) {
  PolicyOptions all;
  for (const std::string& name : plugin::PolicyOptionNameList()) {
    std::string text;
    if (!policy.GetOption(ROCKSDB_NAMESPACE::ConfigOptions(), name, &text).ok() ||
        !plugin::ParsePolicyOption(name, text, &all).ok()) {
      return {};
    }
  }
  Recipe recipe;
  recipe.may_be_none = all.filter_memory != 0 || all.absent_share == 0;
  if (all.level_plan != LevelPlan::kUniform || all.filter_memory != 0) return recipe;
  FilterOptions options;
  options.bits_per_key = all.bits_per_key;
  options.ribbon_min_keys = all.ribbon_min_keys;
  options.bloom_before_level = all.bloom_before_level;
  recipe.options = options;
  return recipe;
}

FilterCheck CheckFilter(const std::string& path, const Recipe& recipe) {
  using Is = FilterCheck::Is;
  const inspect::RawSst sst = inspect::ReadRawSst(path);
  if (sst.error) throw std::runtime_error(*sst.error);
  if (sst.filter_fault) throw std::runtime_error(*sst.filter_fault);
  const bool has_keys = sst.properties->num_entries > sst.properties->num_range_deletions;
  if (sst.blocks.empty()) {
    return {has_keys && !recipe.may_be_none ? Is::kNone : Is::kNeedless, "no filter"};
  }
  if (sst.partitioned) throw std::runtime_error(path + " has a filter in partitions");
  const std::string& block = sst.blocks[0];
  if (!core::LooksOurs(block)) return {Is::kForeign, sst.properties->filter_policy_name};
  core::ParsedBlock stored;
  if (core::Parse(block, &stored) != Fault::kNone) return {Is::kDifferent, "damaged"};
  std::vector<KeyHash> hashes = HashesOf(path, inspect::ContentsOf(*sst.properties));
  const std::string keys = std::to_string(hashes.size()) + " keys and prefixes";
  if (hashes.size() != stored.tail.num_hashes) {
    return {Is::kDifferent,
            "of " + std::to_string(stored.tail.num_hashes) + " in a file with " + keys};
  }
  if (recipe.with_another_key && !hashes.empty()) hashes.back().value ^= 1;
  std::string anew;
  if (recipe.options) {
    FilterOptions options = *recipe.options;
    options.level = stored.tail.level;
    anew = BuildBy(options, hashes);
  } else {
    std::string fault;
    const FilterOptions options = OptionsIn(stored, &fault);
    if (!fault.empty()) return {Is::kDifferent, fault};
    anew = BuildByTail(options, hashes, stored.tail);
  }
  // The tree note does not depend on the keys.
  const std::string_view note = core::NoteOf(block, core::kTreeNote);
  if (!note.empty()) anew = core::WithNote(anew, core::kTreeNote, {}, note).bytes();
  return {anew == block ? Is::kEqual : Is::kDifferent, keys};
}

}  // namespace winnow::distributed
