#include "src/database/read_only_env.h"

#include <rocksdb/convenience.h>
#include <rocksdb/file_system.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::FileSystem;
using ROCKSDB_NAMESPACE::FileSystemWrapper;
using ROCKSDB_NAMESPACE::IODebugContext;
using ROCKSDB_NAMESPACE::IOOptions;
using ROCKSDB_NAMESPACE::IOStatus;

bool IsWriteAheadLog(const std::string& name) {
  constexpr std::string_view kSuffix = ".log";
  return name.size() > kSuffix.size() &&
         name.compare(name.size() - kSuffix.size(), kSuffix.size(), kSuffix) == 0;
}

class WithoutWriteAheadLogs final : public FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;

  const char* Name() const override { return "winnow.inspect.WithoutWriteAheadLogs"; }

  IOStatus GetChildren(const std::string& folder, const IOOptions& options,
                       std::vector<std::string>* names, IODebugContext* debug) override {
    IOStatus status = FileSystemWrapper::GetChildren(folder, options, names, debug);
    names->erase(std::remove_if(names->begin(), names->end(), IsWriteAheadLog), names->end());
    return status;
  }
};

}  // namespace

ROCKSDB_NAMESPACE::Status NewReadOnlyEnv(std::unique_ptr<ROCKSDB_NAMESPACE::Env>* env) {
  ROCKSDB_NAMESPACE::ConfigOptions config;
  config.ignore_unsupported_options = false;
  std::shared_ptr<FileSystem> read_only;
  ROCKSDB_NAMESPACE::Status status =
      FileSystem::CreateFromString(config, "ReadOnlyFileSystem", &read_only);
  if (status.ok()) {
    *env = ROCKSDB_NAMESPACE::NewCompositeEnv(std::make_shared<WithoutWriteAheadLogs>(read_only));
  }
  return status;
}

}  // namespace winnow::inspect
