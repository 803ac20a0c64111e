// RibbonElimination with AVX-512, VBMI and GFNI. The planes of a pool are in eight or nine
// registers at the end of a step, and in memory at the beginning of the next one, since four pools
// don't fit into 32 registers.

#include "src/simd/kernels.h"
#include "src/simd/ribbon_avx512_pivots.h"
#include "src/simd/ribbon_avx512_planes.h"
#include "src/simd/ribbon_buckets.h"
#include "src/simd/ribbon_elimination.h"

namespace winnow::simd {

const RibbonElimination kAvx512Elimination = {MakePlanes, Eliminate<StepsInRegisters>};

}  // namespace winnow::simd
