// What filters would take, for people.

#ifndef WINNOW_TOOLS_WINNOW_SIZE_SIZE_TEXT_H_
#define WINNOW_TOOLS_WINNOW_SIZE_SIZE_TEXT_H_

#include <string>

#include "tools/winnow/size/size_report.h"

namespace winnow::tools {

// Of a wish that can be had.
std::string SizeText(const inspect::SizeReport& report);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_SIZE_SIZE_TEXT_H_
