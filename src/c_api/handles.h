// Handles of the C API.

#ifndef WINNOW_SRC_C_API_HANDLES_H_
#define WINNOW_SRC_C_API_HANDLES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "winnow/builder.h"
#include "winnow/filter.h"
#include "winnow/filter_set.h"
#include "winnow/hash.h"
#include "winnow/options.h"
#include "winnow/range_filter.h"
#include "winnow/winnow.h"

struct winnow_options {
  winnow::FilterOptions options;  // each one is in its range
};

struct winnow_block {
  winnow::FilterBlock block;
};

struct winnow_builder {
  winnow::FilterBuilder builder;
  bool lacks_handle = false;  // out of memory for a block's handle; _finish fails until
                              // winnow_builder_clear
};

struct winnow_view {
  winnow::FilterView view;
  winnow::FilterSet owner;  // owner of the bytes, for a view of a set's file
};

struct winnow_range_builder {
  winnow::RangeFilterBuilder builder;
};

struct winnow_range_view {
  winnow::RangeFilterView view;
};

struct winnow_set {
  winnow::FilterSet set;
};

struct winnow_set_edit {
  winnow::FilterSetEdit edit;
};

namespace winnow::c_api {

// Returns the bytes. Throws a Failure if `bytes` is null and `size` is not 0.
std::string_view BytesOf(const void* bytes, size_t size);

// Returns the key, without checks, for functions that can't fail.
inline std::string_view KeyOf(const void* key, size_t size) noexcept {
  return {static_cast<const char*>(key), size};
}

// A KeyHash has the same representation as its value.
static_assert(sizeof(KeyHash) == sizeof(uint64_t));
inline const KeyHash* HashesOf(const uint64_t* values) noexcept {
  return reinterpret_cast<const KeyHash*>(values);
}

// Throws a Failure for an invalid number.
PayloadCheck PayloadCheckOf(winnow_payload_check check);

}  // namespace winnow::c_api

#endif  // WINNOW_SRC_C_API_HANDLES_H_
