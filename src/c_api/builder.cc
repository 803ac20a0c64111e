// C API of hashes, builders and blocks.

#include <memory>
#include <new>
#include <string>
#include <utility>

#include "src/c_api/errors.h"
#include "src/c_api/handles.h"

namespace winnow::c_api {
namespace {

// Returns the options of a handle, or the defaults for null. Throws a Failure if the combination is
// invalid.
FilterOptions OptionsOf(const winnow_options* options) {
  if (options == nullptr) return {};
  std::string problem = CheckOptions(options->options);
  if (!problem.empty()) throw Failure{WINNOW_BAD_OPTIONS, std::move(problem)};
  return options->options;
}

// Allocates the handle before the filter is built, since nothing may fail after that.
std::unique_ptr<winnow_block> HandleFor(winnow_builder* builder) {
  if (builder->lacks_handle) throw std::bad_alloc();
  builder->lacks_handle = true;
  auto block = std::make_unique<winnow_block>();
  builder->lacks_handle = false;
  return block;
}

}  // namespace
}  // namespace winnow::c_api

using winnow::KeyHash;
using winnow::c_api::CodeOf;
using winnow::c_api::HandleFor;
using winnow::c_api::HandleOf;
using winnow::c_api::OptionsOf;
using winnow::c_api::RefuseNull;

const char* winnow_version(void) { return winnow::Version(); }

const char* winnow_kernel_name(void) { return winnow::KernelName(); }

uint64_t winnow_hash(const void* key, size_t size) {
  return winnow::HashKey(winnow::c_api::KeyOf(key, size)).value;
}

void winnow_hash_many(const void* keys, const size_t* ends, size_t n, uint64_t* hashes) {
  const char* const bytes = static_cast<const char*>(keys);
  size_t begin = 0;
  for (size_t i = 0; i < n; ++i) {
    hashes[i] = winnow_hash(bytes + begin, ends[i] - begin);
    begin = ends[i];
  }
}

const void* winnow_block_data(const winnow_block* block) { return block->block.data.get(); }

size_t winnow_block_size(const winnow_block* block) { return block->block.size; }

void winnow_block_free(winnow_block* block) { delete block; }

winnow_builder* winnow_builder_new(const winnow_options* options, winnow_error** error) {
  return HandleOf(error,
                  [=] { return new winnow_builder{winnow::FilterBuilder(OptionsOf(options))}; });
}

void winnow_builder_free(winnow_builder* builder) { delete builder; }

winnow_code winnow_builder_set_options(winnow_builder* builder, const winnow_options* options,
                                       winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({builder});
    builder->builder.SetOptions(OptionsOf(options));
  });
}

winnow_code winnow_builder_add(winnow_builder* builder, const void* key, size_t size,
                               winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({builder});
    builder->builder.Add(winnow::HashKey(winnow::c_api::BytesOf(key, size)));
  });
}

winnow_code winnow_builder_add_hash(winnow_builder* builder, uint64_t hash, winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({builder});
    builder->builder.Add(KeyHash{hash});
  });
}

winnow_code winnow_builder_add_hashes(winnow_builder* builder, const uint64_t* hashes, size_t n,
                                      winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({builder});
    if (n != 0) RefuseNull({hashes});
    builder->builder.Add(winnow::c_api::HashesOf(hashes), n);
  });
}

uint64_t winnow_builder_num_hashes(const winnow_builder* builder) {
  return builder->builder.num_hashes();
}

size_t winnow_builder_estimate_size(const winnow_builder* builder, uint64_t n) {
  return builder->builder.EstimateSize(n);
}

uint64_t winnow_builder_estimate_capacity(const winnow_builder* builder, size_t bytes) {
  return builder->builder.EstimateCapacity(bytes);
}

winnow_block* winnow_builder_finish(winnow_builder* builder, winnow_error** error) {
  return HandleOf(error, [=] {
    RefuseNull({builder});
    auto block = HandleFor(builder);
    block->block = builder->builder.Finish();
    return block.release();
  });
}

winnow_code winnow_builder_finish_into(winnow_builder* builder, void* buffer, size_t capacity,
                                       size_t* size, winnow_block** block, winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({builder, size, block});
    if (capacity != 0) RefuseNull({buffer});
    auto larger = HandleFor(builder);
    winnow::PlacedBlock placed = builder->builder.Finish(static_cast<char*>(buffer), capacity);
    *size = placed.bytes.size();
    *block = nullptr;
    if (placed.overflow != nullptr) {
      larger->block = {std::move(placed.overflow), placed.bytes.size()};
      *block = larger.release();
    }
  });
}

void winnow_builder_clear(winnow_builder* builder) {
  builder->builder.Clear();
  builder->lacks_handle = false;
}

size_t winnow_thread_memory(void) { return winnow::FilterBuilder::ThreadMemory(); }

void winnow_free_thread_memory(void) { winnow::FilterBuilder::FreeThreadMemory(); }
