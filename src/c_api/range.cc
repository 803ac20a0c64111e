// C API of range filters.

#include <memory>
#include <string>
#include <string_view>

#include "src/c_api/errors.h"
#include "src/c_api/handles.h"
#include "src/c_api/properties.h"

namespace winnow::c_api {
namespace {

RangeFilterOptions RangeOptionsOf(double range_bits) {
  if (!(range_bits >= 1 && range_bits <= 32)) {
    throw Failure{WINNOW_BAD_VALUE,
                  "range_bits is " + std::to_string(range_bits) + ", but must be from 1 to 32"};
  }
  RangeFilterOptions options;
  options.range_bits = range_bits;
  return options;
}

template <auto kMember>
constexpr auto GetOfRange = InfoOf<RangeFilterView, kMember>;

constexpr Property<RangeFilterView> kRangeProperties[] = {
    {"kind", GetOfRange<&RangeFilterInfo::kind>},
    {"num_keys", GetOfRange<&RangeFilterInfo::num_keys>},
    {"size_bytes", GetOfRange<&RangeFilterInfo::size_bytes>},
    {"bits_per_key", GetOfRange<&RangeFilterInfo::bits_per_key>},
    {"range_bits", GetOfRange<&RangeFilterInfo::range_bits>},
    {"key_length", GetOfRange<&RangeFilterInfo::key_length>},
    {"is_exact", GetOfRange<&RangeFilterInfo::is_exact>},
    {"version", GetOfRange<&RangeFilterInfo::version>},
};

}  // namespace
}  // namespace winnow::c_api

using winnow::RangeFilterView;
using winnow::c_api::BytesOf;
using winnow::c_api::CodeOf;
using winnow::c_api::HandleOf;
using winnow::c_api::KeyOf;
using winnow::c_api::RefuseNull;

winnow_range_builder* winnow_range_builder_new(double range_bits, winnow_error** error) {
  return HandleOf(error, [=] {
    return new winnow_range_builder{
        winnow::RangeFilterBuilder(winnow::c_api::RangeOptionsOf(range_bits))};
  });
}

void winnow_range_builder_free(winnow_range_builder* builder) { delete builder; }

winnow_code winnow_range_builder_add(winnow_range_builder* builder, const void* key, size_t size,
                                     winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({builder});
    builder->builder.Add(BytesOf(key, size));
  });
}

uint64_t winnow_range_builder_num_keys(const winnow_range_builder* builder) {
  return builder->builder.num_keys();
}

size_t winnow_range_builder_estimate_size(const winnow_range_builder* builder, uint64_t n) {
  return builder->builder.EstimateSize(n);
}

winnow_code winnow_range_builder_finish(winnow_range_builder* builder, winnow_block** block,
                                        winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({builder, block});
    auto made = std::make_unique<winnow_block>();
    made->block = builder->builder.Finish();
    *block = made->block.size == 0 ? nullptr : made.release();
  });
}

void winnow_range_builder_abandon(winnow_range_builder* builder) { builder->builder.Abandon(); }

void winnow_range_builder_clear(winnow_range_builder* builder) { builder->builder.Clear(); }

winnow_block* winnow_block_with_range_filter(const void* bytes, size_t size,
                                             const void* range_filter, size_t range_filter_size,
                                             winnow_error** error) {
  return HandleOf(error, [=] {
    const std::string_view filter = BytesOf(bytes, size);
    const std::string_view ranges = BytesOf(range_filter, range_filter_size);
    auto block = std::make_unique<winnow_block>();
    block->block = winnow::WithRangeFilter(filter, ranges);
    return block.release();
  });
}

const void* winnow_range_filter_of(const void* bytes, size_t size, size_t* range_filter_size) {
  const std::string_view range_filter = winnow::RangeFilterOf(KeyOf(bytes, size));
  *range_filter_size = range_filter.size();
  return range_filter.data();
}

winnow_range_view* winnow_range_view_new(const void* bytes, size_t size, winnow_payload_check check,
                                         winnow_error** error) {
  return HandleOf(error, [=] {
    const std::string_view range_filter = BytesOf(bytes, size);
    const bool verify = winnow::c_api::PayloadCheckOf(check) == winnow::PayloadCheck::kVerify;
    return new winnow_range_view{verify ? RangeFilterView::Verified(range_filter)
                                        : RangeFilterView(range_filter)};
  });
}

void winnow_range_view_free(winnow_range_view* view) { delete view; }

winnow_fault winnow_range_view_fault(const winnow_range_view* view) {
  return static_cast<winnow_fault>(view->view.fault());
}

bool winnow_range_view_may_contain(const winnow_range_view* view, const void* begin,
                                   size_t begin_size, const void* end, size_t end_size) {
  return view->view.MayContain(KeyOf(begin, begin_size), KeyOf(end, end_size));
}

bool winnow_range_view_may_have_key(const winnow_range_view* view, const void* key, size_t size) {
  return view->view.MayHaveKey(KeyOf(key, size));
}

bool winnow_range_view_payload_intact(const winnow_range_view* view) {
  return view->view.PayloadIntact();
}

winnow_code winnow_range_view_get(const winnow_range_view* view, const char* name, double* value,
                                  winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({view, name, value});
    *value = winnow::c_api::FindProperty(winnow::c_api::kRangeProperties, name).of(view->view);
  });
}
