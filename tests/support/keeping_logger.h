// A RocksDB logger that keeps its lines.

#ifndef WINNOW_TESTS_SUPPORT_KEEPING_LOGGER_H_
#define WINNOW_TESTS_SUPPORT_KEEPING_LOGGER_H_

#include <rocksdb/env.h>

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

namespace winnow::testing {

class KeepingLogger final : public ROCKSDB_NAMESPACE::Logger {
 public:
  using Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    Logv(ROCKSDB_NAMESPACE::InfoLogLevel::INFO_LEVEL, format, arguments);
  }
  void Logv(const ROCKSDB_NAMESPACE::InfoLogLevel level, const char* format,
            va_list arguments) override {
    std::vector<char> line(100'000);
    std::vsnprintf(line.data(), line.size(), format, arguments);
    const std::lock_guard<std::mutex> lock(mutex_);
    lines.emplace_back(line.data());
    if (level == ROCKSDB_NAMESPACE::InfoLogLevel::WARN_LEVEL) warnings.push_back(lines.back());
  }
  size_t GetLogFileSize() const override { return size; }

  std::vector<std::string> lines;
  std::vector<std::string> warnings;  // those of the lines that are warnings
  // A later logger may have the address of an earlier one: a new log is shorter.
  static inline size_t next_size = 1'000'000;
  size_t size = next_size -= 1000;

 private:
  std::mutex mutex_;
};

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_KEEPING_LOGGER_H_
