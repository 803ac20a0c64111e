// C API of filter sets and their edits.

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "src/c_api/errors.h"
#include "src/c_api/handles.h"

namespace winnow::c_api {
namespace {

// Returns whether rows of a set for n hashes fit into num_words words. Overflow-safe.
bool RowsFit(const FilterSet& set, size_t n, size_t num_words) noexcept {
  return set.num_words() == 0 || num_words / set.num_words() >= n;
}

// An array argument of a lookup, which returns a code without a text and never throws.
struct Array {
  const void* begin;
  size_t size;
};

bool IsMissing(const winnow_set* set, std::initializer_list<Array> arrays) noexcept {
  return set == nullptr || std::any_of(arrays.begin(), arrays.end(), [](const Array& array) {
           return array.begin == nullptr && array.size != 0;
         });
}

size_t IndexOf(std::optional<size_t> found) noexcept { return found.value_or(WINNOW_NONE); }

// Returns an owner that calls `release` when the last holder of a file's bytes is gone, or on
// failure.
std::shared_ptr<const void> OwnerOf(void (*release)(void*), void* owner) {
  if (release == nullptr) return nullptr;
  // The owner's address must not be null, though `owner` may be.
  return {static_cast<const void*>(""), [=](const void*) { release(owner); }};
}

}  // namespace
}  // namespace winnow::c_api

using winnow::FilterSet;
using winnow::IndexRange;
using winnow::KeyHash;
using winnow::c_api::BytesOf;
using winnow::c_api::CodeOf;
using winnow::c_api::Failure;
using winnow::c_api::HandleOf;
using winnow::c_api::IsMissing;
using winnow::c_api::RefuseNull;

winnow_set* winnow_set_new(winnow_error** error) {
  return HandleOf(error, [] { return new winnow_set; });
}

winnow_set* winnow_set_copy(const winnow_set* set, winnow_error** error) {
  return HandleOf(error, [=] {
    RefuseNull({set});
    return new winnow_set(*set);
  });
}

void winnow_set_free(winnow_set* set) { delete set; }

size_t winnow_set_size(const winnow_set* set) { return set->set.size(); }

size_t winnow_set_num_words(const winnow_set* set) { return set->set.num_words(); }

winnow_code winnow_set_candidates(const winnow_set* set, uint64_t hash, uint64_t* words,
                                  size_t num_words) {
  if (IsMissing(set, {{words, num_words}})) return WINNOW_NULL_ARGUMENT;
  if (num_words < set->set.num_words()) return WINNOW_TOO_SMALL;
  set->set.Candidates(KeyHash{hash}, {words, num_words});
  return WINNOW_OK;
}

winnow_code winnow_set_candidates_in_range(const winnow_set* set, uint64_t hash, size_t first,
                                           size_t last, uint64_t* words, size_t num_words) {
  if (IsMissing(set, {{words, num_words}})) return WINNOW_NULL_ARGUMENT;
  if (num_words < set->set.num_words()) return WINNOW_TOO_SMALL;
  set->set.Candidates(KeyHash{hash}, IndexRange{first, last}, {words, num_words});
  return WINNOW_OK;
}

winnow_code winnow_set_candidates_among(const winnow_set* set, uint64_t hash, const uint64_t* among,
                                        uint64_t* words, size_t num_words) {
  if (IsMissing(set, {{among, num_words}, {words, num_words}})) return WINNOW_NULL_ARGUMENT;
  if (num_words < set->set.num_words()) return WINNOW_TOO_SMALL;
  set->set.CandidatesAmong(KeyHash{hash}, {among, num_words}, {words, num_words});
  return WINNOW_OK;
}

winnow_code winnow_set_candidates_of(const winnow_set* set, uint64_t hash, const uint32_t* files,
                                     size_t n, uint64_t* words, size_t num_words) {
  if (IsMissing(set, {{files, n}, {words, num_words}})) return WINNOW_NULL_ARGUMENT;
  if (n > std::numeric_limits<uint32_t>::max()) return WINNOW_TOO_MANY;
  if (num_words < FilterSet::WordsFor(n)) return WINNOW_TOO_SMALL;
  set->set.CandidatesOf(KeyHash{hash}, files, n, {words, num_words});
  return WINNOW_OK;
}

winnow_code winnow_set_candidates_many(const winnow_set* set, const uint64_t* hashes, size_t n,
                                       uint64_t* words, size_t num_words) {
  if (IsMissing(set, {{hashes, n}, {words, num_words}})) return WINNOW_NULL_ARGUMENT;
  if (!winnow::c_api::RowsFit(set->set, n, num_words)) return WINNOW_TOO_SMALL;
  set->set.Candidates(winnow::c_api::HashesOf(hashes), n, {words, num_words});
  return WINNOW_OK;
}

winnow_code winnow_set_candidates_many_in_range(const winnow_set* set, const uint64_t* hashes,
                                                size_t n, size_t first, size_t last,
                                                uint64_t* words, size_t num_words) {
  if (IsMissing(set, {{hashes, n}, {words, num_words}})) return WINNOW_NULL_ARGUMENT;
  if (!winnow::c_api::RowsFit(set->set, n, num_words)) return WINNOW_TOO_SMALL;
  set->set.Candidates(winnow::c_api::HashesOf(hashes), n, IndexRange{first, last},
                      {words, num_words});
  return WINNOW_OK;
}

winnow_code winnow_set_candidates_many_among(const winnow_set* set, const uint64_t* hashes,
                                             size_t n, const uint64_t* among, uint64_t* words,
                                             size_t num_words) {
  if (IsMissing(set, {{hashes, n}, {among, num_words}, {words, num_words}}))
    return WINNOW_NULL_ARGUMENT;
  if (!winnow::c_api::RowsFit(set->set, n, num_words)) return WINNOW_TOO_SMALL;
  set->set.CandidatesAmong(winnow::c_api::HashesOf(hashes), n, {among, num_words},
                           {words, num_words});
  return WINNOW_OK;
}

size_t winnow_next_candidate(const uint64_t* words, size_t num_words, size_t from) {
  size_t w = from / 64;
  if (w >= num_words) return WINNOW_NONE;
  uint64_t bits = words[w] & (~uint64_t{0} << (from % 64));
  while (bits == 0) {
    if (++w == num_words) return WINNOW_NONE;
    bits = words[w];
  }
  return w * 64 + static_cast<size_t>(__builtin_ctzll(bits));
}

size_t winnow_set_find(const winnow_set* set, uint64_t id) {
  return winnow::c_api::IndexOf(set->set.Find(id));
}

winnow_code winnow_set_id(const winnow_set* set, size_t index, uint64_t* id, winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({set, id});
    if (index >= set->set.size()) throw Failure{WINNOW_NO_SUCH_INDEX, {}};
    *id = set->set.id(index);
  });
}

winnow_code winnow_set_fault(const winnow_set* set, size_t index, winnow_fault* fault,
                             winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({set, fault});
    if (index >= set->set.size()) throw Failure{WINNOW_NO_SUCH_INDEX, {}};
    *fault = static_cast<winnow_fault>(set->set.fault(index));
  });
}

winnow_view* winnow_set_view_new(const winnow_set* set, size_t index, winnow_error** error) {
  return HandleOf(error, [=] {
    RefuseNull({set});
    if (index >= set->set.size()) throw Failure{WINNOW_NO_SUCH_INDEX, {}};
    return new winnow_view{set->set.filter(index), set->set};
  });
}

uint64_t winnow_set_total_bytes(const winnow_set* set) { return set->set.total_bytes(); }

uint64_t winnow_set_copied_bytes(const winnow_set* set) { return set->set.copied_bytes(); }

winnow_set_edit* winnow_set_edit_new(const winnow_set* base, winnow_error** error) {
  return HandleOf(error, [=] {
    return new winnow_set_edit{base != nullptr ? winnow::FilterSetEdit(base->set)
                                               : winnow::FilterSetEdit()};
  });
}

void winnow_set_edit_free(winnow_set_edit* edit) { delete edit; }

size_t winnow_set_edit_size(const winnow_set_edit* edit) { return edit->edit.size(); }

winnow_code winnow_set_edit_id(const winnow_set_edit* edit, size_t index, uint64_t* id,
                               winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({edit, id});
    *id = edit->edit.id(index);
  });
}

size_t winnow_set_edit_find(const winnow_set_edit* edit, uint64_t id) {
  return winnow::c_api::IndexOf(edit->edit.Find(id));
}

winnow_code winnow_set_edit_insert_copy(winnow_set_edit* edit, size_t index, uint64_t id,
                                        const void* bytes, size_t size, winnow_fault* fault,
                                        winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({edit});
    const winnow::Fault found = edit->edit.InsertCopy(index, id, BytesOf(bytes, size));
    if (fault != nullptr) *fault = static_cast<winnow_fault>(found);
  });
}

winnow_code winnow_set_edit_insert_view(winnow_set_edit* edit, size_t index, uint64_t id,
                                        const void* bytes, size_t size, winnow_payload_check check,
                                        void (*release)(void* owner), void* owner,
                                        winnow_fault* fault, winnow_error** error) {
  return CodeOf(error, [=] {
    // Created first, so that the bytes are released on any failure.
    std::shared_ptr<const void> holder = winnow::c_api::OwnerOf(release, owner);
    RefuseNull({edit});
    const winnow::Fault found = edit->edit.InsertView(
        index, id, BytesOf(bytes, size), std::move(holder), winnow::c_api::PayloadCheckOf(check));
    if (fault != nullptr) *fault = static_cast<winnow_fault>(found);
  });
}

winnow_code winnow_set_edit_insert_from(winnow_set_edit* edit, size_t index, const winnow_set* from,
                                        size_t first, size_t last, winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({edit, from});
    edit->edit.InsertFrom(index, from->set, IndexRange{first, last});
  });
}

winnow_code winnow_set_edit_move(winnow_set_edit* edit, size_t from, size_t to,
                                 winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({edit});
    edit->edit.Move(from, to);
  });
}

winnow_code winnow_set_edit_remove(winnow_set_edit* edit, size_t first, size_t last,
                                   winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({edit});
    edit->edit.Remove(IndexRange{first, last});
  });
}

bool winnow_set_edit_remove_id(winnow_set_edit* edit, uint64_t id) {
  return edit->edit.RemoveId(id);
}

winnow_set* winnow_set_edit_build(const winnow_set_edit* edit, winnow_error** error) {
  return HandleOf(error, [=] {
    RefuseNull({edit});
    return new winnow_set{edit->edit.Build()};
  });
}
