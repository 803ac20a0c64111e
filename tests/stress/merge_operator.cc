#include "tests/stress/merge_operator.h"

#include <rocksdb/slice.h>
#include <rocksdb/utilities/object_registry.h>

#include <string>

namespace winnow::stress {
namespace {

class Concatenation final : public ROCKSDB_NAMESPACE::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "winnow.stress.Concatenation"; }
  bool Merge(const ROCKSDB_NAMESPACE::Slice&, const ROCKSDB_NAMESPACE::Slice* existing,
             const ROCKSDB_NAMESPACE::Slice& value, std::string* result,
             ROCKSDB_NAMESPACE::Logger*) const override {
    result->clear();
    if (existing != nullptr) result->assign(existing->data(), existing->size());
    result->append(value.data(), value.size());
    return true;
  }
};

}  // namespace

std::shared_ptr<ROCKSDB_NAMESPACE::MergeOperator> NewConcatenation() {
  return std::make_shared<Concatenation>();
}

void RegisterConcatenation() {
  ROCKSDB_NAMESPACE::ObjectLibrary::Default()->AddFactory<ROCKSDB_NAMESPACE::MergeOperator>(
      Concatenation().Name(),
      [](const std::string&, std::unique_ptr<ROCKSDB_NAMESPACE::MergeOperator>* made,
         std::string*) {
        made->reset(new Concatenation());
        return made->get();
      });
}

}  // namespace winnow::stress
