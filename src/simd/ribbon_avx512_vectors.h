// AVX-512 operations for elimination with GFNI: transpositions, matrices, and compiler barriers.

#ifndef WINNOW_SRC_SIMD_RIBBON_AVX512_VECTORS_H_
#define WINNOW_SRC_SIMD_RIBBON_AVX512_VECTORS_H_

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "src/simd/inline.h"

namespace winnow::simd {
namespace {

struct Constants {
  alignas(64) uint8_t bit[8][64] = {};  // 1 << i in each byte
  // Byte i of each 64-bit word has the bits up to i.
  alignas(64) uint8_t up_to_bit[8][64] = {};
  alignas(64) uint8_t transpose[64] = {};  // transposition of 8 x 8 bytes

  constexpr Constants() {
#pragma GCC unroll 9
    for (unsigned i = 0; i < 8; ++i) {
      for (unsigned j = 0; j < 64; ++j) {
        bit[i][j] = static_cast<uint8_t>(1u << i);
        up_to_bit[i][j] = static_cast<uint8_t>(j % 8 == i ? (2u << i) - 1 : 0);
      }
    }
    for (unsigned i = 0; i < 64; ++i) transpose[i] = static_cast<uint8_t>(i % 8 * 8 + i / 8);
  }
};
constexpr Constants kConstants;

__m512i Set64(uint64_t value) { return _mm512_set1_epi64(static_cast<long long>(value)); }
__m512i TransposeBytes(__m512i bytes) {
  return _mm512_permutexvar_epi8(_mm512_load_si512(kConstants.transpose), bytes);
}

// Forces the compiler to load the words one by one: extracting them from a register needs shuffles,
// whose port is the bottleneck.
template <size_t kWords>
WINNOW_INLINE void KeepInMemory(uint64_t (&words)[kWords]) {
  __asm__("" : "+m"(words));
}

// Returns the matrix broadcast to all lanes, in a register. clang's assembler (at least 14, 16 and
// 19; llvm-project's pull request 120340) encodes a wrong address if the matrix instruction has a
// broadcast memory operand ({1to8}). g++ never uses one.
__m512i MatrixForAll(uint64_t matrix) {
  __m512i matrices = Set64(matrix);
#if defined(__clang__)
  __asm__("" : "+v"(matrices));
#endif
  return matrices;
}

// Transposes 8 x 8 bits in each word, and reverses the order of rows.
__m512i TransposeBits(__m512i words) {
  return _mm512_gf2p8affine_epi64_epi8(Set64(0x0102040810204080u), words, 0);
}

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_AVX512_VECTORS_H_
