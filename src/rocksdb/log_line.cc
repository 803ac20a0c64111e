#include "src/rocksdb/log_line.h"

#include <algorithm>

#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/version_guard.h"
#include "src/simd/kernels.h"
#include "winnow/version.h"

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::InfoLogLevel;
using ROCKSDB_NAMESPACE::Logger;

bool LogLine::Note(const Logger& logger) {
  const size_t size = logger.GetLogFileSize();
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = std::find_if(seen_.begin(), seen_.end(),
                                  [&logger](const Seen& seen) { return seen.logger == &logger; });
  if (known != seen_.end()) {
    const bool is_new = size < known->size;
    known->size = size;
    std::rotate(seen_.begin(), known, known + 1);
    return is_new;
  }
  if (seen_.size() == kMostLogs) {
    seen_.pop_back();
  }
  seen_.insert(seen_.begin(), {&logger, size});
  return true;
}

void LogLine::WriteOnce(Logger* logger, const char* name, const PolicyOptions& options) noexcept {
  if (logger == nullptr) {
    return;
  }
  try {
    if (Note(*logger)) {
      ROCKSDB_NAMESPACE::Log(InfoLogLevel::INFO_LEVEL, logger,
                             "[winnow] %s builds the filters of policy %s: %s (RocksDB %s, kernels "
                             "%s)",
                             Version(), name, ToString(options).c_str(), CompiledVersion(),
                             simd::ActiveKernels().name);
    }
  } catch (...) {
    // A missing line is better than a failed flush.
  }
}

}  // namespace winnow::plugin
