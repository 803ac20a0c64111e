#include "tools/winnow/advise/cache_choices.h"

#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "src/policy_trial/trial_filter.h"
#include "src/text/numbers.h"
#include "tools/winnow/advise/advice_costs.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::PinningTier;

// Returns true if RocksDB pins the block, by the rule of
// BlockBasedTable::PrefetchIndexAndFilterBlocks.
bool Pins(PinningTier tier, bool as_before, bool is_flushed) {
  switch (tier) {
    case PinningTier::kNone:
      return false;
    case PinningTier::kFlushedAndSimilar:
      return is_flushed;
    case PinningTier::kAll:
      return true;
    default:
      return as_before;
  }
}

void PlaceBlocks(const CacheChoice& choice, const MetadataCaching& caching, bool is_flushed,
                 BlockSet* set) {
  set->beside = choice.where == CacheChoice::Where::kBeside ||
                (choice.where == CacheChoice::Where::kAsNow && !caching.in_cache);
  if (choice.pins == CacheChoice::Pins::kAll) {
    set->pin_blocks = set->pin_top = true;
    return;
  }
  const bool level_0 = choice.pins == CacheChoice::Pins::kLevel0 || caching.pin_level_0;
  const bool is_whole = set->top_charge == 0;
  set->pin_top = Pins(caching.top_level, caching.pin_top_level, is_flushed);
  set->pin_blocks =
      Pins(is_whole ? caching.unpartitioned : caching.partition, level_0 && is_flushed, is_flushed);
}

std::string ShardsText(const CacheShape& cache) {
  return Number(uint64_t{1} << cache.shard_bits, "shard");
}

// Returns "winnow:10, absent_share=0.5" for "{id=winnow;bits_per_key=10;absent_share=0.5}".
std::string PolicyTitle(const std::string& policy) {
  constexpr std::string_view kBits = "{id=winnow;bits_per_key=";
  if (policy.compare(0, kBits.size(), kBits) != 0) {
    return policy;
  }
  const std::vector<std::string> parts =
      absl::StrSplit(policy.substr(kBits.size(), policy.size() - kBits.size() - 1), ';');
  return absl::StrCat("winnow:", parts[0], parts.size() > 1 ? ", " : "",
                      parts.size() > 1 ? parts[1] : std::string());
}

// Cuts partitions as RocksDB does: a filter's after the keys for metadata_block_size, less
// block_size_deviation, at the end of a data block; an index's by its bytes. Unless decoupled, both
// are cut where the first of them is.
void MakeBlocks(const CacheChoice& choice, const std::string& policy, const AdvisedFamily& family,
                size_t at, const AdvisedFile& file, const VisitedFile& visited, FileForm* form) {
  const MetadataCaching& caching = family.shape.caching;
  const auto keys = static_cast<double>(std::max<uint64_t>(file.keys, 1));
  const auto data_blocks = static_cast<double>(std::max<uint64_t>(visited.data_blocks, 1));
  const double entry_bytes =
      static_cast<double>(visited.index_bytes - std::min(visited.index_top, visited.index_bytes)) /
      data_blocks;
  const bool is_filtered = !choice.skip_last_level || !IsOnLastLevel(file);
  const uint64_t size = *choice.partition_bytes;
  double filter_parts = 1;
  double index_parts = 1;
  if (size > 0) {
    const double keys_of_data_block = keys / data_blocks;
    const auto wanted =
        (size * static_cast<uint64_t>(std::clamp(100 - caching.deviation, 1, 100)) + 99) / 100;
    // A file without a filter has only index partitions.
    const double room = is_filtered ? family.costs->KeysWithin(policy, at, wanted) : 0;
    const double blocks_of_filter = room >= 1 ? std::ceil(room / keys_of_data_block) : data_blocks;
    const double blocks_of_index =
        std::max(1.0, std::floor(static_cast<double>(size) / std::max(1.0, entry_bytes)));
    filter_parts = caching.decoupled && room >= 1
                       ? std::ceil(keys / room)
                       : std::ceil(data_blocks / std::min(blocks_of_filter, blocks_of_index));
    index_parts = caching.decoupled ? std::ceil(data_blocks / blocks_of_index) : filter_parts;
    form->index.top_charge = ChargeOfBlock(static_cast<uint64_t>(index_parts * entry_bytes));
  }
  form->index.blocks = static_cast<uint64_t>(index_parts);
  form->index.charge =
      ChargeOfBlock(static_cast<uint64_t>(data_blocks * entry_bytes / index_parts));
  const FilterCost block =
      is_filtered ? family.costs->CostOfBlock(policy, at, keys / filter_parts) : FilterCost();
  if (block.bytes > 0) {
    form->filter.blocks = static_cast<uint64_t>(filter_parts);
    form->filter.charge = ChargeOfFilter(static_cast<uint64_t>(block.bytes));
    form->filter.top_charge =
        size > 0 ? ChargeOfBlock(static_cast<uint64_t>(filter_parts * entry_bytes)) : 0;
    form->rate = block.rate;
  }
}

}  // namespace

std::string CacheChoice::Title() const {
  std::vector<std::string> parts;
  if (partition_bytes) {
    parts.push_back(
        *partition_bytes == 0
            ? "whole"
            : absl::StrCat("partitions of ", ByteSize(static_cast<double>(*partition_bytes))));
  }
  if (!policy.empty()) {
    parts.push_back(PolicyTitle(policy));
  }
  if (skip_last_level) {
    parts.emplace_back("none on the last level");
  }
  if (where == Where::kBeside) {
    parts.emplace_back("beside a smaller cache");
  } else if (where == Where::kInCache && parts.empty()) {
    parts.emplace_back("in the cache");
  }
  if (pins != Pins::kAsNow) {
    parts.emplace_back(pins == Pins::kAll ? "all pinned" : "level 0 pinned");
  }
  if (cache_factor != 1) {
    parts.push_back(absl::StrCat(is_now ? "as now, " : "", "cache times ", cache_factor));
  }
  if (fewer_shards) {
    parts.push_back(absl::StrCat("as now, cache in ", ShardsText(*fewer_shards)));
  }
  return parts.empty() ? "now" : absl::StrJoin(parts, ", ");
}

std::string CacheChoice::Options() const {
  std::vector<std::string> table;
  if (needs_cache) {
    table.emplace_back("no_block_cache=false");
  }
  if (where == Where::kBeside) {
    table.emplace_back("cache_index_and_filter_blocks=false");
  } else if (where == Where::kInCache || partition_bytes || pins != Pins::kAsNow) {
    table.emplace_back("cache_index_and_filter_blocks=true");
  }
  if (partition_bytes && *partition_bytes > 0) {
    table.emplace_back("partition_filters=true");
    table.emplace_back("index_type=kTwoLevelIndexSearch");
    table.push_back(absl::StrCat("metadata_block_size=", *partition_bytes));
    table.emplace_back("pin_top_level_index_and_filter=true");
  } else if (partition_bytes) {
    table.emplace_back("partition_filters=false");
    table.emplace_back("index_type=kBinarySearch");
  }
  if (pins == Pins::kLevel0) {
    table.emplace_back("pin_l0_filter_and_index_blocks_in_cache=true");
  } else if (pins == Pins::kAll) {
    table.emplace_back(
        "metadata_cache_options={top_level_index_pinning=kAll;partition_pinning=kAll;"
        "unpartitioned_pinning=kAll}");
  }
  if (!policy.empty()) {
    table.push_back(absl::StrCat("filter_policy=", policy));
  }
  if (fewer_shards) {
    table.push_back(absl::StrCat("block_cache={capacity=", fewer_shards->capacity,
                                 ";num_shard_bits=", fewer_shards->shard_bits,
                                 ";high_pri_pool_ratio=", fewer_shards->high_priority_share,
                                 ";strict_capacity_limit=", fewer_shards->strict ? "true" : "false",
                                 "}"));
  }
  std::vector<std::string> family;
  if (skip_last_level) {
    family.emplace_back("optimize_filters_for_hits=true");
  }
  if (!table.empty()) {
    family.push_back(absl::StrCat("block_based_table_factory={", absl::StrJoin(table, ";"), "}"));
  }
  return absl::StrJoin(family, ";");
}

std::vector<CacheChoice> CacheChoices(const FiltersOfNow& now) {
  constexpr uint64_t kSizes[] = {4 << 10, 16 << 10, 64 << 10};
  constexpr uint64_t kPartition = kSizes[0];
  using Where = CacheChoice::Where;
  using Pins = CacheChoice::Pins;
  std::vector<CacheChoice> choices(1);
  choices[0].is_now = true;
  const Where in_cache = now.in_cache ? Where::kAsNow : Where::kInCache;
  const auto add = [&](std::optional<uint64_t> partition, const std::string& policy, Where where,
                       Pins pins = Pins::kAsNow, bool skip_last_level = false) {
    CacheChoice choice;
    choice.partition_bytes = partition;
    choice.policy = partition && policy.empty() ? now.substitute : policy;
    choice.where = where;
    choice.pins = pins;
    choice.skip_last_level = skip_last_level;
    choice.needs_cache = now.no_block_cache;
    const bool is_new = absl::c_none_of(choices, [&choice](const CacheChoice& other) {
      return other.Options() == choice.Options();
    });
    if (is_new) {
      choices.push_back(std::move(choice));
    }
  };
  const double bits = now.bits_per_key;
  const std::string fewer = WinnowText(std::max(3.0, bits / 2));
  if (!now.in_cache) {
    add(std::nullopt, "", in_cache);
  }
  if (now.partitioned) {
    add(0, "", in_cache);
  }
  for (const uint64_t size : kSizes) {
    if (now.whole || size != now.partition_bytes) {
      add(size, "", in_cache);
    }
  }
  add(0, fewer, in_cache);
  std::vector<std::string> policies = {WinnowText(bits), fewer};
  if (now.has_plans && now.absent_share < 1) policies.push_back(WinnowText(bits, now.absent_share));
  policies.insert(policies.end(), now.further.begin(), now.further.end());
  for (const std::string& policy : policies) {
    if (policy != now.policy) {
      add(kPartition, policy, in_cache);
    }
  }
  for (const std::string& policy : now.further) {
    add(std::nullopt, policy, in_cache);
  }
  if (!now.skips_last_level) {
    add(std::nullopt, "", in_cache, Pins::kAsNow, true);
    add(kPartition, "", in_cache, Pins::kAsNow, true);
  }
  add(std::nullopt, "", in_cache, Pins::kLevel0);
  add(std::nullopt, "", in_cache, Pins::kAll);
  if (now.in_cache) {
    add(now.partitioned ? std::optional<uint64_t>(0) : std::nullopt, "", Where::kBeside);
  }
  if (now.fewer_shards) {
    CacheChoice& fewer_shards = choices.emplace_back();
    fewer_shards.fewer_shards = now.fewer_shards;
    fewer_shards.needs_cache = now.no_block_cache;
  }
  for (const double factor : {2.0, 4.0}) {
    CacheChoice larger = choices[0];
    larger.cache_factor = factor;
    larger.needs_cache = now.no_block_cache;
    choices.push_back(larger);
  }
  return choices;
}

FileForm FormOf(const CacheChoice& choice, const AdvisedFamily& family, size_t at,
                const AdvisedFile& file, const VisitedFile& visited) {
  FileForm form;
  const std::string& policy = choice.policy.empty() ? family.shape.policy : choice.policy;
  if (choice.Rewrites()) {
    CacheChoice full = choice;
    if (!full.partition_bytes) {
      full.partition_bytes = visited.partitioned ? family.shape.caching.block_bytes : 0;
    }
    MakeBlocks(full, policy, family, at, file, visited, &form);
    form.has_stored_answers = choice.policy.empty() && visited.filter_parts > 0;
  } else {
    form.has_stored_blocks = form.has_stored_answers = visited.filter_parts > 0;
    form.filter.blocks = visited.filter_parts;
    if (visited.filter_parts > 0) {
      form.filter.charge = ChargeOfFilter(visited.filter_bytes / visited.filter_parts);
      form.filter.top_charge = visited.partitioned ? ChargeOfBlock(visited.filter_top) : 0;
    }
    const uint64_t parts = std::max<uint64_t>(visited.index_parts, 1);
    form.index.blocks = parts;
    form.index.charge = ChargeOfBlock(
        (visited.index_bytes - std::min(visited.index_top, visited.index_bytes)) / parts);
    form.index.top_charge = visited.index_parts > 0 ? ChargeOfBlock(visited.index_top) : 0;
  }
  const bool skips = choice.skip_last_level || !family.shape.last_level_has_filters;
  if ((skips && IsFilterSkipped(file)) || (choice.policy.empty() && family.shape.has_no_policy)) {
    form.filter = BlockSet();  // RocksDB does not query filters there, even if the file has one
  }
  const bool is_flushed =
      file.place.level == 0 && visited.file_bytes <= family.shape.caching.flush_bytes;
  PlaceBlocks(choice, family.shape.caching, is_flushed, &form.filter);
  PlaceBlocks(choice, family.shape.caching, is_flushed, &form.index);
  return form;
}

}  // namespace winnow::inspect
