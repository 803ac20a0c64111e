#include "db_bench_ext/filter_bench/plugin_library.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <dlfcn.h>
#include <rocksdb/convenience.h>
#include <sys/mman.h>

#include <fstream>
#include <utility>

namespace winnow::bench {
namespace {

using ROCKSDB_NAMESPACE::ObjectLibrary;

// winnow::NewListener() of winnow/rocksdb_listener.h.
constexpr char kNewListener[] =
    "_ZN6winnow11NewListenerERKSt10shared_ptrIKN7rocksdb12FilterPolicyEE";

// Opens a library that registers its policy in ObjectLibrary::Default(), as Winnow's do once, when
// they are loaded. `factories` is the default meanwhile: RocksDB makes all policies of one name by
// the first factory of a default that has several.
void* OpenInto(const std::string& path, std::shared_ptr<ObjectLibrary> factories) {
  std::swap(ObjectLibrary::Default(), factories);
  void* const opened = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::swap(ObjectLibrary::Default(), factories);
  return opened;
}

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
  PluginLibrary library;
  library.name_ = text.substr(0, equals);
  library.registry_ = ROCKSDB_NAMESPACE::ObjectRegistry::NewInstance();
  const std::shared_ptr<ObjectLibrary> factories = library.registry_->AddLibrary(path);
  void* const opened = OpenInto(copy_path, factories);
  if (opened == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("can't open the library ", path, ": ", ::dlerror()));
  }
  library.new_listener_ = reinterpret_cast<NewListenerFunction*>(::dlsym(opened, kNewListener));
  if (library.new_listener_ == nullptr ||
      factories->FindFactory<const ROCKSDB_NAMESPACE::FilterPolicy>("winnow") == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is no libwinnow_rocksdb.so"));
  }
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
