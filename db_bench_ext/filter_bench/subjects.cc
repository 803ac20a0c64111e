#include "db_bench_ext/filter_bench/subjects.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/table.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <list>
#include <map>
#include <tuple>
#include <utility>

namespace winnow::bench {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

namespace {

[[noreturn]] void Fail(const std::string& reason) {
  std::fprintf(stderr, "filter_bench: %s\n", reason.c_str());
  std::exit(1);
}

// Times of a filter with false negatives would be meaningless.
void CheckKeysAreFound(const Subject& subject, uint64_t filter, const FilterShape& shape,
                       FilterBitsReader* reader) {
  constexpr uint64_t kMax = 10'000;
  uint64_t found = 0;
  ForKeys(filter, 0, std::min(shape.num_keys, kMax), shape.key_length, [&](const Slice& key) {
    if (!reader->MayMatch(key)) {
      Fail(absl::StrCat("filter ", filter, " of ", shape.num_keys, " keys by ", subject.name,
                        " denies its key number ", found));
    }
    ++found;
  });
}

std::vector<Subject>& AllSubjects() {
  static std::vector<Subject> subjects = {{"winnow_bloom", false, true},
                                          {"winnow_ribbon", true, true},
                                          {"builtin_bloom", false, false},
                                          {"builtin_ribbon", true, false}};
  return subjects;
}

}  // namespace

const std::vector<Subject>& Subjects() { return AllSubjects(); }

namespace {

// Returns a copy of the name that lives until the program ends.
const char* Kept(std::string name) {
  static std::list<std::string> names;
  return names.emplace_back(std::move(name)).c_str();
}

PluginLibrary Opened(const std::string& text) {
  auto library = PluginLibrary::Open(text);
  if (!library.ok()) Fail(std::string(library.status().message()));
  return *std::move(library);
}

}  // namespace

void AddLibrary(const std::string& text) {
  const PluginLibrary library = Opened(text);
  for (const bool is_ribbon : {false, true}) {
    AllSubjects().push_back({Kept(library.name() + (is_ribbon ? "_ribbon" : "_bloom")), is_ribbon,
                             true, library, text});
  }
}

void AddTwins() {
  std::vector<Subject> twins;
  for (Subject twin : Subjects()) {
    if (twin.is_ours) {
      twin.name = Kept(std::string(twin.name) + "_twin");
      if (twin.library) twin.library = Opened(twin.opened_from);
      twins.push_back(std::move(twin));
    }
  }
  AllSubjects().insert(AllSubjects().end(), twins.begin(), twins.end());
}

const Subject* FindSubject(std::string_view name) {
  for (const Subject& subject : Subjects()) {
    if (subject.name == name) {
      return &subject;
    }
  }
  return nullptr;
}

std::shared_ptr<const FilterPolicy> NewPolicy(const Subject& subject, double bits_per_key) {
  std::shared_ptr<const FilterPolicy> policy;
  if (subject.library) {
    // A text is understood by every build.
    const Status status = subject.library->NewPolicy(
        absl::StrCat("level_plan=uniform;bits_per_key=", bits_per_key,
                     subject.is_ribbon ? ";ribbon_min_keys=1" : ";bloom_before_level=2147483647"),
        &policy);
    if (!status.ok()) {
      Fail(status.ToString());
    }
  } else if (subject.is_ours) {
    PolicyOptions options;
    options.bits_per_key = bits_per_key;
    options.ribbon_min_keys = subject.is_ribbon ? 1 : std::numeric_limits<uint64_t>::max();
    options.bloom_before_level = -1;
    const Status status = NewFilterPolicy(options, &policy);
    if (!status.ok()) {
      Fail(status.ToString());
    }
  } else if (subject.is_ribbon) {
    policy.reset(ROCKSDB_NAMESPACE::NewRibbonFilterPolicy(bits_per_key, -1));
  } else {
    policy.reset(ROCKSDB_NAMESPACE::NewBloomFilterPolicy(bits_per_key));
  }
  return policy;
}

std::unique_ptr<FilterBitsBuilder> NewBuilder(const FilterPolicy& policy) {
  static const ROCKSDB_NAMESPACE::BlockBasedTableOptions table_options;
  FilterBuildingContext context(table_options);
  context.num_levels = 7;
  context.level_at_creation = 6;
  context.is_bottommost = true;
  context.reason = ROCKSDB_NAMESPACE::TableFileCreationReason::kCompaction;
  std::unique_ptr<FilterBitsBuilder> builder(policy.GetBuilderWithContext(context));
  if (builder == nullptr) {
    Fail(std::string("the policy ") + policy.Name() + " gave no builder");
  }
  return builder;
}

void AddKeys(uint64_t filter, uint64_t num_keys, size_t key_length, FilterBitsBuilder* builder) {
  ForKeys(filter, 0, num_keys, key_length, [builder](const Slice& key) { builder->AddKey(key); });
}

BuiltFilter BuildFilter(const FilterPolicy& policy, uint64_t filter, const FilterShape& shape) {
  const auto builder = NewBuilder(policy);
  AddKeys(filter, shape.num_keys, shape.key_length, builder.get());
  BuiltFilter built;
  built.contents = builder->Finish(&built.buffer, &built.status);
  return built;
}

ReadableFilter::ReadableFilter(const FilterPolicy& policy, const Slice& contents,
                               size_t misalignment)
    : storage_(new char[contents.size() + 64 + misalignment]) {
  const size_t before = (64 - reinterpret_cast<uintptr_t>(storage_.get()) % 64) % 64 + misalignment;
  char* const begin = storage_.get() + before;
  std::memcpy(begin, contents.data(), contents.size());
  bytes_ = std::string_view(begin, contents.size());
  reader_.reset(policy.GetFilterBitsReader(Slice(begin, contents.size())));
  if (reader_ == nullptr) {
    Fail(std::string("the policy ") + policy.Name() + " gave no reader");
  }
}

const ReadableFilter& KeptFilter(const Subject& subject, uint64_t filter, const FilterShape& shape,
                                 size_t misalignment) {
  using Identity = std::tuple<std::string_view, uint64_t, uint64_t, size_t, double, size_t>;
  static std::map<Identity, const ReadableFilter> kept;
  const Identity identity(subject.name, filter, shape.num_keys, shape.key_length,
                          shape.bits_per_key, misalignment);
  const auto found = kept.find(identity);
  if (found != kept.end()) {
    return found->second;
  }
  const auto policy = NewPolicy(subject, shape.bits_per_key);
  const BuiltFilter built = BuildFilter(*policy, filter, shape);
  if (!built.status.ok()) {
    Fail(absl::StrCat(subject.name, ": ", built.status.ToString()));
  }
  const ReadableFilter& made =
      kept.try_emplace(identity, *policy, built.contents, misalignment).first->second;
  CheckKeysAreFound(subject, filter, shape, made.reader());
  return made;
}

}  // namespace winnow::bench
