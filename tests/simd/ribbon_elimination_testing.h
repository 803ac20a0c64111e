// Elimination and back substitution of a bumped Ribbon layer in two ways, for comparison.

#ifndef WINNOW_TESTS_SIMD_RIBBON_ELIMINATION_TESTING_H_
#define WINNOW_TESTS_SIMD_RIBBON_ELIMINATION_TESTING_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/core/ribbon_by_rows.h"
#include "src/core/ribbon_by_slots.h"
#include "src/simd/kernels.h"

namespace winnow::testing {

struct Case {
  unsigned shard_bits;  // 2 at most
  uint32_t buckets;     // buckets per sub-shard
  unsigned fingerprint_bits;
  bool are_items = false;
};

struct Result {
  std::vector<uint64_t> solution;
  std::vector<unsigned char> thresholds;
  std::vector<uint64_t> bumped;  // bumped hashes, sorted
  uint64_t filled = 0;
};

// Hashes distributed to bins, and the state of a layer's elimination.
class Layer {
 public:
  Layer(const Case& shape, const std::vector<uint64_t>& hashes,
        const simd::RibbonElimination* elimination) {
    build_.shape = {shape.shard_bits, shape.buckets};
    build_.rows = {shape.fingerprint_bits, shape.are_items};
    build_.starts = (shape.buckets * simd::kRibbonBucketSlots) << shape.shard_bits;
    result_.thresholds.resize((size_t{shape.buckets} << shape.shard_bits) / 4 + 1);
    build_.thresholds = result_.thresholds.data();
    build_.pool = &pool_;
    build_.bumped = &bumped_;
    build_.elimination = elimination;
    bins_.resize(size_t{build_.shard_bins()} << shape.shard_bits);
    for (const uint64_t hash : hashes) {
      const uint32_t start = core::StartPosition(hash, build_.starts);
      const uint32_t shard = start / build_.shard_starts();
      const uint32_t bin = start % build_.shard_starts() / core::kBinSlots;
      pool_.Add(&bins_[shard * build_.shard_bins() + bin], hash);
    }
  }

  const core::LayerBuild& build() const { return build_; }
  core::HashBin* bins(unsigned shard) { return &bins_[shard * build_.shard_bins()]; }

  // Solves the layer. `rows` are the tables of rows of all sub-shards.
  void Solve(const uint64_t* const* rows, const simd::Kernels& kernels) {
    const unsigned shards = 1u << build_.shape.shard_bits;
    const uint64_t blocks = build_.shard_blocks();
    result_.solution.resize(shards * blocks * build_.rows.fingerprint_bits);
    kernels.ribbon_solve(rows, shards, blocks, 0, build_.rows.fingerprint_bits,
                         build_.rows.fingerprint_bits, shards * blocks,
                         reinterpret_cast<unsigned char*>(result_.solution.data()));
    for (unsigned shard = 0; shard < shards; ++shard) {
      result_.filled += static_cast<uint64_t>(std::count_if(rows[shard], rows[shard] + blocks * 64,
                                                            [](uint64_t row) { return row != 0; }));
    }
  }

  Result Finish() {
    core::ForEachHash(bumped_, [&](uint64_t hash) { result_.bumped.push_back(hash); });
    std::sort(result_.bumped.begin(), result_.bumped.end());
    return std::move(result_);
  }

 private:
  core::HashChunkPool pool_;
  core::LayerBuild build_;
  core::HashBin bumped_;
  std::vector<core::HashBin> bins_;
  Result result_;
};

// Eliminates row by row, and solves with the portable kernel.
inline Result Walk(const Case& shape, const std::vector<uint64_t>& hashes) {
  Layer layer(shape, hashes, nullptr);
  static core::ShardsByRows eliminated;  // static, since threads keep their tables too
  const uint64_t* rows[simd::kRibbonMostShards];
  for (unsigned shard = 0; shard < 1u << shape.shard_bits; ++shard) {
    core::RibbonWalk walk = eliminated[shard].Begin(layer.build(), shard, layer.bins(shard));
    while (walk.at != nullptr) {
      while (core::Step(&walk)) {
      }
      walk = eliminated[shard].Next(walk);
    }
    rows[shard] = eliminated[shard].rows();
  }
  layer.Solve(rows, simd::kPortableKernels);
  return layer.Finish();
}

// Eliminates slot by slot, and solves, with a kernel that supports this.
inline Result EliminateBySlots(const Case& shape, const std::vector<uint64_t>& hashes,
                               const simd::Kernels& kernels) {
  Layer layer(shape, hashes, kernels.ribbon_elimination);
  const unsigned shards = 1u << shape.shard_bits;
  static core::ShardsBySlots eliminated;
  eliminated.Eliminate(layer.build(), 0, shards, layer.bins(0));
  const uint64_t* rows[simd::kRibbonMostShards];
  for (unsigned shard = 0; shard < shards; ++shard) rows[shard] = eliminated.rows(shard);
  layer.Solve(rows, kernels);
  return layer.Finish();
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SIMD_RIBBON_ELIMINATION_TESTING_H_
