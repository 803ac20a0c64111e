// Both ways of registration add the factory to the given ObjectLibrary only.

#include "src/rocksdb/factory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/utilities/object_registry.h>

#include <memory>
#include <string>

// Declared as in RocksDB's build_version.cc; defined in src/rocksdb/in_tree.cc.
extern "C" int winnow_register_in_tree(ROCKSDB_NAMESPACE::ObjectLibrary&, const std::string&);

namespace winnow::plugin {
namespace factory_test {

using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::ObjectLibrary;

// Returns the name of the policy that the library creates for `id`, or the error message.
std::string Make(const ObjectLibrary& library, const std::string& id) {
  const auto factory = library.FindFactory<const FilterPolicy>(id);
  if (!factory) return "no factory";
  std::unique_ptr<const FilterPolicy> guard;
  std::string message;
  const FilterPolicy* const policy = factory(id, &guard, &message);
  return policy != nullptr ? policy->Name() : message;
}

TEST(FactoryTest, IsInTheGivenLibraryOnly) {
  ObjectLibrary library("test");
  AddFactory(library);
  for (const char* id :
       {"winnow", "winnow:10", "winnow.Filter", "winnow.Filter:12", "winnow:ten"}) {
    EXPECT_EQ(Make(library, id), "winnow.Filter") << id;
    EXPECT_EQ(Make(*ObjectLibrary::Default(), id), "no factory") << id;
  }
  EXPECT_EQ(Make(library, "winnowed"), "no factory");
}

TEST(FactoryTest, RegistrarOfRocksDBsTreeAddsItAndCounts) {
  ObjectLibrary library("test");
  EXPECT_EQ(winnow_register_in_tree(library, "winnow"), 3);  // policies, extractors and listeners
  EXPECT_EQ(Make(library, "winnow:10"), "winnow.Filter");
  EXPECT_EQ(Make(*ObjectLibrary::Default(), "winnow:10"), "no factory");
}

}  // namespace factory_test
}  // namespace winnow::plugin
