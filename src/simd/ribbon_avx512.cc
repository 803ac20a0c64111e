// RibbonElimination with AVX-512, VBMI and GFNI. The planes of a pool are eight or nine registers
// while a step ends; the next step begins with all in memory again, since four pools don't fit into
// 32 registers.

#include "src/simd/kernels.h"
#include "src/simd/ribbon_avx512_pivots.h"
#include "src/simd/ribbon_avx512_planes.h"
#include "src/simd/ribbon_buckets.h"
#include "src/simd/ribbon_elimination.h"

namespace winnow::simd {

const RibbonElimination kAvx512Elimination = {MakePlanes, Eliminate<StepsInRegisters>};

}  // namespace winnow::simd
