// C API of filter views.

#include <string>
#include <string_view>

#include "src/c_api/errors.h"
#include "src/c_api/handles.h"
#include "src/c_api/properties.h"

using winnow::Fault;
using winnow::FilterInfo;

using winnow::FilterView;
using winnow::PayloadCheck;

// The fault numbers of C and C++ are equal.
static_assert(static_cast<int>(Fault::kNone) == WINNOW_NO_FAULT);
static_assert(static_cast<int>(Fault::kTooShort) == WINNOW_FAULT_TOO_SHORT);
static_assert(static_cast<int>(Fault::kForeign) == WINNOW_FAULT_FOREIGN);
static_assert(static_cast<int>(Fault::kVersion) == WINNOW_FAULT_VERSION);
static_assert(static_cast<int>(Fault::kTailChecksum) == WINNOW_FAULT_TAIL_CHECKSUM);
static_assert(static_cast<int>(Fault::kKind) == WINNOW_FAULT_KIND);
static_assert(static_cast<int>(Fault::kHash) == WINNOW_FAULT_HASH);
static_assert(static_cast<int>(Fault::kParameters) == WINNOW_FAULT_PARAMETERS);
static_assert(static_cast<int>(Fault::kSize) == WINNOW_FAULT_SIZE);
static_assert(static_cast<int>(Fault::kPayload) == WINNOW_FAULT_PAYLOAD);

namespace winnow::c_api {

std::string_view BytesOf(const void* bytes, size_t size) {
  if (size != 0) RefuseNull({bytes});
  return KeyOf(bytes, size);
}

PayloadCheck PayloadCheckOf(winnow_payload_check check) {
  if (check == WINNOW_SKIP_PAYLOAD) return PayloadCheck::kSkip;
  if (check == WINNOW_VERIFY_PAYLOAD) return PayloadCheck::kVerify;
  throw Failure{WINNOW_BAD_VALUE, "check is " + std::to_string(check) +
                                      ", but must be WINNOW_SKIP_PAYLOAD or WINNOW_VERIFY_PAYLOAD"};
}

namespace {

template <auto kMember>
constexpr auto GetOfFilter = InfoOf<FilterView, kMember>;

double GetCountedRate(const FilterView& view) { return view.CountedRate(); }

constexpr Property<FilterView> kProperties[] = {
    {"kind", GetOfFilter<&FilterInfo::kind>},
    {"num_hashes", GetOfFilter<&FilterInfo::num_hashes>},
    {"size_bytes", GetOfFilter<&FilterInfo::size_bytes>},
    {"bits_per_key", GetOfFilter<&FilterInfo::bits_per_key>},
    {"expected_fpr", GetOfFilter<&FilterInfo::expected_fpr>},
    {"counted_fpr", GetCountedRate},
    {"target_fpr", GetOfFilter<&FilterInfo::target_fpr>},
    {"level", GetOfFilter<&FilterInfo::level>},
    {"level_plan", GetOfFilter<&FilterInfo::level_plan>},
    {"levels_below", GetOfFilter<&FilterInfo::levels_below>},
    {"version", GetOfFilter<&FilterInfo::version>},
    {"probes", GetOfFilter<&FilterInfo::probes>},
    {"columns", GetOfFilter<&FilterInfo::columns>},
    {"layers", GetOfFilter<&FilterInfo::layers>},
};

}  // namespace
}  // namespace winnow::c_api

using winnow::c_api::CodeOf;
using winnow::c_api::HandleOf;
using winnow::c_api::RefuseNull;

const char* winnow_fault_text(winnow_fault fault) {
  if (fault < 0 || fault > WINNOW_FAULT_PAYLOAD) return "unknown fault";
  return winnow::ToString(static_cast<Fault>(fault)).data();  // a string literal, so it ends with a
                                                              // 0
}

winnow_view* winnow_view_new(const void* bytes, size_t size, winnow_payload_check check,
                             winnow_error** error) {
  return HandleOf(error, [=] {
    const std::string_view block = winnow::c_api::BytesOf(bytes, size);
    const bool verify = winnow::c_api::PayloadCheckOf(check) == PayloadCheck::kVerify;
    return new winnow_view{verify ? FilterView::Verified(block) : FilterView(block), {}};
  });
}

void winnow_view_free(winnow_view* view) { delete view; }

winnow_fault winnow_view_fault(const winnow_view* view) {
  return static_cast<winnow_fault>(view->view.fault());
}

bool winnow_view_may_contain(const winnow_view* view, const void* key, size_t size) {
  return view->view.MayContain(winnow::HashKey(winnow::c_api::KeyOf(key, size)));
}

bool winnow_view_may_contain_hash(const winnow_view* view, uint64_t hash) {
  return view->view.MayContain(winnow::KeyHash{hash});
}

void winnow_view_may_contain_hashes(const winnow_view* view, const uint64_t* hashes, size_t n,
                                    bool* results) {
  view->view.MayContain(winnow::c_api::HashesOf(hashes), n, results);
}

bool winnow_view_payload_intact(const winnow_view* view) { return view->view.PayloadIntact(); }

winnow_code winnow_view_get(const winnow_view* view, const char* name, double* value,
                            winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({view, name, value});
    *value = winnow::c_api::FindProperty(winnow::c_api::kProperties, name).of(view->view);
  });
}
