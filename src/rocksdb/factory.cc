#include "src/rocksdb/factory.h"

#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/status.h>

#include <cstddef>
#include <memory>
#include <string>

#include "src/rocksdb/listener/listener.h"
#include "src/rocksdb/policy.h"
#include "src/rocksdb/ranges/range_extractor.h"
#include "winnow/rocksdb_policy.h"

namespace winnow {
namespace plugin {
namespace {

using ROCKSDB_NAMESPACE::EventListener;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::ObjectLibrary;
using ROCKSDB_NAMESPACE::SliceTransform;
using ROCKSDB_NAMESPACE::Status;

const FilterPolicy* MakeFromId(const std::string& id, std::unique_ptr<const FilterPolicy>* guard,
                               std::string* message) {
  if (const Status status = MakePolicyFromId(id, guard); !status.ok()) {
    *message = status.getState();  // RocksDB makes an InvalidArgument of it
    return nullptr;
  }
  return guard->get();
}

// Adds the extractor by its name, with or without a number after it.
void AddRangeExtractor(ObjectLibrary& library) {
  ObjectLibrary::PatternEntry names(RangeExtractor::kName, true);
  names.AddSeparator(":", false);
  library.AddFactory<const SliceTransform>(
      names, [](const std::string& /*id*/, std::unique_ptr<const SliceTransform>* guard,
                std::string* /*message*/) {
        *guard = std::make_unique<RangeExtractor>();
        return guard->get();
      });
}

}  // namespace

void AddFactory(ObjectLibrary& library) {
  // Any text may follow the ":". A pattern that takes only numbers would make RocksDB ignore other
  // text silently, as an unknown name; MakeFromId refuses it with a reason.
  ObjectLibrary::PatternEntry names("winnow", true);
  names.AnotherName("winnow.Filter").AddSeparator(":", false);
  library.AddFactory<const FilterPolicy>(names, MakeFromId);
  AddRangeExtractor(library);
  library.AddFactory<EventListener>(
      Listener::kTextName, [](const std::string& /*id*/, std::unique_ptr<EventListener>* guard,
                              std::string* /*message*/) {
        *guard = Listener::OfText();
        return guard->get();
      });
}

int AddFactoryInTree(ObjectLibrary& library) {
  AddFactory(library);
  size_t num_types;
  return static_cast<int>(library.GetFactoryCount(&num_types));
}

}  // namespace plugin

std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> NewRangeExtractor() {
  return std::make_shared<plugin::RangeExtractor>();
}

}  // namespace winnow
