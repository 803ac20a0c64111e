// JNI library of WinnowFilter.java. Depends on the C library only, and serves all versions of
// rocksdbjni: code that depends on RocksDB is in the plugin that is bound to rocksdbjni.

#include <dlfcn.h>
#include <jni.h>
#include <link.h>
#include <pthread.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "src/preload/bound/binding.h"
#include "src/preload/find_symbol.h"
#include "src/preload/front/bound_plugin.h"
#include "src/preload/front/kept_text.h"
#include "src/preload/interposer.h"

namespace winnow::java {
namespace {

using preload::FindSymbol;
using preload::HostVersion;
using preload::KeepText;
using preload::NewPolicy;

// Names of rocksdbjni's function that deletes filter policies, in its different versions.
constexpr const char* kDeleteFilter[] = {"Java_org_rocksdb_Filter_disposeInternal",
                                         "Java_org_rocksdb_Filter_disposeInternalJni"};

// Protects the variables below, which are set once.
pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
void* g_host = nullptr;  // handle of rocksdbjni's library
HostVersion g_version;
NewPolicy* g_new_policy = nullptr;

class Lock {
 public:
  Lock() noexcept { ::pthread_mutex_lock(&g_mutex); }
  ~Lock() { ::pthread_mutex_unlock(&g_mutex); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

// Paths of the loaded objects, each with a terminating zero.
struct Names {
  char* bytes;
  size_t size;
};

int AddName(dl_phdr_info* object, size_t, void* names_of_caller) noexcept {
  auto* const names = static_cast<Names*>(names_of_caller);
  const size_t size = object->dlpi_name == nullptr ? 0 : std::strlen(object->dlpi_name);
  if (size == 0) return 0;
  auto* const larger = static_cast<char*>(std::realloc(names->bytes, names->size + size + 1));
  if (larger == nullptr) return 1;
  std::memcpy(larger + names->size, object->dlpi_name, size + 1);
  *names = {larger, names->size + size + 1};
  return 0;
}

// Returns true if this object itself, rather than one of its dependencies, defines rocksdbjni's
// functions.
bool IsRocksdbjni(const char* name) noexcept {
  void* const opened = ::dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (opened == nullptr) {
    ::dlerror();
    return false;
  }
  bool is_host = false;
  for (const char* const symbol : kDeleteFilter) {
    Dl_info known{};
    void* const function = FindSymbol(opened, symbol);
    is_host = is_host || (function != nullptr && ::dladdr(function, &known) != 0 &&
                          std::strcmp(known.dli_fname, name) == 0);
  }
  ::dlclose(opened);
  return is_host;
}

const char* FindHost() noexcept {
  if (g_host != nullptr) return nullptr;
  // The JVM loads libraries with local scope, so dlsym() can't find their symbols without a handle.
  // dlopen() must not be called from a callback of dl_iterate_phdr(), so the names are copied
  // first.
  Names names{};
  ::dl_iterate_phdr(&AddName, &names);
  int found = 0;
  char path[PATH_MAX] = "";
  for (size_t at = 0; at < names.size; at += std::strlen(names.bytes + at) + 1) {
    if (!IsRocksdbjni(names.bytes + at)) continue;
    std::snprintf(path, sizeof path, "%s", names.bytes + at);
    ++found;
  }
  std::free(names.bytes);
  if (found == 0) return "there is no library of rocksdbjni in this process";
  if (found > 1) {
    return "several class loaders of this process have a library of rocksdbjni each; Winnow needs "
           "one that all of them share";
  }
  // The plugin calls rocksdbjni even after its class loader is unloaded.
  void* const host = ::dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (host == nullptr) return KeepText("%s can't be opened", path);
  if (const char* const problem = preload::ReadHostVersion(host, &g_version)) {
    return KeepText("the RocksDB inside %s is left alone: %s", path, problem);
  }
  g_host = host;
  return nullptr;
}

// Returns the variable from which a plugin that is opened takes its host. All copies of this
// library use the variable of the first copy with global scope. Returns null on failure.
void** PlaceOfHost(const char* own_path) noexcept {
  if (::dlopen(own_path, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL) == nullptr) return nullptr;
  void* const found = FindSymbol(RTLD_DEFAULT, preload::kJavaHostFunction);
  return found == nullptr ? nullptr : reinterpret_cast<preload::GetHostPlace*>(found)();
}

const char* Bind() noexcept {
  if (g_new_policy != nullptr) return nullptr;
  if (const char* const problem = FindHost()) return problem;
  Dl_info own{};
  char folder[PATH_MAX];
  if (::dladdr(&g_version, &own) == 0) return "Winnow's library for Java does not find itself";
  std::snprintf(folder, sizeof folder, "%s", own.dli_fname);
  char* const slash = std::strrchr(folder, '/');
  if (slash != nullptr) *slash = '\0';
  void** const place = PlaceOfHost(own.dli_fname);
  if (place == nullptr) return KeepText("%s can't be found by the plugin", own.dli_fname);
  const char* problem = nullptr;
  void* const plugin =
      preload::OpenBoundPlugin(g_host, g_version, KeepText("%s/plugins", folder), place, &problem);
  void* const function =
      plugin == nullptr ? nullptr : FindSymbol(plugin, preload::kNewPolicyFunction);
  if (function == nullptr) {
    return KeepText("the RocksDB %s inside rocksdbjni is left alone: %s", g_version.text,
                    problem != nullptr ? problem : "its plugin is of another version of Winnow");
  }
  g_new_policy = reinterpret_cast<NewPolicy*>(function);
  return nullptr;
}

void Throw(JNIEnv* env, const char* exception, const char* sentence) noexcept {
  if (jclass found = env->FindClass(exception)) env->ThrowNew(found, sentence);
}

constexpr char kIllegalState[] = "java/lang/IllegalStateException";

}  // namespace
}  // namespace winnow::java

// Returns the thread-local variable with the host of a plugin that is opened
// (src/preload/bound/binding.h).
extern "C" WINNOW_EXPORT void** winnow_java_host() {
  static __thread void* host __attribute__((tls_model("initial-exec"))) = nullptr;
  return &host;
}

// Returns the path of the required plugin, relative to this library's folder.
extern "C" JNIEXPORT jstring JNICALL Java_winnow_WinnowFilter_plugin(JNIEnv* env, jclass) {
  using namespace winnow::java;  // NOLINT: these are the names that Java knows
  const Lock lock;
  if (const char* const problem = FindHost()) {
    Throw(env, kIllegalState, problem);
    return nullptr;
  }
  return env->NewStringUTF(winnow::preload::PathOfBoundPlugin(g_version, "plugins"));
}

// Registers the policy. Unless `policy` is null, makes a policy and returns the address of a
// pointer to it. Throws a Java exception and returns 0 on failure.
extern "C" JNIEXPORT jlong JNICALL Java_winnow_WinnowFilter_create(JNIEnv* env, jclass,
                                                                   jstring policy) {
  using namespace winnow::java;  // NOLINT
  const Lock lock;
  if (const char* const problem = Bind()) {
    Throw(env, kIllegalState, problem);
    return 0;
  }
  const char* text = nullptr;
  if (policy != nullptr && (text = env->GetStringUTFChars(policy, nullptr)) == nullptr) return 0;
  char reason[2048];
  void* const made = g_new_policy(winnow::preload::kInterposerBuild, text, reason, sizeof reason);
  if (text != nullptr) env->ReleaseStringUTFChars(policy, text);
  if (*reason != '\0') {
    Throw(env, text != nullptr ? "java/lang/IllegalArgumentException" : kIllegalState, reason);
  }
  return reinterpret_cast<jlong>(made);
}
