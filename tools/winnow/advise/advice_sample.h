// Which files stand for all, where policies are tried on a part of the keys.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_SAMPLE_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_SAMPLE_H_

#include <cstdint>

#include "tools/winnow/advise/advice_reading.h"

namespace winnow::inspect {

// Sets `tried` and `rest` of the reading: files of about so many keys are tried, 0: all.
//
// Each file has a chance that is in proportion to its entries, one after the other in the order of
// families, levels and keys, at even distances: so all parts of the tree are met.
void ChooseSample(uint64_t sample_keys, AdviceReading* reading);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_SAMPLE_H_
