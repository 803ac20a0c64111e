// Construction of Ribbon filters with GFNI and AVX2, for CPUs without AVX-512: a product with a
// matrix is one instruction.

#include "src/simd/kernels.h"
#include "src/simd/ribbon_avx2_keys.h"
#include "src/simd/ribbon_avx2_vectors.h"
#include "src/simd/ribbon_buckets.h"
#include "src/simd/ribbon_elimination.h"
#include "src/simd/ribbon_solve.h"
#include "src/simd/ribbon_solve_sums.h"
#include "src/simd/ribbon_steps.h"

namespace winnow::simd {
namespace {

struct MatrixVectors : Avx2Vectors {
  using Factors = Bytes;

  // The transposition takes row j in byte 7 - j and yields column k in byte 7 - k, the order of the
  // product.
  struct Product {
    Bytes matrix;

    WINNOW_INLINE explicit Product(Bytes rows)
        : matrix(_mm256_gf2p8affine_epi64_epi8(_mm256_set1_epi64x(0x0102040810204080), rows, 0)) {}
    WINNOW_INLINE Bytes Of(Bytes factors) const {
      return _mm256_gf2p8affine_epi64_epi8(factors, matrix, 0);
    }
  };
};

template <unsigned kPlanes>
using Steps = StepsInMemory<MatrixVectors, kPlanes>;

template <unsigned kShards>
using Solver = SummingSolver<MatrixVectors, kShards>;

}  // namespace

const RibbonElimination kGfniElimination = {MakeKeysByFours, Eliminate<Steps>};

void SolveWithGfni(const uint64_t* const* rows, unsigned shards, uint64_t shard_blocks,
                   uint64_t first_block, unsigned whole, unsigned most, uint64_t split,
                   unsigned char* words) {
  SolveInEights<Solver>(rows, shards, shard_blocks, first_block, whole, most, split, words);
}

}  // namespace winnow::simd
