// Winnow for C (C99), and for languages that can call C: Rust, Go, Java, Python. Filters, bytes and
// answers are the same as with the C++ headers beside this one, in the same libwinnow.
//
// Handles. A winnow_ type is opaque. A function with _new, _copy, _build or _finish in its name
// makes a handle, which the caller owns and frees with the function of the same type with _free.
// NULL may be passed to any _free, and elsewhere only if a comment says so: functions that can fail
// return WINNOW_NULL_ARGUMENT, others must not get NULL. What a handle was made from (options of a
// builder, a set of an edit) may be freed or changed afterwards, except for bytes that a comment
// calls borrowed.
//
// Failures. A function that can fail returns a code, or a NULL handle on failure, and has a last
// parameter `error`, which may be NULL if no text is wanted. Otherwise *error is always assigned:
// NULL on success, else an error that the caller frees; its former value is ignored. Lookups in
// sets (winnow_set_candidates etc.) return a code without a text, which would need memory, and have
// no `error`. A function that fails leaves its handles unchanged and its other results unassigned,
// unless its comment says otherwise. No C++ exception leaves the library, and nothing ends the
// process.
//
// Threads. Functions without a handle are thread-safe. Any number of threads may use a handle at
// once through functions that take a pointer to const, except for builders; all other functions
// need exclusive access to the handle. No handle is bound to a thread.
//
// Keys and blocks are bytes with a size and may contain zero bytes. Returned texts are UTF-8 and
// end with a 0. A key or array of size 0 may be NULL.
//
// The API is stable: functions, numbers and names are added, none is removed or changes its
// meaning.

#ifndef WINNOW_WINNOW_H_
#define WINNOW_WINNOW_H_

// NOLINTBEGIN(modernize-*): it is C
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "winnow/version.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Errors

// Error codes. Later versions may have more.
typedef int winnow_code;
enum {
  WINNOW_OK = 0,
  WINNOW_OUT_OF_MEMORY = 1,
  WINNOW_NULL_ARGUMENT = 2,  // a pointer is NULL that must not be
  WINNOW_UNKNOWN_NAME = 3,   // no option or property of this library has this name
  WINNOW_BAD_VALUE = 4,      // invalid value of this option, or out of its range
  WINNOW_BAD_OPTIONS = 5,    // each value is valid, but not their combination
  WINNOW_NO_SUCH_INDEX = 6,  // index behind the last file of a set or edit
  WINNOW_TOO_MANY = 7,       // more files than fit in 32 bits
  WINNOW_TOO_SMALL = 8,      // the caller's memory is too small for the answer
  WINNOW_INTERNAL = 9        // any other failure: a bug of the library
};

typedef struct winnow_error winnow_error;

// Returns a description of a code, without a full stop. Static; never NULL, also for unknown codes.
WINNOW_EXPORT const char* winnow_code_text(winnow_code code);

// Returns the error's code; WINNOW_OK for NULL.
WINNOW_EXPORT winnow_code winnow_error_code(const winnow_error* error);

// Returns a sentence without a full stop that says what was wrong, such as "bits_per_key is 99, but
// must be from 1 to 32". Lives as long as the error. "" for NULL.
WINNOW_EXPORT const char* winnow_error_text(const winnow_error* error);

WINNOW_EXPORT void winnow_error_free(winnow_error* error);

// ---- The library

// Returns "MAJOR.MINOR.PATCH" of the loaded library. Static.
WINNOW_EXPORT const char* winnow_version(void);

// Returns the name of the kernel, the set of inner loops, that this process uses, such as "avx2".
// Static.
WINNOW_EXPORT const char* winnow_kernel_name(void);

// ---- Hashes

// Returns the hash of a key that all filters use: 64-bit XXH3 with seed 0, the same on every
// machine.
WINNOW_EXPORT uint64_t winnow_hash(const void* key, size_t size);

// Hashes n keys that are stored contiguously: the first one begins at `keys`, and key i ends before
// keys + ends[i], where the next one begins. Assigns hashes[0] to hashes[n - 1]. For languages in
// which a call of a C function costs more than a hash.
WINNOW_EXPORT void winnow_hash_many(const void* keys, const size_t* ends, size_t n,
                                    uint64_t* hashes);

// ---- Options of a builder. Values are set by name, since later versions add options.
//
//   name                default   values
//   bits_per_key        10        1 to 32: accuracy, as bits per key of an equivalent Bloom filter
//   kind                auto      bloom, ribbon; as a number 1, 2
//                                 auto: by ribbon_min_keys; as a number 0
//   ribbon_min_keys     auto      minimum number of keys of a Ribbon filter
//   level               -1        -1 to 127: level of the file, recorded in the filter; -1: unknown
//   bloom_before_level  -1        at least -1: known levels below this one get Bloom filters
//   level_plan          uniform   uniform, by_level, auto. As a number 0, 1, 2
//                                 learned, 3, is refused: it needs a policy of RocksDB
//   level_size_ratio    10        2 to 100, for a plan
//   absent_share        1         0 to 1, for a plan; with uniform only 1 is valid
//   levels_below        -1        0 to 14 for a plan; -1: unknown
//
// winnow/options.h has the full definitions.

typedef struct winnow_options winnow_options;

// Returns options with default values, or NULL if out of memory.
WINNOW_EXPORT winnow_options* winnow_options_new(winnow_error** error);
WINNOW_EXPORT void winnow_options_free(winnow_options* options);

// Sets an option by name to a text such as "10", "ribbon" or "auto". Numbers are decimal, such as
// "9.5" or "1e5", regardless of the locale. Fails with WINNOW_UNKNOWN_NAME and WINNOW_BAD_VALUE;
// invalid combinations are refused by winnow_builder_new.
WINNOW_EXPORT winnow_code winnow_options_set(winnow_options* options, const char* name,
                                             const char* value, winnow_error** error);

// Sets an option by name to a number. Options with integer values refuse fractions.
WINNOW_EXPORT winnow_code winnow_options_set_number(winnow_options* options, const char* name,
                                                    double value, winnow_error** error);

// Gets the value of an option as text, in the form that winnow_options_set accepts. The text,
// including its final 0, is written to `value`, which has `capacity` bytes; 32 are enough for all
// current options. Fails with WINNOW_TOO_SMALL if the text does not fit.
WINNOW_EXPORT winnow_code winnow_options_get(const winnow_options* options, const char* name,
                                             char* value, size_t capacity, winnow_error** error);

// Returns false for a file of the last level of a tree whose lookups always find their key, by
// level_plan, absent_share and levels_below: a filter can't save a read there.
WINNOW_EXPORT bool winnow_options_need_filter(const winnow_options* options);

// Returns the name of option i, from 0 on; NULL behind the last one. Static.
WINNOW_EXPORT const char* winnow_option_name(size_t i);

// ---- Blocks: finished filters, bytes to be stored with the keys

typedef struct winnow_block winnow_block;

// Return the block's bytes, which live as long as the block, and their size. Never NULL, and never
// 0.
WINNOW_EXPORT const void* winnow_block_data(const winnow_block* block);
WINNOW_EXPORT size_t winnow_block_size(const winnow_block* block);
WINNOW_EXPORT void winnow_block_free(winnow_block* block);

// ---- Building

// Collects the keys of a file and builds one filter from them; then it is ready for the next file.
// Not thread-safe, including functions that take it as const.
typedef struct winnow_builder winnow_builder;

// Copies the options; `options` may be NULL for the defaults. Fails with WINNOW_BAD_OPTIONS.
WINNOW_EXPORT winnow_builder* winnow_builder_new(const winnow_options* options,
                                                 winnow_error** error);
WINNOW_EXPORT void winnow_builder_free(winnow_builder* builder);

// Sets the options of the filter of the keys added so far, and of later filters; `options` may be
// NULL for the defaults.
WINNOW_EXPORT winnow_code winnow_builder_set_options(winnow_builder* builder,
                                                     const winnow_options* options,
                                                     winnow_error** error);

// Add a key, a key's hash, or n hashes. A hash that equals the one added just before is not counted
// again: versions of a key are adjacent in a sorted file. May fail with WINNOW_OUT_OF_MEMORY only;
// the builder then lacks keys, and its _finish functions fail until winnow_builder_clear: give the
// file no filter, or start over.
WINNOW_EXPORT winnow_code winnow_builder_add(winnow_builder* builder, const void* key, size_t size,
                                             winnow_error** error);
WINNOW_EXPORT winnow_code winnow_builder_add_hash(winnow_builder* builder, uint64_t hash,
                                                  winnow_error** error);
WINNOW_EXPORT winnow_code winnow_builder_add_hashes(winnow_builder* builder, const uint64_t* hashes,
                                                    size_t n, winnow_error** error);

// Returns the number of hashes kept since the last _finish.
WINNOW_EXPORT uint64_t winnow_builder_num_hashes(const winnow_builder* builder);

// Returns the size in bytes of a filter of n distinct hashes: exact for Bloom, approximate for
// Ribbon (winnow/builder.h has the error bounds).
WINNOW_EXPORT size_t winnow_builder_estimate_size(const winnow_builder* builder, uint64_t n);

// Returns the number of hashes of a filter of about `bytes` bytes; at least 1.
WINNOW_EXPORT uint64_t winnow_builder_estimate_capacity(const winnow_builder* builder,
                                                        size_t bytes);

// Builds the filter; without keys, a filter that contains nothing. The builder is then empty and
// keeps its options. Fails with WINNOW_OUT_OF_MEMORY only; the builder then lacks keys, as after a
// failed winnow_builder_add.
WINNOW_EXPORT winnow_block* winnow_builder_finish(winnow_builder* builder, winnow_error** error);

// Builds the filter in `buffer` of `capacity` bytes, at any alignment. If the filter fits, *block
// is set to NULL; else *block is the filter, and the contents of the buffer are unspecified. *size
// is the filter's size in either case.
WINNOW_EXPORT winnow_code winnow_builder_finish_into(winnow_builder* builder, void* buffer,
                                                     size_t capacity, size_t* size,
                                                     winnow_block** block, winnow_error** error);

// Return the memory in bytes, at most 13 MiB, that the calling thread keeps for the next filters
// that it builds, and free it. It is also freed when the thread ends.
WINNOW_EXPORT size_t winnow_thread_memory(void);
WINNOW_EXPORT void winnow_free_thread_memory(void);

// Drops all keys, including any loss due to lack of memory. Keeps the options.
WINNOW_EXPORT void winnow_builder_clear(winnow_builder* builder);

// ---- Asking one filter

// Reasons why bytes can't be used as a filter. Later versions may have more.
typedef int winnow_fault;
enum {
  WINNOW_NO_FAULT = 0,
  WINNOW_FAULT_TOO_SHORT = 1,      // shorter than the shortest filter
  WINNOW_FAULT_FOREIGN = 2,        // another library's filter
  WINNOW_FAULT_VERSION = 3,        // a format version that this library does not know
  WINNOW_FAULT_TAIL_CHECKSUM = 4,  // the directory or the tail is damaged
  WINNOW_FAULT_KIND = 5,           // a filter kind that this library does not know
  WINNOW_FAULT_HASH = 6,           // built with another hash function or seed
  WINNOW_FAULT_PARAMETERS = 7,     // the directory or tail has a value that no builder writes
  WINNOW_FAULT_SIZE = 8,           // longer or shorter than its parameters say
  WINNOW_FAULT_PAYLOAD = 9         // the payload is damaged; detected only if checked
};

// Returns a description without a full stop. Static; never NULL, also for unknown numbers.
WINNOW_EXPORT const char* winnow_fault_text(winnow_fault fault);

// Selects whether the checksum of a filter's payload is verified before use. The directory and the
// tail are always verified. One flipped bit in a payload makes a filter deny some of its keys, so
// bytes that nothing else has checked should be verified, which takes about as long as reading
// them.
typedef int winnow_payload_check;
enum { WINNOW_SKIP_PAYLOAD = 0, WINNOW_VERIFY_PAYLOAD = 1 };

// A filter's bytes, ready for lookups. Lookups never fail, never allocate and never read outside
// the bytes, even if these are damaged.
typedef struct winnow_view winnow_view;

// Borrows the bytes, which may be unaligned and must stay unchanged until the view is freed.
// Unusable bytes are not a failure: the view then contains every key, and winnow_view_fault tells
// the reason. Fails with WINNOW_OUT_OF_MEMORY, WINNOW_NULL_ARGUMENT and WINNOW_BAD_VALUE (check).
WINNOW_EXPORT winnow_view* winnow_view_new(const void* bytes, size_t size,
                                           winnow_payload_check check, winnow_error** error);
WINNOW_EXPORT void winnow_view_free(winnow_view* view);

WINNOW_EXPORT winnow_fault winnow_view_fault(const winnow_view* view);

// Return false only if the key was not added; for absent keys, true at the filter's false-positive
// rate.
WINNOW_EXPORT bool winnow_view_may_contain(const winnow_view* view, const void* key, size_t size);
WINNOW_EXPORT bool winnow_view_may_contain_hash(const winnow_view* view, uint64_t hash);

// Looks up n hashes and assigns results[0] to results[n - 1]. Several times faster than single
// lookups in filters larger than the CPU caches.
WINNOW_EXPORT void winnow_view_may_contain_hashes(const winnow_view* view, const uint64_t* hashes,
                                                  size_t n, bool* results);

// Recomputes the payload's checksum. Returns false for a view with a fault.
WINNOW_EXPORT bool winnow_view_payload_intact(const winnow_view* view);

// Gets a property of the filter by name; fails with WINNOW_UNKNOWN_NAME. Too slow for the lookup
// path.
//
//   kind           0 empty, 1 Bloom, 2 Ribbon
//   num_hashes     hashes kept by the builder
//   size_bytes     of the whole block; the only meaningful one for a view with a fault
//   bits_per_key   8 size_bytes / num_hashes; 0 without hashes
//   expected_fpr   expected false-positive rate, 0 to 1; for Bloom the mean of all filters
//   counted_fpr    false-positive rate of this filter; reads all bytes of a Bloom filter
//   target_fpr     false-positive rate that the options asked for, 0 to 1
//   level          of the options; -1 unknown
//   level_plan     of the options, as a number; 3: learned, by a policy of RocksDB
//   levels_below   of the options; -1: unknown, or other files decided
//   version        format version
//   probes         Bloom: bits set per key
//   columns        Ribbon: mean bits of fingerprint stored per slot
//   layers         Ribbon: layers
WINNOW_EXPORT winnow_code winnow_view_get(const winnow_view* view, const char* name, double* value,
                                          winnow_error** error);

// ---- Range filters, which tell whether a key may be in a range. winnow/range_filter.h defines
// them, and the keys for which there are none.

// Collects the keys of a file, in ascending order, and builds a range filter from them.
typedef struct winnow_range_builder winnow_range_builder;

// Makes a builder that chooses the kind of range filter by the keys. With retrieval or positions,
// an empty range of L keys passes wrongly with a probability of at most L / 2^range_bits, 1 to 32,
// and the filter takes about 0.2 bits per key more than range_bits if that is 6 to 16, else about
// 2.2. Fails with WINNOW_OUT_OF_MEMORY and WINNOW_BAD_VALUE.
WINNOW_EXPORT winnow_range_builder* winnow_range_builder_new(double range_bits,
                                                             winnow_error** error);
WINNOW_EXPORT void winnow_range_builder_free(winnow_range_builder* builder);

// Adds a key that is greater than the previous one, bytewise; a key that equals it is dropped.
// Fails only with WINNOW_NULL_ARGUMENT: keys that can't have a range filter, and lack of memory,
// result in no range filter.
WINNOW_EXPORT winnow_code winnow_range_builder_add(winnow_range_builder* builder, const void* key,
                                                   size_t size, winnow_error** error);

// Returns the number of keys since the last filter; 0 once it is known that they get none.
WINNOW_EXPORT uint64_t winnow_range_builder_num_keys(const winnow_range_builder* builder);

// Returns an upper bound of the size in bytes of a range filter of n keys like those added so far.
WINNOW_EXPORT size_t winnow_range_builder_estimate_size(const winnow_range_builder* builder,
                                                        uint64_t n);

// Builds the range filter: *block is NULL if there is none. The builder is then empty. Fails with
// WINNOW_OUT_OF_MEMORY and WINNOW_NULL_ARGUMENT, and then keeps its keys.
WINNOW_EXPORT winnow_code winnow_range_builder_finish(winnow_range_builder* builder,
                                                      winnow_block** block, winnow_error** error);

// Give up: keys added so far and until _finish or _clear get no range filter; or drop all keys.
WINNOW_EXPORT void winnow_range_builder_abandon(winnow_range_builder* builder);
WINNOW_EXPORT void winnow_range_builder_clear(winnow_range_builder* builder);

// Returns a copy of the filter with the range filter as a note, to store both in one place, or an
// unchanged copy if the filter can't have a note. Fails with WINNOW_OUT_OF_MEMORY and
// WINNOW_NULL_ARGUMENT.
WINNOW_EXPORT winnow_block* winnow_block_with_range_filter(const void* bytes, size_t size,
                                                           const void* range_filter,
                                                           size_t range_filter_size,
                                                           winnow_error** error);

// Returns the range filter in the bytes of a filter, and its size; NULL and 0 if there is none.
WINNOW_EXPORT const void* winnow_range_filter_of(const void* bytes, size_t size,
                                                 size_t* range_filter_size);

// A range filter's bytes, ready for lookups. Lookups never fail, never allocate and never read
// outside the bytes, even if these are damaged.
typedef struct winnow_range_view winnow_range_view;

// Borrows the bytes and fails like winnow_view_new. With unusable bytes, every range may have a
// key.
WINNOW_EXPORT winnow_range_view* winnow_range_view_new(const void* bytes, size_t size,
                                                       winnow_payload_check check,
                                                       winnow_error** error);
WINNOW_EXPORT void winnow_range_view_free(winnow_range_view* view);

WINNOW_EXPORT winnow_fault winnow_range_view_fault(const winnow_range_view* view);

// Returns false only if no key in [begin, end) was added. The bounds may have any length. Returns
// true if end is greater than the last key, and if begin is not less than end.
WINNOW_EXPORT bool winnow_range_view_may_contain(const winnow_range_view* view, const void* begin,
                                                 size_t begin_size, const void* end,
                                                 size_t end_size);

// Returns false only if this key was not added: the range filter as a filter of keys. Since 1.2.
WINNOW_EXPORT bool winnow_range_view_may_have_key(const winnow_range_view* view, const void* key,
                                                  size_t size);

// Recomputes the checksum over all bytes. Returns false for a view with a fault.
WINNOW_EXPORT bool winnow_range_view_payload_intact(const winnow_range_view* view);

// Gets a property of the range filter by name; fails with WINNOW_UNKNOWN_NAME.
//
//   kind           0 none, 1 positions, 2 trees, 3 retrieval
//   num_keys       each counted once
//   size_bytes     the only meaningful one for a view with a fault
//   bits_per_key   8 size_bytes / num_keys
//   range_bits     of the builder
//   key_length     of each key, in bytes
//   is_exact       1: no range passes wrongly
//   version        version of the range filter format
WINNOW_EXPORT winnow_code winnow_range_view_get(const winnow_range_view* view, const char* name,
                                                double* value, winnow_error** error);

// ---- Filter sets, which ask many filters at once which files of a tree may hold a key
//
// A set has the filters of a version's files in search order. A file is identified by its index,
// from 0 on, and has an id, a number that the caller chooses. A set never changes: an edit builds
// the next version's set.
//
// The answer is a bitmap in the caller's words: bit i % 64 of word i / 64 belongs to file i. Files
// that hold the key and files whose filter can't be used have a 1.

typedef struct winnow_set winnow_set;

// Index that means no file.
#define WINNOW_NONE SIZE_MAX

// Returns an empty set. winnow_set_edit_build makes other sets.
WINNOW_EXPORT winnow_set* winnow_set_new(winnow_error** error);

// Returns another handle of the same set, for another owner. Both handles share the filters and
// keep them alive.
WINNOW_EXPORT winnow_set* winnow_set_copy(const winnow_set* set, winnow_error** error);

// Frees the handle, and the filters that no other set, edit or view of a set uses. Owners of
// borrowed bytes (winnow_set_edit_insert_view) are released by this thread.
WINNOW_EXPORT void winnow_set_free(winnow_set* set);

// Return the number of files, and of words that hold one bit per file.
WINNOW_EXPORT size_t winnow_set_size(const winnow_set* set);
WINNOW_EXPORT size_t winnow_set_num_words(const winnow_set* set);

// Assigns the files that may hold the key of this hash. `num_words` is the number of the caller's
// words, all of which are assigned; bits of files that were not asked are 0. Fails with
// WINNOW_NULL_ARGUMENT, and with WINNOW_TOO_SMALL if num_words is less than winnow_set_num_words;
// then no word is written. The other lookups in sets assign words and fail in the same way.
WINNOW_EXPORT winnow_code winnow_set_candidates(const winnow_set* set, uint64_t hash,
                                                uint64_t* words, size_t num_words);

// Looks up the key in the files from index `first` up to but excluding `last`. Indices that are not
// in the set are ignored.
WINNOW_EXPORT winnow_code winnow_set_candidates_in_range(const winnow_set* set, uint64_t hash,
                                                         size_t first, size_t last, uint64_t* words,
                                                         size_t num_words);

// Looks up the key in the files of a bitmap, which may be `words`. num_words is the size of both.
WINNOW_EXPORT winnow_code winnow_set_candidates_among(const winnow_set* set, uint64_t hash,
                                                      const uint64_t* among, uint64_t* words,
                                                      size_t num_words);

// Looks up the key in n listed files: bit i belongs to files[i]. Needs and assigns (n + 63) / 64
// words. An index that the set lacks is a candidate. Fails with WINNOW_TOO_MANY if n is 2^32 or
// more.
WINNOW_EXPORT winnow_code winnow_set_candidates_of(const winnow_set* set, uint64_t hash,
                                                   const uint32_t* files, size_t n, uint64_t* words,
                                                   size_t num_words);

// Looks up n hashes: one row of winnow_set_num_words words per hash, in order. `num_words` is the
// size of all rows.
WINNOW_EXPORT winnow_code winnow_set_candidates_many(const winnow_set* set, const uint64_t* hashes,
                                                     size_t n, uint64_t* words, size_t num_words);

// Look up n hashes: in the files of a range, or in the files of one bitmap per hash. `among` has
// rows like `words` and may be the same memory. `num_words` is the size of all rows.
WINNOW_EXPORT winnow_code winnow_set_candidates_many_in_range(const winnow_set* set,
                                                              const uint64_t* hashes, size_t n,
                                                              size_t first, size_t last,
                                                              uint64_t* words, size_t num_words);
WINNOW_EXPORT winnow_code winnow_set_candidates_many_among(const winnow_set* set,
                                                           const uint64_t* hashes, size_t n,
                                                           const uint64_t* among, uint64_t* words,
                                                           size_t num_words);

// Returns the index of the first bit from `from` on that is 1, or WINNOW_NONE. To iterate in search
// order:
//     size_t i = winnow_next_candidate(words, num_words, 0);
//     for (; i != WINNOW_NONE; i = winnow_next_candidate(words, num_words, i + 1)) …
WINNOW_EXPORT size_t winnow_next_candidate(const uint64_t* words, size_t num_words, size_t from);

// Returns the index of the first file with this id, or WINNOW_NONE. Takes time linear in the number
// of files.
WINNOW_EXPORT size_t winnow_set_find(const winnow_set* set, uint64_t id);

// Gets the id of a file. Fails with WINNOW_NO_SUCH_INDEX.
WINNOW_EXPORT winnow_code winnow_set_id(const winnow_set* set, size_t index, uint64_t* id,
                                        winnow_error** error);

// Gets the reason why the filter of a file can't be used, or WINNOW_NO_FAULT. Fails with
// WINNOW_NO_SUCH_INDEX.
WINNOW_EXPORT winnow_code winnow_set_fault(const winnow_set* set, size_t index, winnow_fault* fault,
                                           winnow_error** error);

// Returns a view of a file's filter, for its properties and its fault. The view keeps the set's
// filters alive; bytes that the set borrows are borrowed by the view as well.
WINNOW_EXPORT winnow_view* winnow_set_view_new(const winnow_set* set, size_t index,
                                               winnow_error** error);

// Return the bytes of all filters, copied or borrowed, and of the copies alone. The set keeps both
// alive, possibly shared with other sets.
WINNOW_EXPORT uint64_t winnow_set_total_bytes(const winnow_set* set);
WINNOW_EXPORT uint64_t winnow_set_copied_bytes(const winnow_set* set);

// ---- Building the next version of a set: files are inserted and removed at any index. Functions
// fail with WINNOW_NO_SUCH_INDEX for an index behind the end, and with WINNOW_TOO_MANY for more
// than 2^32 - 3 files.

typedef struct winnow_set_edit winnow_set_edit;

// Returns an edit with the files of `base`, which does not change; `base` may be NULL for no files.
WINNOW_EXPORT winnow_set_edit* winnow_set_edit_new(const winnow_set* base, winnow_error** error);
WINNOW_EXPORT void winnow_set_edit_free(winnow_set_edit* edit);

WINNOW_EXPORT size_t winnow_set_edit_size(const winnow_set_edit* edit);
WINNOW_EXPORT winnow_code winnow_set_edit_id(const winnow_set_edit* edit, size_t index,
                                             uint64_t* id, winnow_error** error);
// Returns the index of the first file with this id, or WINNOW_NONE.
WINNOW_EXPORT size_t winnow_set_edit_find(const winnow_set_edit* edit, uint64_t id);

// Inserts a file before the one at `index`; index winnow_set_edit_size appends. The filter's bytes
// are verified and copied to an aligned address, where lookups are fastest. `fault` may be NULL;
// else *fault is set to the reason if the bytes can't be used. Such a file is in the set
// nevertheless, as a candidate of every lookup. A file without a filter has no bytes (NULL, 0), for
// which the fault is WINNOW_FAULT_FOREIGN.
WINNOW_EXPORT winnow_code winnow_set_edit_insert_copy(winnow_set_edit* edit, size_t index,
                                                      uint64_t id, const void* bytes, size_t size,
                                                      winnow_fault* fault, winnow_error** error);

// Inserts a file like winnow_set_edit_insert_copy, but borrows the bytes, which must stay unchanged
// until `release` is called with `owner`. That happens exactly once: by the thread that frees the
// last set, edit or view of a set that has the file, or, if this function fails, before it returns.
// `release` must return normally and must not use Winnow's handles. `release` may be NULL; the
// bytes must then outlive all these sets, edits and views. `owner` may be NULL, and `fault` may be
// NULL.
WINNOW_EXPORT winnow_code winnow_set_edit_insert_view(winnow_set_edit* edit, size_t index,
                                                      uint64_t id, const void* bytes, size_t size,
                                                      winnow_payload_check check,
                                                      void (*release)(void* owner), void* owner,
                                                      winnow_fault* fault, winnow_error** error);

// Inserts the files of a set from index `first` up to but excluding `last`; their bytes are shared.
WINNOW_EXPORT winnow_code winnow_set_edit_insert_from(winnow_set_edit* edit, size_t index,
                                                      const winnow_set* from, size_t first,
                                                      size_t last, winnow_error** error);

// Moves the file at `from` so that its index becomes `to`.
WINNOW_EXPORT winnow_code winnow_set_edit_move(winnow_set_edit* edit, size_t from, size_t to,
                                               winnow_error** error);

// Removes the files from index `first` up to but excluding `last`.
WINNOW_EXPORT winnow_code winnow_set_edit_remove(winnow_set_edit* edit, size_t first, size_t last,
                                                 winnow_error** error);

// Removes the first file with this id. Returns false if there is none.
WINNOW_EXPORT bool winnow_set_edit_remove_id(winnow_set_edit* edit, uint64_t id);

// Returns a set of the current files. The edit keeps them and may be used further. Takes time
// linear in the number of files, not in their size.
WINNOW_EXPORT winnow_set* winnow_set_edit_build(const winnow_set_edit* edit, winnow_error** error);

#ifdef __cplusplus
}  // extern "C"
#endif

// NOLINTEND(modernize-*)

#endif  // WINNOW_WINNOW_H_
