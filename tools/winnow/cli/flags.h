// Flags that several verbs take; each verb says in its row which ones are its.

#ifndef WINNOW_TOOLS_WINNOW_CLI_FLAGS_H_
#define WINNOW_TOOLS_WINNOW_CLI_FLAGS_H_

#include <absl/flags/declare.h>

#include <string>

ABSL_DECLARE_FLAG(bool, json);
ABSL_DECLARE_FLAG(bool, hex);          // key_arguments.cc
ABSL_DECLARE_FLAG(std::string, keys);  // key_arguments.cc

#endif  // WINNOW_TOOLS_WINNOW_CLI_FLAGS_H_
