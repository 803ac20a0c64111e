// Flags that several verbs take; each verb says in its row which ones are its.

#ifndef WINNOW_TOOLS_FLAGS_H_
#define WINNOW_TOOLS_FLAGS_H_

#include <absl/flags/declare.h>

ABSL_DECLARE_FLAG(bool, json);
ABSL_DECLARE_FLAG(bool, hex);  // verb_probe.cc

#endif  // WINNOW_TOOLS_FLAGS_H_
