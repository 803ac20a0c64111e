// Back substitution with AVX-512, VBMI and GFNI: eight slots at a time as a system of 8 x 8 bits.
//
// The equation of eight slots is D X = F + C Y, where F are the fingerprints, Y the solution of the
// slots behind, C the coefficients there, and D the coefficients within the eight, a triangular
// matrix with ones on its diagonal. C Y is six products of 8 x 8 bits, which one instruction
// computes in parallel; it also adds F, as the product with the identity. D = I + N with N^8 = 0,
// so the inverse is (I + N)(I + N^2)(I + N^4). The row of an empty slot is 0, and so is its
// solution.
//
// The instruction requires its right factor transposed and reversed, with column k in byte 7 - k.
// Rows are stored in reverse, byte 7 - j for slot j, since transposing them yields this order.

#include <immintrin.h>

#include "src/simd/inline.h"
#include "src/simd/kernels.h"
#include "src/simd/ribbon_elimination.h"
#include "src/simd/ribbon_solve.h"

namespace winnow::simd {
namespace {

constexpr unsigned kFingerprintByte = 7;
constexpr uint64_t kIdentity = 0x0102040810204080u;  // with rows in reverse, and also transposed

struct Permutations {
  alignas(64) uint8_t to_planes[64] = {};   // byte 7 - j of word t: byte t of word j
  alignas(64) uint8_t to_columns[64] = {};  // byte b of word k: byte 7 - k of word b

  constexpr Permutations() {
    for (unsigned i = 0; i < 8; ++i) {
      for (unsigned j = 0; j < 8; ++j) {
        to_planes[8 * i + 7 - j] = static_cast<uint8_t>(8 * j + i);
        to_columns[8 * i + j] = static_cast<uint8_t>(8 * j + 7 - i);
      }
    }
  }
};
constexpr Permutations kPermutations;

WINNOW_INLINE __m512i Set64(uint64_t value) {
  return _mm512_set1_epi64(static_cast<long long>(value));
}
WINNOW_INLINE __m512i Times(__m512i left, __m512i transposed_right) {
  return _mm512_gf2p8affine_epi64_epi8(left, transposed_right, 0);
}
WINNOW_INLINE __m512i Transposed(__m512i rows) { return Times(Set64(kIdentity), rows); }
WINNOW_INLINE __m128i Times(__m128i left, __m128i transposed_right) {
  return _mm_gf2p8affine_epi64_epi8(left, transposed_right, 0);
}
WINNOW_INLINE __m128i Transposed(__m128i rows) {
  return Times(_mm_set1_epi64x(static_cast<long long>(kIdentity)), rows);
}

// Returns the sum of the eight words, in the low one.
WINNOW_INLINE __m128i SumOfWords(__m512i words) {
  const __m256i four =
      _mm256_xor_si256(_mm512_castsi512_si256(words), _mm512_extracti64x4_epi64(words, 1));
  const __m128i two =
      _mm_xor_si128(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
  return _mm_xor_si128(two, _mm_unpackhi_epi64(two, two));
}

// Solver of eight columns of a sub-shard, one block of 64 slots after the other.
struct ShardSolver {
  const uint64_t* rows;
  // Word b, 1 to 6: transposed solution of the eight slots 8 b behind. Word 7: the identity.
  __m512i behind;

  alignas(64) uint64_t planes[8][8];  // bytes of the coefficients of each eight slots
  alignas(64) uint64_t inverses[8];   // inverse matrices of D
  alignas(64) uint64_t solution[8];   // transposed

  void Begin(const uint64_t* shard_rows) {
    rows = shard_rows;
    behind = _mm512_maskz_mov_epi64(1 << kFingerprintByte, Set64(kIdentity));
  }

  WINNOW_INLINE void LoadBlock(uint64_t block, unsigned first_column) {
    const __m512i slots = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    const __m512i to_planes = _mm512_load_si512(kPermutations.to_planes);
    const __m128i fingerprint_shift =
        _mm_cvtsi32_si128(static_cast<int>(8 * kFingerprintByte - first_column));
    const __m512i fingerprint_mask = Set64(uint64_t{0xff} << first_column);
    __m512i within = _mm512_setzero_si512();
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; ++i) {
      const __m512i row = _mm512_loadu_si512(rows + 64 * block + 8 * i);
      const __m512i coefficients =
          _mm512_sllv_epi64(_mm512_srli_epi64(row, 64 - kRibbonWidth), slots);
      const __m512i fingerprints =
          _mm512_sll_epi64(_mm512_and_si512(row, fingerprint_mask), fingerprint_shift);
      const __m512i bytes =
          _mm512_permutexvar_epi8(to_planes, _mm512_or_si512(coefficients, fingerprints));
      _mm512_store_si512(planes[i], bytes);
      const auto word = static_cast<__mmask8>(1u << i);
      within = _mm512_mask_broadcastq_epi64(within, word, _mm512_castsi512_si128(bytes));
    }
    const __m512i identity = Set64(kIdentity);
    const __m512i n = _mm512_andnot_si512(identity, within);
    const __m512i n2 = Times(n, Transposed(n));
    const __m512i n4 = Times(n2, Transposed(n2));
    const __m512i first =
        Times(_mm512_xor_si512(n, identity), Transposed(_mm512_xor_si512(n2, identity)));
    _mm512_store_si512(inverses, Times(first, Transposed(_mm512_xor_si512(n4, identity))));
  }

  WINNOW_INLINE void SolveEight(unsigned i) {
    const __m128i sums = SumOfWords(Times(_mm512_load_si512(planes[i]), behind));
    const __m128i inverse = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&inverses[i]));
    const __m128i solved = Transposed(Times(inverse, Transposed(sums)));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(&solution[i]), solved);
    // Word 1 is new; words 2 to 6 were 1 to 5.
    const __m512i places = _mm512_setr_epi64(0, 8, 1, 2, 3, 4, 5, 7);
    behind = _mm512_permutex2var_epi64(behind, places, _mm512_castsi128_si512(solved));
  }

  WINNOW_INLINE __m512i Columns() const {
    return _mm512_permutexvar_epi8(_mm512_load_si512(kPermutations.to_columns),
                                   _mm512_load_si512(solution));
  }
};

// Solver for ribbon_solve.h.
template <unsigned kShards>
class Solver {
 public:
  Solver(const uint64_t* const* rows, uint64_t /*shard_blocks*/, unsigned first_column)
      : first_column_(first_column) {
    for (unsigned shard = 0; shard < kShards; ++shard) shards_[shard].Begin(rows[shard]);
  }

  void SolveBlock(uint64_t block) {
    for (ShardSolver& shard : shards_) shard.LoadBlock(block, first_column_);
#pragma GCC unroll 8
    for (unsigned eight = 0; eight < 8; ++eight) {
      for (ShardSolver& shard : shards_) shard.SolveEight(7 - eight);
    }
  }

  void Store(unsigned shard, unsigned columns, unsigned char* out) const {
    const auto lanes = static_cast<__mmask8>((1u << columns) - 1);
    _mm512_mask_storeu_epi64(out, lanes, shards_[shard].Columns());
  }

 private:
  ShardSolver shards_[kShards];
  unsigned first_column_;
};

}  // namespace

void SolveWithAvx512(const uint64_t* const* rows, unsigned shards, uint64_t shard_blocks,
                     uint64_t first_block, unsigned whole, unsigned most, uint64_t split,
                     unsigned char* words) {
  SolveInEights<Solver>(rows, shards, shard_blocks, first_block, whole, most, split, words);
}

}  // namespace winnow::simd
