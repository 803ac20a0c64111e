// Construction of Ribbon filters by bumped Ribbon retrieval (BuRR): Dillinger, Hübschle-Schneider,
// Sanders, Walzer, "Fast Succinct Retrieval and Approximate Membership Using Ribbon", SEA 2022.
//
// A Ribbon stores a fingerprint for each key as the solution of a linear system over GF(2). A key's
// equation: the sum of the slots that its coefficient selects, from its start position on, is its
// fingerprint. The matrix is a band of width 48, so elimination only looks at the next 48 slots.
//
// Gaussian elimination inserts one row after the other ("banding" in Dillinger and Walzer, "Ribbon
// filter: practically smaller than Bloom and Xor", 2021). There is at most one row per slot, whose
// lowest coefficient bit belongs to that slot. A new row starts at its start position. If the slot
// has a row, both are added, which clears the lowest bit, and the sum moves right to its new lowest
// bit, until a slot is empty. A row whose coefficient vanishes is redundant (fingerprint 0: an
// equal key was there) or a contradiction.
//
// Rows must contradict if there are fewer slots than keys. Buckets of 128 start positions are
// processed from left to right, and in each bucket the rightmost positions first (class 0), because
// the slots to the right are still empty. When a class has a contradiction, all its rows are
// removed, the class and the rest of its bucket are bumped to the next layer, and the bucket's
// threshold records this. The set of filled slots does not depend on the order of rows within a
// class, since the lowest bits of an echelon form are a property of the row space.
// Back substitution then computes the slots from right to left; free slots are 0.
//
// A row's walk is a chain of loads with an unpredictable end. Four independent sub-shards are
// therefore walked in lockstep, so that their latencies overlap (ribbon_by_rows.h). On machines
// that support it, sub-shards are eliminated slot by slot instead (ribbon_by_slots.h,
// src/simd/ribbon_elimination.h).

#include "src/core/ribbon_build.h"

#include <algorithm>
#include <utility>

#include "src/core/bloom.h"
#include "src/core/build_phases.h"
#include "src/core/ribbon.h"
#include "src/core/ribbon_by_rows.h"
#include "src/core/ribbon_tables.h"
#include "src/core/sizing.h"

namespace winnow::core {
namespace {

// Walks the sub-shards in lockstep until one is done; walks[i] belongs to shards[i].
template <size_t... kShard>
__attribute__((noinline)) void WalkTogether(ShardByRows* shards, RibbonWalk* walks,
                                            std::index_sequence<kShard...>) {
  RibbonWalk local[] = {walks[kShard]...};
  const auto step = [&](size_t shard) {
    if (__builtin_expect(Step(&local[shard]), 1)) return true;
    local[shard] = shards[shard].Next(local[shard]);
    return local[shard].at != nullptr;
  };
  while ((step(kShard) && ...)) {
  }
  ((walks[kShard] = local[kShard]), ...);
}

void FinishShard(ShardByRows* shard, RibbonWalk walk) {
  while (walk.at != nullptr) WalkTogether(shard, &walk, std::make_index_sequence<1>());
}

// Builder of one bumped layer.
class BumpedLayerBuilder {
 public:
  BumpedLayerBuilder(BumpedShape shape, Columns columns, bool are_items, HashChunkPool* pool,
                     const BorrowedTables& tables, unsigned char* out)
      : layout_(LayOut(shape.shard_bits, shape.buckets, columns)),
        columns_(columns),
        pool_(pool),
        tables_(tables),
        words_(out) {
    layer_.shape = shape;
    layer_.rows = {columns.most(), are_items};
    layer_.starts = static_cast<uint32_t>(layout_.starts);
    layer_.thresholds = out + layout_.words_bytes;
    layer_.pool = pool;
    layer_.elimination = simd::ActiveKernels().ribbon_elimination;
  }

  // Takes the hashes, HashBlocks or a HashBin. Adds the bumped ones to *bumped, as the next layer
  // hashes them.
  template <typename Hashes>
  void Build(Hashes* hashes, HashBin* bumped) {
    layer_.bumped = bumped;
    BuildRange(hashes, 0, layer_.shape.shard_bits);
  }

 private:
  // Maximum number of bins: their last chunks take 2.5 MiB, half full, and the links of all chunks
  // a third of that.
  static constexpr uint32_t kMaxBins = 2560;
  // Maximum number of bins of a group, lower because the groups take memory as well.
  static constexpr uint32_t kMaxGroupBins = 2048;

  // Maximum number of groups, as a log2: their last blocks take 1 MiB, half full.
  static constexpr unsigned kMaxGroupBits = 4;

  // Builds 2^range_bits sub-shards from their hashes.
  template <typename Hashes>
  void BuildRange(Hashes* hashes, uint32_t first_shard, unsigned range_bits) {
    const bool is_whole = range_bits == layer_.shape.shard_bits;
    if (layer_.shard_bins() << range_bits <= (is_whole ? kMaxBins : kMaxGroupBins)) {
      BuildGroup(hashes, first_shard, 1u << range_bits);
      return;
    }
    // There are more bins than the second-level cache has room for, so hashes are first distributed
    // to groups of sub-shards. That costs as much as the first-level cache misses of distributing
    // to all bins at once.
    unsigned group_bits = 1;
    while (layer_.shard_bins() << (range_bits - group_bits) > kMaxGroupBins) ++group_bits;
    group_bits = std::min(group_bits, kMaxGroupBits);
    std::vector<Hashes> groups(size_t{1} << group_bits);
    {
      const BuildPhaseScope sorting(BuildPhase::kSorting);
      DealIntoGroups(hashes, layer_.shape.shard_bits - range_bits, group_bits, groups.data());
    }
    const unsigned group_shard_bits = range_bits - group_bits;
    for (size_t group = 0; group < groups.size(); ++group) {
      BuildRange(&groups[group], first_shard + (static_cast<uint32_t>(group) << group_shard_bits),
                 group_shard_bits);
    }
  }

  // Distributes hashes to groups by their group_bits bits after the top `skipped` ones.
  //
  // All hashes are in groups at the same time, but only one group is in chunks: groups are lists of
  // whole blocks, because the links of chunks would take 1/64 of all hashes. Drained blocks are
  // reused for groups, and the rest of each group's last block is room for chunks.
  void DealIntoGroups(HashBlocks* blocks, unsigned skipped, unsigned group_bits,
                      HashBlocks* groups) {
    const auto deal = [=](const uint64_t* hashes, size_t n) {
      for (size_t i = 0; i < n; ++i)
        groups[hashes[i] << skipped >> (64 - group_bits)].Add(hashes[i]);
    };
    while (blocks->HasSeveralBlocks()) {
      size_t n;
      const OwnedHashBlock block(blocks->TakeFirst(&n));
      deal(block->hashes, n);
    }
    // The last block may already contain chunks.
    pool_->Drain(blocks, deal);
    for (size_t group = 0; group < size_t{1} << group_bits; ++group) pool_->UseRoom(&groups[group]);
  }

  // Bumped hashes have the room of all hashes that were not bumped.
  void DealIntoGroups(HashBin* bin, unsigned skipped, unsigned group_bits, HashBin* groups) {
    pool_->DrainOneByOne(bin, [&](uint64_t hash) {
      pool_->Add(&groups[hash << skipped >> (64 - group_bits)], hash);
    });
  }

  template <typename Hashes>
  void BuildGroup(Hashes* hashes, uint32_t first_shard, uint32_t num_shards) {
    bins_.resize(size_t{layer_.shard_bins()} * num_shards);
    {
      const BuildPhaseScope sorting(BuildPhase::kSorting);
      if (first_shard != 0) SpareBlock(hashes, first_shard);
      pool_->Drain(hashes, [&](const uint64_t* some, size_t n) { Deal(some, n, first_shard); });
    }
    uint32_t shard = 0;
    for (; shard + kShardsAtOnce <= num_shards; shard += kShardsAtOnce) {
      BuildShards<kShardsAtOnce>(first_shard, shard);
    }
    for (; shard + 2 <= num_shards; shard += 2) BuildShards<2>(first_shard, shard);
    for (; shard < num_shards; ++shard) BuildShards<1>(first_shard, shard);
  }

  // Distributes the group's first block, but keeps the block whole: previous groups have left
  // enough room for chunks, and each distribution to groups needs a few more blocks than it
  // empties.
  void SpareBlock(HashBlocks* blocks, uint32_t first_shard) {
    if (!blocks->HasSeveralBlocks()) return;
    size_t n;
    const OwnedHashBlock block(blocks->TakeFirst(&n));
    Deal(block->hashes, n, first_shard);
  }
  void SpareBlock(HashBin* /*bin*/, uint32_t /*first_shard*/) {}

  // Distributes hashes of a group to its bins. Not inlined, so that its variables stay in
  // registers.
  __attribute__((noinline)) void Deal(const uint64_t* hashes, size_t n, uint32_t first_shard) {
    constexpr size_t kMax = 512;
    uint16_t cells[kMax];
    const simd::RibbonGrid grid = layer_.BinsFrom(first_shard);
    HashChunkPool* const pool = pool_;
    HashBin* const bins = bins_.data();
    while (n != 0) {
      const size_t some = std::min(n, kMax);
      simd::ActiveKernels().ribbon_cells(grid, hashes, some, cells);
      for (size_t i = 0; i < some; ++i) pool->Add(&bins[cells[i]], hashes[i]);
      hashes += some;
      n -= some;
    }
  }

  template <unsigned kCount>
  void BuildShards(uint32_t first_shard, uint32_t shard) {
    const uint64_t* rows[kCount];
    Eliminate<kCount>(first_shard + shard, &bins_[size_t{shard} * layer_.shard_bins()], rows);
    const BuildPhaseScope solving(BuildPhase::kSolving);
    simd::ActiveKernels().ribbon_solve(rows, kCount, layer_.shard_blocks(),
                                       uint64_t{first_shard + shard} * layer_.shard_blocks(),
                                       columns_.whole, columns_.most(), layout_.split, words_);
  }

  template <unsigned kCount>
  void Eliminate(uint32_t shard, HashBin* bins, const uint64_t** rows) {
    const BuildPhaseScope elimination(BuildPhase::kElimination);
    if (layer_.elimination != nullptr) {
      ShardsBySlots& shards = *tables_.by_slots();
      shards.Eliminate(layer_, shard, kCount, bins);
      for (unsigned i = 0; i < kCount; ++i) rows[i] = shards.rows(i);
    } else {
      ShardsByRows& shards = *tables_.by_rows();
      WalkShards<kCount>(&shards, shard, bins);
      for (unsigned i = 0; i < kCount; ++i) rows[i] = shards[i].rows();
    }
  }

  template <unsigned kCount>
  void WalkShards(ShardsByRows* shards, uint32_t shard, HashBin* bins) {
    RibbonWalk walks[kCount];
    bool any_done = false;
    for (unsigned i = 0; i < kCount; ++i) {
      walks[i] = (*shards)[i].Begin(layer_, shard + i, bins + size_t{i} * layer_.shard_bins());
      any_done = any_done || walks[i].at == nullptr;
    }
    if (!any_done) WalkTogether(shards->data(), walks, std::make_index_sequence<kCount>());
    // The other sub-shards are about as close to their end.
    for (unsigned i = 0; i < kCount; ++i) FinishShard(&(*shards)[i], walks[i]);
  }

  LayerBuild layer_;
  BumpedLayout layout_;
  Columns columns_;
  HashChunkPool* pool_;
  const BorrowedTables& tables_;
  unsigned char* words_;
  std::vector<HashBin> bins_;
};

// Builds a Ribbon without bumping in as few blocks of 64 slots as possible. Returns false if even
// twice the slots are not enough.
bool BuildSmall(const std::vector<uint64_t>& hashes, Columns columns, bool are_items,
                Payload* payload, LayerEntry* entry) {
  const auto fewest = static_cast<uint32_t>((hashes.size() + 63) / 64);
  const unsigned fingerprint_bits = columns.most();
  std::vector<uint64_t> rows;
  for (uint32_t blocks = fewest; blocks <= 2 * fewest + 2; ++blocks) {
    rows.assign(size_t{blocks} * 64, 0);
    const bool solved = std::all_of(hashes.begin(), hashes.end(), [&](uint64_t hash) {
      RibbonWalk walk{MakeRow(hash, {fingerprint_bits, are_items}),
                      &rows[StartPosition(hash, SmallStarts(blocks))]};
      return InsertRow(&walk) != InsertResult::kContradiction;
    });
    if (!solved) continue;
    *entry = {LayerType::kSmall, 0, blocks};
    const Columns whole{fingerprint_bits, 0};
    unsigned char* words = payload->Append(LayerBytes(*entry, whole));
    const uint64_t* const tables[] = {rows.data()};
    simd::ActiveKernels().ribbon_solve(tables, 1, blocks, 0, fingerprint_bits, fingerprint_bits,
                                       blocks, words);
    return true;
  }
  return false;
}

LayerEntry BuildList(const std::vector<uint64_t>& hashes, double rate, Payload* payload) {
  const unsigned bits = ListBits(hashes.size(), rate);
  std::vector<uint64_t> fingerprints;
  fingerprints.reserve(hashes.size());
  for (const uint64_t hash : hashes) fingerprints.push_back(Fingerprint(hash, bits));
  std::sort(fingerprints.begin(), fingerprints.end());
  fingerprints.erase(std::unique(fingerprints.begin(), fingerprints.end()), fingerprints.end());

  const LayerEntry entry{LayerType::kList, static_cast<uint8_t>(bits - 1),
                         static_cast<uint32_t>(fingerprints.size())};
  unsigned char* out = payload->Append(LayerBytes(entry, {}));
  for (size_t i = 0; i < fingerprints.size() * bits; ++i) {
    const uint64_t bit = fingerprints[i / bits] >> (i % bits) & 1;
    out[i / 8] = static_cast<unsigned char>(out[i / 8] | bit << (i % 8));
  }
  return entry;
}

// Builds the fallback layer, which always works: for hashes chosen to defeat the other layers.
LayerEntry BuildBloomLayer(const HashBin& hashes, double rate, Payload* payload) {
  double bits_per_key = kBitsPerKeyOption.least;
  while (bits_per_key < kBitsPerKeyOption.most && RateForBits(bits_per_key) > rate)
    bits_per_key += 0.5;
  const LayerEntry entry{LayerType::kBloom, static_cast<uint8_t>(BloomProbes(bits_per_key)),
                         BloomBlocks(hashes.size(), bits_per_key)};
  unsigned char* blocks = payload->Append(LayerBytes(entry, {}));
  const simd::Kernels& kernels = simd::ActiveKernels();
  ForEachHash(hashes, [&](uint64_t hash) {
    kernels.bloom_add(blocks, entry.count, BloomWordSets(entry.parameter), &hash, 1);
  });
  return entry;
}

std::vector<uint64_t> HashesOf(const HashBin& bin) {
  std::vector<uint64_t> hashes;
  hashes.reserve(bin.size());
  ForEachHash(bin, [&](uint64_t hash) { hashes.push_back(hash); });
  return hashes;
}

LayerEntry BuildLastLayer(const HashBin& hashes, Columns columns, double rate, Payload* payload) {
  if (hashes.size() == 0) return {LayerType::kNone, 0, 0};
  if (hashes.size() >= kMinBumpedKeys) return BuildBloomLayer(hashes, rate, payload);
  const std::vector<uint64_t> values = HashesOf(hashes);
  if (values.size() < kMinSmallKeys) return BuildList(values, rate, payload);
  LayerEntry entry;
  if (BuildSmall(values, columns, false, payload, &entry)) return entry;
  return BuildBloomLayer(hashes, rate, payload);
}

// Builds bumped layers while they are worthwhile, and returns the hashes that the last one bumps.
template <typename Hashes>
HashBin BuildBumpedLayers(Hashes* hashes, Columns columns, bool are_items, HashChunkPool* pool,
                          Payload* payload, std::vector<LayerEntry>* entries) {
  const BorrowedTables tables;
  HashBin remaining;
  uint64_t n = hashes->size();
  if (n < kMinBumpedKeys) {
    pool->Drain(hashes, [&](const uint64_t* some, size_t count) {
      for (size_t i = 0; i < count; ++i) pool->Add(&remaining, some[i]);
    });
  }
  // Random hashes bump 5%. Two layers that bump more than a quarter mean adversarial hashes.
  int bad_layers = 0;
  while (n >= kMinBumpedKeys && bad_layers < 2 && entries->size() + 1 < kMaxLayersBuilt) {
    const size_t size_before = payload->size();
    const BumpedShape shape = ShapeForKeys(n, static_cast<unsigned>(entries->size()));
    const LayerEntry entry{LayerType::kBumped, static_cast<uint8_t>(shape.shard_bits),
                           shape.buckets};
    unsigned char* out = payload->Append(LayerBytes(entry, columns));
    BumpedLayerBuilder builder(shape, columns, are_items, pool, tables, out);
    HashBin bumped;
    if (entries->empty()) {
      builder.Build(hashes, &bumped);
    } else {
      builder.Build(&remaining, &bumped);
    }
    entries->push_back(entry);
    remaining = bumped;
    if (remaining.size() > n / 4) ++bad_layers;
    if (remaining.size() == n) {
      // A layer without keys is replaced by the smallest possible one, with a threshold of 0.
      entries->back() = {LayerType::kBumped, 0, 1};
      payload->Truncate(size_before);
      payload->Append(LayerBytes(entries->back(), columns));
    }
    n = remaining.size();
  }
  return remaining;
}

}  // namespace

std::vector<LayerEntry> BuildRibbon(HashBlocks hashes, Columns columns, double rate,
                                    Payload* payload) {
  std::vector<LayerEntry> entries;
  HashChunkPool pool;
  const HashBin remaining = BuildBumpedLayers(&hashes, columns, false, &pool, payload, &entries);
  entries.push_back(BuildLastLayer(remaining, columns, rate, payload));
  return entries;
}

std::vector<uint64_t> BuildRetrieval(HashBin items, Columns columns, HashChunkPool* pool,
                                     Payload* payload, std::vector<LayerEntry>* entries) {
  const HashBin remaining = BuildBumpedLayers(&items, columns, true, pool, payload, entries);
  std::vector<uint64_t> rest = HashesOf(remaining);
  LayerEntry entry;
  if (rest.size() >= kMinSmallItems && rest.size() < kMinBumpedKeys &&
      BuildSmall(rest, columns, true, payload, &entry)) {
    entries->push_back(entry);
    rest.clear();
  }
  return rest;
}

}  // namespace winnow::core
