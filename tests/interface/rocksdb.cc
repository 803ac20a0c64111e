// A program that is compiled with these headers, for a plugin whose structs may have grown since.
//   rocksdb_user use FOLDER            a policy made in code, a database with it, and its counters
//   rocksdb_user write FOLDER POLICY   makes a database with this policy, and its OPTIONS file
//   rocksdb_user open FOLDER HOW       opens it by that file, strict or lenient
//                                      (ignore_unknown_options), and says what its policy is

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/interface/fenced.h"
#include "third_party/rocksdb_abi/versions.h"
#include "winnow/rocksdb_c.h"
#include "winnow/rocksdb_filter_loads.h"
#include "winnow/rocksdb_filter_use.h"
#include "winnow/rocksdb_policy.h"

namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Status;
using winnow::testing::Expect;
using winnow::testing::Fenced;

// FilterLoadAlarm may grow only at its end, in `loads`.
static_assert(offsetof(winnow::FilterLoadAlarm, loads) + sizeof(winnow::FilterLoads) ==
              sizeof(winnow::FilterLoadAlarm));

void ExpectOk(const Status& status, const char* what) {
  Expect(status.ok(), what, status.ToString().c_str());
}

Options WithTable(const BlockBasedTableOptions& table) {
  Options options;
  options.create_if_missing = true;
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  return options;
}

std::unique_ptr<DB> OpenNew(const BlockBasedTableOptions& table, const std::string& folder) {
  winnow::rocksdb_abi::OpenedDB opened{};
  ExpectOk(DB::Open(WithTable(table), folder, &opened), "a new database opens");
  return winnow::rocksdb_abi::Own(std::move(opened));
}

// Checks that the interface for C tells of one lookup and one filter.
void UseByC() {
  Fenced<winnow_rocksdb_lookup_counters> lookups;
  winnow_rocksdb_get_lookup_counters(&lookups.own, sizeof lookups.own);
  Expect(lookups.own.lookups == 1 && lookups.IsIntact(), "C is told of one lookup, and no more");
  Fenced<winnow_rocksdb_sample_counters> samples;
  samples.own.trees_learned = 7;
  winnow_rocksdb_get_sample_counters(&samples.own, sizeof samples.own);
  Expect(samples.own.trees_learned == 0 && samples.IsIntact(), "C is told of no sample");
  Fenced<winnow_rocksdb_filter_loads> loads;
  winnow_rocksdb_get_filter_loads(&loads.own, sizeof loads.own);
  Expect(loads.own.blocks == 1 && loads.IsIntact(), "C is told of one filter's load");
  uint64_t filters = 0;
  const auto visit = [](void* state, const char*, const char*, const char*,
                        const winnow_rocksdb_filter_use* use) {
    *static_cast<uint64_t*>(state) += use->ranges_denied == 0 ? use->filters : 7;
  };
  const int visited =
      winnow_rocksdb_visit_filter_use(visit, &filters, sizeof(winnow_rocksdb_filter_use));
  Expect(visited == 0 && filters == 1, "C is told of the use of one filter");
}

void Use(const std::string& folder) {
  Fenced<winnow::PolicyOptions> asked;
  asked.own.bits_per_key = 12;
  asked.own.build = winnow::Build::kWinnow;
  asked.own.level_plan = winnow::LevelPlan::kUniform;
  asked.own.absent_share = 0.5;
  BlockBasedTableOptions table;
  const Status refused = winnow::NewFilterPolicy(asked.own, &table.filter_policy);
  Expect(refused.IsInvalidArgument(), "a share without a plan is refused",
         refused.ToString().c_str());
  asked.own.level_plan = winnow::LevelPlan::kAuto;
  ExpectOk(winnow::NewFilterPolicy(asked.own, &table.filter_policy),
           "what it doesn't give is at its default");
  Expect(asked.IsIntact(), "its options stay");

  const std::unique_ptr<DB> database = OpenNew(table, folder);
  for (int i = 0; i < 1000; ++i) {
    ExpectOk(database->Put({}, "key " + std::to_string(i), "value"), "a key is put");
  }
  ExpectOk(database->Flush({}), "a file is written");
  std::string value;
  ExpectOk(database->Get({}, "key 7", &value), "a key is found");

  Fenced<winnow::LookupCounters> lookups;
  winnow::FillLookupCounters(&lookups.own, sizeof lookups.own);
  Expect(lookups.own.lookups == 1 && lookups.IsIntact(), "one lookup is counted, and no more told");
  Expect(winnow::CurrentLookupCounters().lookups == 1, "the inline function says the same");
  Fenced<winnow::SampleCounters> samples;
  samples.own.trees_learned = 7;
  winnow::FillSampleCounters(&samples.own, sizeof samples.own);
  Expect(samples.own.trees_learned == 0 && samples.IsIntact(), "no sample is counted");
  Expect(winnow::CurrentSampleCounters().trees_learned == 0, "the inline function says the same");
  Fenced<winnow::FilterLoads> loads;
  Expect(winnow::CurrentFilterLoads(*table.filter_policy, &loads.own), "the policy is known");
  Expect(loads.own.blocks == 1 && loads.own.meter_bytes > 0 && loads.IsIntact(),
         "one filter was loaded");
  Expect(winnow::CurrentFilterLoads().blocks == 1, "it is in the sum");
  const std::vector<winnow::NamedFilterUse> use = winnow::CurrentFilterUse();
  Expect(use.size() == 1 && use[0].use.filters == 1 && use[0].use.keys == 1000 &&
             use[0].use.ranges_denied == 0,
         "the use of one filter is told");
  UseByC();
}

// Returns the policy of a table factory and its options; "none" without a policy.
std::string PolicyText(const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) {
  const auto* table = family.table_factory->GetOptions<BlockBasedTableOptions>();
  if (table == nullptr || table->filter_policy == nullptr) return "none";
  std::string text = table->filter_policy->GetId();
  for (const char* name : {"bits_per_key", "level_plan", "added_later"}) {
    std::string value;
    if (table->filter_policy->GetOption(ConfigOptions(), name, &value).ok()) {
      text += std::string(";") + name + "=" + value;
    }
  }
  return text;
}

void Write(const std::string& folder, const std::string& policy) {
  ConfigOptions strict;
  strict.ignore_unsupported_options = false;
  BlockBasedTableOptions table;
  ExpectOk(ROCKSDB_NAMESPACE::GetBlockBasedTableOptionsFromString(
               strict, table, "filter_policy=" + policy, &table),
           "the policy is known");
  const std::unique_ptr<DB> database = OpenNew(table, folder);
  ExpectOk(database->Put({}, "key", "value"), "a key is put");
  ExpectOk(database->Flush({}), "a file is written");
}

void OpenByOptionsFile(const std::string& folder, bool lenient) {
  ConfigOptions config;
  config.ignore_unknown_options = lenient;
  DBOptions options;
  std::vector<ColumnFamilyDescriptor> families;
  Status status = LoadLatestOptions(config, folder, &options, &families);
  if (!status.ok()) {
    std::printf("the file can't be loaded: %s\n", status.ToString().c_str());
    return;
  }
  const std::string policy = PolicyText(families.front().options);
  std::vector<ROCKSDB_NAMESPACE::ColumnFamilyHandle*> handles;
  winnow::rocksdb_abi::OpenedDB opened{};
  status = DB::Open(options, folder, families, &handles, &opened);
  const std::unique_ptr<DB> database = winnow::rocksdb_abi::Own(std::move(opened));
  if (!status.ok()) {
    std::printf("it does not open: %s\n", status.ToString().c_str());
    return;
  }
  std::string value;
  status = database->Get({}, "key", &value);
  for (ROCKSDB_NAMESPACE::ColumnFamilyHandle* handle : handles) {
    ExpectOk(database->DestroyColumnFamilyHandle(handle), "a handle is given back");
  }
  ExpectOk(status, "the key is found");
  std::printf("it opens with %s\n", policy.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "use") {
    Use(words[1]);
  } else if (words.size() == 3 && words[0] == "write") {
    Write(words[1], words[2]);
  } else if (words.size() == 3 && words[0] == "open") {
    OpenByOptionsFile(words[1], words[2] == "lenient");
  } else {
    Expect(false, "the arguments are use FOLDER, write FOLDER POLICY or open FOLDER HOW");
  }
  return 0;
}
