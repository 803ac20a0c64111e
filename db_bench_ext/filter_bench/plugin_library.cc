#include "db_bench_ext/filter_bench/plugin_library.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <dlfcn.h>
#include <rocksdb/convenience.h>
#include <sys/mman.h>

#include <fstream>

namespace winnow::bench {
namespace {

using ROCKSDB_NAMESPACE::ObjectLibrary;

// winnow::NewListener() of winnow/rocksdb_listener.h.
constexpr char kNewListener[] =
    "_ZN6winnow11NewListenerERKSt10shared_ptrIKN7rocksdb12FilterPolicyEE";

}  // namespace

absl::StatusOr<PluginLibrary> PluginLibrary::Open(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' has no name; expected NAME=FILE"));
  }
  const std::string path = text.substr(equals + 1);
  std::ifstream file(path, std::ios::binary);
  const int copy = ::memfd_create("plugin", MFD_CLOEXEC);
  const std::string copy_path = absl::StrCat("/proc/self/fd/", copy);
  if (!file || !(std::ofstream(copy_path, std::ios::binary) << file.rdbuf())) {
    return absl::InvalidArgumentError(absl::StrCat("can't read the library ", path));
  }
  void* const opened = ::dlopen(copy_path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("can't open the library ", path, ": ", ::dlerror()));
  }
  using Register = int(ObjectLibrary&, const std::string&);
  auto* const add = reinterpret_cast<Register*>(::dlsym(opened, "winnow_rocksdb_register"));
  PluginLibrary library;
  library.name_ = text.substr(0, equals);
  library.new_listener_ = reinterpret_cast<NewListenerFunction*>(::dlsym(opened, kNewListener));
  if (add == nullptr || library.new_listener_ == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is no libwinnow_rocksdb.so"));
  }
  library.registry_ = ROCKSDB_NAMESPACE::ObjectRegistry::NewInstance();
  add(*library.registry_->AddLibrary(path), "");
  return library;
}

ROCKSDB_NAMESPACE::Status PluginLibrary::NewPolicy(
    const std::string& options,
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy) const {
  ROCKSDB_NAMESPACE::ConfigOptions strictly;
  strictly.ignore_unsupported_options = false;
  strictly.registry = registry_;
  return ROCKSDB_NAMESPACE::FilterPolicy::CreateFromString(
      strictly, absl::StrCat("{id=winnow;", options, "}"), policy);
}

}  // namespace winnow::bench
