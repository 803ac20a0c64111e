#include "src/sst/quiet_logger.h"

#include <string_view>

namespace winnow::inspect {

QuietLogger::QuietLogger() : Logger(ROCKSDB_NAMESPACE::InfoLogLevel::WARN_LEVEL) {}

QuietLogger::~QuietLogger() = default;

void QuietLogger::Logv(const char* format, va_list /*arguments*/) {
  if (std::string_view(format).find("obsolete filter type") != std::string_view::npos) {
    saw_obsolete_filter_ = true;
  }
}

}  // namespace winnow::inspect
