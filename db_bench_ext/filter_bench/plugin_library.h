// Winnow's plugin in a shared library that is opened by its path, beside other builds in one
// process.

#ifndef WINNOW_DB_BENCH_EXT_FILTER_BENCH_PLUGIN_LIBRARY_H_
#define WINNOW_DB_BENCH_EXT_FILTER_BENCH_PLUGIN_LIBRARY_H_

#include <absl/status/statusor.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/status.h>
#include <rocksdb/utilities/object_registry.h>

#include <memory>
#include <string>

namespace winnow::bench {

class PluginLibrary {
 public:
  // Opens the file of "NAME=FILE": a copy of it in memory, which has its own code, tables and
  // thread-local state, even if the same file is opened again. It stays in the process. No other
  // thread may use RocksDB meanwhile.
  static absl::StatusOr<PluginLibrary> Open(const std::string& text);

  const std::string& name() const { return name_; }

  // Creates a policy of this library. `options` are as in an options string, without the id:
  // "bits_per_key=10;level_plan=auto".
  ROCKSDB_NAMESPACE::Status NewPolicy(
      const std::string& options,
      std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy) const;

  // Returns winnow::NewListener() of this library for one of its policies.
  std::shared_ptr<ROCKSDB_NAMESPACE::EventListener> NewListener(
      const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>& policy) const {
    return new_listener_(policy);
  }

 private:
  using NewListenerFunction = std::shared_ptr<ROCKSDB_NAMESPACE::EventListener>(
      const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>&);

  std::string name_;
  // The registry has this library's policy alone, which all of them name "winnow".
  std::shared_ptr<ROCKSDB_NAMESPACE::ObjectRegistry> registry_;
  NewListenerFunction* new_listener_ = nullptr;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_FILTER_BENCH_PLUGIN_LIBRARY_H_
