// The factory goes into the library of factories that it is given, by either way of registering.

#include "src/rocksdb/factory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/utilities/object_registry.h>

#include <memory>
#include <string>

// src/rocksdb/in_tree.cc, as RocksDB's build_version.cc declares it.
extern "C" int winnow_register_in_tree(ROCKSDB_NAMESPACE::ObjectLibrary&, const std::string&);

namespace winnow::plugin {
namespace factory_test {

using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::ObjectLibrary;

// The name of the policy that the library makes; or what it says instead.
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
  EXPECT_EQ(winnow_register_in_tree(library, "winnow"), 3);  // of policies, extractors, listeners
  EXPECT_EQ(Make(library, "winnow:10"), "winnow.Filter");
  EXPECT_EQ(Make(*ObjectLibrary::Default(), "winnow:10"), "no factory");
}

}  // namespace factory_test
}  // namespace winnow::plugin
