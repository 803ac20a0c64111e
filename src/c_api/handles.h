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
  winnow::FilterOptions options;  // each is in its range
};

struct winnow_block {
  winnow::FilterBlock block;
};

struct winnow_builder {
  winnow::FilterBuilder builder;
  bool lacks_handle = false;  // memory for a block's handle was short: none is made until a clear
};

struct winnow_view {
  winnow::FilterView view;
  winnow::FilterSet owner;  // of the bytes, if they are those of a set's file
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

// Throws a Failure if there are bytes and no pointer to them.
std::string_view BytesOf(const void* bytes, size_t size);

// The same of functions that can't fail.
inline std::string_view KeyOf(const void* key, size_t size) noexcept {
  return {static_cast<const char*>(key), size};
}

// A KeyHash is its value and nothing else.
static_assert(sizeof(KeyHash) == sizeof(uint64_t));
inline const KeyHash* HashesOf(const uint64_t* values) noexcept {
  return reinterpret_cast<const KeyHash*>(values);
}

// Throws a Failure for another number.
PayloadCheck PayloadCheckOf(winnow_payload_check check);

}  // namespace winnow::c_api

#endif  // WINNOW_SRC_C_API_HANDLES_H_
