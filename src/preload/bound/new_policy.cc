// Entry point of the plugin for the Java library.

#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "src/preload/bound/binding.h"
#include "src/preload/interposer.h"
#include "src/preload/request.h"
#include "src/rocksdb/registration.h"

namespace winnow::preload {
namespace {

using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Status;

// Returns a new policy, or null if `text` is null or on failure.
std::shared_ptr<const FilterPolicy>* MakePolicy(const char* build, const char* text,
                                                std::string* reason) {
  if (std::strcmp(build, kInterposerBuild) != 0) {
    *reason = std::string("the plugin is not of one build with the library of Java: it is ") +
              kInterposerBuild + ", and that is " + build;
  } else if (text == nullptr) {
    *reason = plugin::RegistrationProblem();
  } else {
    auto made = std::make_unique<std::shared_ptr<const FilterPolicy>>();
    const Status status = plugin::MakePolicyByText(text, made.get());
    if (status.ok()) return made.release();
    *reason = Sentence(status);
  }
  return nullptr;
}

}  // namespace
}  // namespace winnow::preload

extern "C" WINNOW_EXPORT void* winnow_rocksdb_new_policy(const char* build, const char* text,
                                                         char* reason, size_t size) {
  reason[0] = '\0';
  try {
    std::string problem;
    void* const made = winnow::preload::MakePolicy(build, text, &problem);
    reason[problem.copy(reason, size - 1)] = '\0';
    return made;
  } catch (const std::exception& problem) {
    std::strncpy(reason, problem.what(), size - 1);
    reason[size - 1] = '\0';
    return nullptr;
  }
}
