#include "src/preload/adopted/facts.h"

extern "C" const volatile unsigned char winnow_adopted_sees_set_options = 0;
