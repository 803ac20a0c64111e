// Logger for RocksDB that writes no file.

#ifndef WINNOW_SRC_SST_QUIET_LOGGER_H_
#define WINNOW_SRC_SST_QUIET_LOGGER_H_

#include <rocksdb/env.h>

#include <atomic>

namespace winnow::inspect {

// Drops all messages, but records whether one reported an obsolete filter format, which RocksDB
// reports in no other way. Thread-safe.
class QuietLogger : public ROCKSDB_NAMESPACE::Logger {
 public:
  QuietLogger();
  ~QuietLogger() override;

  using Logger::Logv;
  void Logv(const char* format, va_list arguments) override;

  bool saw_obsolete_filter() const { return saw_obsolete_filter_; }

 private:
  std::atomic<bool> saw_obsolete_filter_ = false;
};

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_QUIET_LOGGER_H_
