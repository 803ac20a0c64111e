// Flags that several verbs take; each verb says in its row which ones are its.

#ifndef WINNOW_TOOLS_FLAGS_H_
#define WINNOW_TOOLS_FLAGS_H_

#include <absl/flags/declare.h>

ABSL_DECLARE_FLAG(bool, json);

#endif  // WINNOW_TOOLS_FLAGS_H_
