// Winnow for C (C99), and for all languages that can call C: Rust, Go, Java, Python. The same
// filters, bytes and answers as by the C++ headers beside this one, in the same libwinnow.
//
// Handles. A winnow_ type is opaque: a function with _new, _copy, _build or _finish in its name
// makes one, which is the caller's until it is given to the function of the same type with _free.
// A NULL may be given to any _free, and nowhere else but where a comment says so: functions that
// can fail refuse it (WINNOW_NULL_ARGUMENT), others must not get it. What a handle was made from
// (options for a builder, a set for an edit) may be freed or changed afterwards, but for bytes
// that a comment says are borrowed.
//
// Failures. A function that can fail returns a code, or a handle that is NULL then, and has a last
// parameter `error`. That may be NULL, if no text is wanted. Else *error is assigned always: NULL
// if all is well, or an error that the caller frees; what was in it before is not looked at.
// Lookups in sets (winnow_set_candidates and its like) return a code without a text, which would
// take memory, and have no `error`. Where a function fails, its handles are as they were, and its
// other results are not assigned, unless it says otherwise. No C++ exception ever leaves the
// library, and nothing ends the process.
//
// Threads. Functions without a handle may be called by any thread at any time. Any number of
// threads may use a handle at once by functions that take it as pointer to const, but for
// builders; all others need that no other thread uses the handle at the same time. No handle is
// bound to the thread that made it: any other may go on with it, and free it in the end.
//
// Keys and blocks are bytes with a size; bytes of value 0 are like any others. Texts that are
// returned end with a 0 and are UTF-8. What has size 0, a key or an array, may have a NULL.
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

// Error codes. Later versions may have more of them.
typedef int winnow_code;
enum {
  WINNOW_OK = 0,
  WINNOW_OUT_OF_MEMORY = 1,
  WINNOW_NULL_ARGUMENT = 2,  // a pointer is NULL that must not be
  WINNOW_UNKNOWN_NAME = 3,   // no option or property of this library has this name
  WINNOW_BAD_VALUE = 4,      // not a value of this option, or out of its range
  WINNOW_BAD_OPTIONS = 5,    // each value is right, but they don't go together
  WINNOW_NO_SUCH_INDEX = 6,  // behind the last file of a set or edit
  WINNOW_TOO_MANY = 7,       // more files than 32 bits can number
  WINNOW_TOO_SMALL = 8,      // the memory that the caller gave for the answer
  WINNOW_INTERNAL = 9        // anything else: a fault of the library
};

typedef struct winnow_error winnow_error;

// Returns what a code means, in some words without a full stop. Static; never NULL, also for other
// numbers.
WINNOW_EXPORT const char* winnow_code_text(winnow_code code);

// WINNOW_OK for NULL.
WINNOW_EXPORT winnow_code winnow_error_code(const winnow_error* error);

// A sentence without a full stop that names what was wrong, such as "bits_per_key is 99, but must
// be from 1 to 32". Lives as long as the error. "" for NULL.
WINNOW_EXPORT const char* winnow_error_text(const winnow_error* error);

WINNOW_EXPORT void winnow_error_free(winnow_error* error);

// ---- The library

// "MAJOR.MINOR.PATCH" of the library that is loaded. Static.
WINNOW_EXPORT const char* winnow_version(void);

// Which kernels, the inner loops, this process runs, as "avx2". Static.
WINNOW_EXPORT const char* winnow_kernel_name(void);

// ---- Hashes

// The one hash of a key, by which all filters know it: XXH3, 64 bits, seed 0, the same on every
// machine.
WINNOW_EXPORT uint64_t winnow_hash(const void* key, size_t size);

// The same for n keys that lie one behind the other: the first begins at `keys`, key i ends before
// keys + ends[i], where the next one begins. Assigns hashes[0] to hashes[n - 1]. For languages in
// which a call of a C function costs more than a hash.
WINNOW_EXPORT void winnow_hash_many(const void* keys, const size_t* ends, size_t n,
                                    uint64_t* hashes);

// ---- Options: what to build. Values by name, since there will be more of them.
//
//   name                default   values
//   bits_per_key        10        1 to 32: accuracy, as the bits a key of a Bloom filter with it
//   kind                auto      bloom, ribbon; as a number 1, 2
//                                 auto: as ribbon_min_keys says; as a number 0
//   ribbon_min_keys     auto      fewer keys make a Bloom filter; auto: fewer than pay
//   level               -1        -1 to 127; of the tree, recorded in the filter. -1: unknown
//   bloom_before_level  -1        at least -1: known levels below this one get Bloom filters
//   level_plan          uniform   uniform, by_level, auto. As a number 0, 1, 2
//                                 learned, 3, is refused: it needs a policy of RocksDB
//   level_size_ratio    10        2 to 100, for a plan
//   absent_share        1         0 to 1, for a plan; with uniform only 1 is valid
//   levels_below        -1        0 to 14 for a plan; -1: unknown
//
// winnow/options.h has the whole of what they mean.

typedef struct winnow_options winnow_options;

// With the default values. NULL if there is no memory.
WINNOW_EXPORT winnow_options* winnow_options_new(winnow_error** error);
WINNOW_EXPORT void winnow_options_free(winnow_options* options);

// Sets an option by its name and a text such as "10", "ribbon" or "auto". Numbers are decimal, as
// "9.5" or "1e5", whatever the locale. Fails with WINNOW_UNKNOWN_NAME and WINNOW_BAD_VALUE; what
// does not go together is refused by the builder.
WINNOW_EXPORT winnow_code winnow_options_set(winnow_options* options, const char* name,
                                             const char* value, winnow_error** error);

// The same with a number. An option whose values are whole numbers refuses others.
WINNOW_EXPORT winnow_code winnow_options_set_number(winnow_options* options, const char* name,
                                                    double value, winnow_error** error);

// The value of an option, as winnow_options_set takes it. A text that ends with a 0 is written to
// `value`, which has room for `capacity` bytes with that 0; 32 are enough for any option of today.
// WINNOW_TOO_SMALL if they are not.
WINNOW_EXPORT winnow_code winnow_options_get(const winnow_options* options, const char* name,
                                             char* value, size_t capacity, winnow_error** error);

// False for a file of the last level of a tree whose lookups always find their key, which a filter
// could only confirm: level_plan, absent_share and levels_below say so.
WINNOW_EXPORT bool winnow_options_need_filter(const winnow_options* options);

// The names of all options, by numbers from 0 on; NULL behind the last one. Static.
WINNOW_EXPORT const char* winnow_option_name(size_t i);

// ---- Blocks: finished filters, bytes to be stored beside the keys

typedef struct winnow_block winnow_block;

// The bytes, which live as long as the block. Never NULL, and the size is never 0.
WINNOW_EXPORT const void* winnow_block_data(const winnow_block* block);
WINNOW_EXPORT size_t winnow_block_size(const winnow_block* block);
WINNOW_EXPORT void winnow_block_free(winnow_block* block);

// ---- Building

// Collects the keys of a file and makes one filter of them, then is ready for the next file. One
// thread at a time, also by functions that take it as const.
typedef struct winnow_builder winnow_builder;

// Copies the options; `options` may be NULL for the default ones. Fails with WINNOW_BAD_OPTIONS.
WINNOW_EXPORT winnow_builder* winnow_builder_new(const winnow_options* options,
                                                 winnow_error** error);
WINNOW_EXPORT void winnow_builder_free(winnow_builder* builder);

// The filter of the keys added so far, and those after it, get these options; `options` may be NULL
// for the default ones.
WINNOW_EXPORT winnow_code winnow_builder_set_options(winnow_builder* builder,
                                                     const winnow_options* options,
                                                     winnow_error** error);

// Adds a key, a key by its hash, or n of these. A hash that equals the one added just before it is
// not counted again: the versions of a key follow each other in a sorted file. Can fail with
// WINNOW_OUT_OF_MEMORY only; the builder then lacks keys, and every _finish of it fails until
// winnow_builder_clear: give the file no filter, or begin again.
WINNOW_EXPORT winnow_code winnow_builder_add(winnow_builder* builder, const void* key, size_t size,
                                             winnow_error** error);
WINNOW_EXPORT winnow_code winnow_builder_add_hash(winnow_builder* builder, uint64_t hash,
                                                  winnow_error** error);
WINNOW_EXPORT winnow_code winnow_builder_add_hashes(winnow_builder* builder, const uint64_t* hashes,
                                                    size_t n, winnow_error** error);

// The hashes kept since the last _finish.
WINNOW_EXPORT uint64_t winnow_builder_num_hashes(const winnow_builder* builder);

// The size in bytes of a filter of n hashes: exact, but for Ribbon about. winnow/builder.h
// says how close.
WINNOW_EXPORT size_t winnow_builder_estimate_size(const winnow_builder* builder, uint64_t n);

// How many hashes make a filter of about so many bytes; at least 1.
WINNOW_EXPORT uint64_t winnow_builder_estimate_capacity(const winnow_builder* builder,
                                                        size_t bytes);

// Makes the filter. No keys: a filter that contains nothing. The builder is empty again afterwards
// and keeps its options. Fails with WINNOW_OUT_OF_MEMORY only, and then as above.
WINNOW_EXPORT winnow_block* winnow_builder_finish(winnow_builder* builder, winnow_error** error);

// The same into `capacity` bytes at `buffer`, at any address: the filter begins there if it fits,
// and *block is NULL; where it does not, *block is the filter, and what is in the buffer is not
// specified. *size is the filter's size in either case.
WINNOW_EXPORT winnow_code winnow_builder_finish_into(winnow_builder* builder, void* buffer,
                                                     size_t capacity, size_t* size,
                                                     winnow_block** block, winnow_error** error);

// Memory that the calling thread keeps for the next filters that it builds, in bytes, 13 MiB at
// most, and a way to free it at once; it is freed when the thread ends.
WINNOW_EXPORT size_t winnow_thread_memory(void);
WINNOW_EXPORT void winnow_free_thread_memory(void);

// Forgets the keys added, also those that memory was lacking for. The options stay.
WINNOW_EXPORT void winnow_builder_clear(winnow_builder* builder);

// ---- Asking one filter

// Why bytes can't be used as a filter. Later versions may have more of them.
typedef int winnow_fault;
enum {
  WINNOW_NO_FAULT = 0,
  WINNOW_FAULT_TOO_SHORT = 1,      // fewer bytes than the shortest filter has
  WINNOW_FAULT_FOREIGN = 2,        // somebody else's filter
  WINNOW_FAULT_VERSION = 3,        // a version of the format that this library does not know
  WINNOW_FAULT_TAIL_CHECKSUM = 4,  // directory or tail are damaged
  WINNOW_FAULT_KIND = 5,           // a kind of filter that this library does not know
  WINNOW_FAULT_HASH = 6,           // made with another hash or seed
  WINNOW_FAULT_PARAMETERS = 7,     // directory or tail hold a value that no builder writes
  WINNOW_FAULT_SIZE = 8,           // longer or shorter than its parameters say
  WINNOW_FAULT_PAYLOAD = 9         // the payload is damaged: found only where it is checked
};

// Some words without a full stop. Static; never NULL, also for other numbers.
WINNOW_EXPORT const char* winnow_fault_text(winnow_fault fault);

// Selects whether the checksum of a filter's payload is computed before the filter is used.
// Directory and tail are checked always. One flipped bit in a payload makes a filter deny some of
// its keys: bytes that nothing else has checked should be verified, which takes about as long as to
// read them.
typedef int winnow_payload_check;
enum { WINNOW_SKIP_PAYLOAD = 0, WINNOW_VERIFY_PAYLOAD = 1 };

// A filter's bytes, ready for lookups. Lookups never fail, never allocate and read nothing outside
// the bytes, whatever these are.
typedef struct winnow_view winnow_view;

// Borrows the bytes, at any address: they must stay, unchanged, until the view is freed. Bytes that
// can't be used are no failure: such a view contains every key, and winnow_view_fault says why.
// Fails with WINNOW_OUT_OF_MEMORY, WINNOW_NULL_ARGUMENT and WINNOW_BAD_VALUE (check).
WINNOW_EXPORT winnow_view* winnow_view_new(const void* bytes, size_t size,
                                           winnow_payload_check check, winnow_error** error);
WINNOW_EXPORT void winnow_view_free(winnow_view* view);

WINNOW_EXPORT winnow_fault winnow_view_fault(const winnow_view* view);

// False only if the key was not added; true at the filter's rate if it was not.
WINNOW_EXPORT bool winnow_view_may_contain(const winnow_view* view, const void* key, size_t size);
WINNOW_EXPORT bool winnow_view_may_contain_hash(const winnow_view* view, uint64_t hash);

// The same for n hashes: assigns results[0] to results[n - 1]. Several times faster than one after
// the other in filters that are larger than the caches.
WINNOW_EXPORT void winnow_view_may_contain_hashes(const winnow_view* view, const uint64_t* hashes,
                                                  size_t n, bool* results);

// Recomputes the payload's checksum. False for a view with a fault.
WINNOW_EXPORT bool winnow_view_payload_intact(const winnow_view* view);

// A property of the filter by its name; fails with WINNOW_UNKNOWN_NAME. Not for the path of
// lookups.
//
//   kind           0 empty, 1 Bloom, 2 Ribbon
//   num_hashes     hashes kept by the builder
//   size_bytes     of the whole block; the only one that says something for a view with a fault
//   bits_per_key   8 size_bytes / num_hashes; 0 without hashes
//   expected_fpr   share of absent keys that it may contain, 0 to 1; for Bloom the mean of filters
//   counted_fpr    that of this very filter: reads all bytes of a Bloom filter
//   target_fpr     the rate that the options asked for, 0 to 1
//   level          of the options; -1 unknown
//   level_plan     of the options, as a number; 3: learned, by a policy of RocksDB
//   levels_below   of the options; -1: unknown, or other files decided
//   version        of the format
//   probes         Bloom: bits set for each key
//   columns        Ribbon: mean bits of fingerprint stored for each slot
//   layers         Ribbon: layers
WINNOW_EXPORT winnow_code winnow_view_get(const winnow_view* view, const char* name, double* value,
                                          winnow_error** error);

// ---- Range filters: whether a key may be in a range. winnow/range_filter.h has what they are, and
// of which keys there are none.

// Collects the keys of a file, in their order, and makes a range filter of them.
typedef struct winnow_range_builder winnow_range_builder;

// The kind is by the keys. Of positions a range of L keys passes wrongly with a probability of at
// most L / 2^range_bits, 1 to 32, and the filter takes about two bits a key more. Fails with
// WINNOW_OUT_OF_MEMORY and WINNOW_BAD_VALUE.
WINNOW_EXPORT winnow_range_builder* winnow_range_builder_new(double range_bits,
                                                             winnow_error** error);
WINNOW_EXPORT void winnow_range_builder_free(winnow_range_builder* builder);

// Adds a key that is greater than the one before, bytewise; one that equals it is dropped. Fails
// with WINNOW_NULL_ARGUMENT alone: keys that can't have a range filter, and those that memory was
// lacking for, end in none.
WINNOW_EXPORT winnow_code winnow_range_builder_add(winnow_range_builder* builder, const void* key,
                                                   size_t size, winnow_error** error);

// The keys since the last filter; 0 once it is known that they get none.
WINNOW_EXPORT uint64_t winnow_range_builder_num_keys(const winnow_range_builder* builder);

// The most bytes of a range filter of n keys like those added so far.
WINNOW_EXPORT size_t winnow_range_builder_estimate_size(const winnow_range_builder* builder,
                                                        uint64_t n);

// Makes the range filter: *block is NULL if there is none. The builder is empty again afterwards.
// Fails with WINNOW_OUT_OF_MEMORY and WINNOW_NULL_ARGUMENT, and then has its keys.
WINNOW_EXPORT winnow_code winnow_range_builder_finish(winnow_range_builder* builder,
                                                      winnow_block** block, winnow_error** error);

// No range filter of these keys, nor of those that are added to them; or forgets them.
WINNOW_EXPORT void winnow_range_builder_abandon(winnow_range_builder* builder);
WINNOW_EXPORT void winnow_range_builder_clear(winnow_range_builder* builder);

// The filter of so many bytes with a range filter as a note, for one place to store both. A copy of
// the filter as it is where it can't have one. Fails with WINNOW_OUT_OF_MEMORY and
// WINNOW_NULL_ARGUMENT.
WINNOW_EXPORT winnow_block* winnow_block_with_range_filter(const void* bytes, size_t size,
                                                           const void* range_filter,
                                                           size_t range_filter_size,
                                                           winnow_error** error);

// The range filter in the bytes of such a filter, and its size; NULL and 0 if there is none.
WINNOW_EXPORT const void* winnow_range_filter_of(const void* bytes, size_t size,
                                                 size_t* range_filter_size);

// A range filter's bytes, ready for questions, which never fail, never allocate and read nothing
// outside the bytes, whatever these are.
typedef struct winnow_range_view winnow_range_view;

// Borrows the bytes, as winnow_view_new does, and fails with the same codes. Bytes that can't be
// used may have a key in every range.
WINNOW_EXPORT winnow_range_view* winnow_range_view_new(const void* bytes, size_t size,
                                                       winnow_payload_check check,
                                                       winnow_error** error);
WINNOW_EXPORT void winnow_range_view_free(winnow_range_view* view);

WINNOW_EXPORT winnow_fault winnow_range_view_fault(const winnow_range_view* view);

// Returns whether a key is in [begin, end), of any length: false only if none was added. True, too,
// where end is greater than the last key, and where begin is not less than end.
WINNOW_EXPORT bool winnow_range_view_may_contain(const winnow_range_view* view, const void* begin,
                                                 size_t begin_size, const void* end,
                                                 size_t end_size);

// Recomputes the checksum over all bytes. False for a view with a fault.
WINNOW_EXPORT bool winnow_range_view_payload_intact(const winnow_range_view* view);

// A property of the range filter by its name; fails with WINNOW_UNKNOWN_NAME.
//
//   kind           0 none, 1 positions, 2 trees
//   num_keys       each counted once
//   size_bytes     the only one that says something for a view with a fault
//   bits_per_key   8 size_bytes / num_keys
//   range_bits     as it was asked for
//   key_length     of each key, in bytes
//   is_exact       1: no range passes wrongly
//   version        of the range filter's form
WINNOW_EXPORT winnow_code winnow_range_view_get(const winnow_range_view* view, const char* name,
                                                double* value, winnow_error** error);

// ---- Asking many filters at once: which of a tree's files may hold a key
//
// A set has the filters of a version's files in the order in which a lookup searches them. A file
// is known by its index, from 0 on, and carries a number of the caller's, the id. A set never
// changes: an edit makes the next version's.
//
// The answer is a bitmap in words of the caller's: bit i % 64 of word i / 64 belongs to file i. A
// file that holds the key is in it, and so is every file whose filter can't be used.

typedef struct winnow_set winnow_set;

// No index: nothing more, or not found.
#define WINNOW_NONE SIZE_MAX

// Without files. winnow_set_edit_build makes other sets.
WINNOW_EXPORT winnow_set* winnow_set_new(winnow_error** error);

// Another handle of the same set, for another owner: shares everything, and keeps it alive.
WINNOW_EXPORT winnow_set* winnow_set_copy(const winnow_set* set, winnow_error** error);

// Gives up the filters that no other set, edit or view of a set has. Owners of bytes
// (winnow_set_edit_insert_view) are released by this thread.
WINNOW_EXPORT void winnow_set_free(winnow_set* set);

// The number of files, and of the words that have a bit for each.
WINNOW_EXPORT size_t winnow_set_size(const winnow_set* set);
WINNOW_EXPORT size_t winnow_set_num_words(const winnow_set* set);

// Which files may hold the key of this hash. `num_words` is how many words the caller has. Fails
// with WINNOW_NULL_ARGUMENT, and with WINNOW_TOO_SMALL if they are fewer than winnow_set_num_words,
// and then writes nothing. Else each of so many is assigned; bits that belong to no file that was
// asked are 0. So do the next ones.
WINNOW_EXPORT winnow_code winnow_set_candidates(const winnow_set* set, uint64_t hash,
                                                uint64_t* words, size_t num_words);

// The same among the files from index `first` on, `last` not among them. What is not in the set is
// not asked.
WINNOW_EXPORT winnow_code winnow_set_candidates_in_range(const winnow_set* set, uint64_t hash,
                                                         size_t first, size_t last, uint64_t* words,
                                                         size_t num_words);

// The same among the files of a bitmap, which may be `words`. num_words is the size of both.
WINNOW_EXPORT winnow_code winnow_set_candidates_among(const winnow_set* set, uint64_t hash,
                                                      const uint64_t* among, uint64_t* words,
                                                      size_t num_words);

// The same among n listed files: bit i belongs to files[i]. Assigns and needs (n + 63) / 64 words.
// An index that the set does not have is a candidate. n is below 2^32, else WINNOW_TOO_MANY.
WINNOW_EXPORT winnow_code winnow_set_candidates_of(const winnow_set* set, uint64_t hash,
                                                   const uint32_t* files, size_t n, uint64_t* words,
                                                   size_t num_words);

// The same for n hashes: a row of winnow_set_num_words for each, one after the other, and
// `num_words` is that of all rows.
WINNOW_EXPORT winnow_code winnow_set_candidates_many(const winnow_set* set, const uint64_t* hashes,
                                                     size_t n, uint64_t* words, size_t num_words);

// The same for n hashes among the files of a range, and among those of a bitmap for each hash, in
// rows like those of `words`, which they may be, and as many words.
WINNOW_EXPORT winnow_code winnow_set_candidates_many_in_range(const winnow_set* set,
                                                              const uint64_t* hashes, size_t n,
                                                              size_t first, size_t last,
                                                              uint64_t* words, size_t num_words);
WINNOW_EXPORT winnow_code winnow_set_candidates_many_among(const winnow_set* set,
                                                           const uint64_t* hashes, size_t n,
                                                           const uint64_t* among, uint64_t* words,
                                                           size_t num_words);

// The first bit from index `from` on that is 1, or WINNOW_NONE. A walk in search order:
//     size_t i = winnow_next_candidate(words, num_words, 0);
//     for (; i != WINNOW_NONE; i = winnow_next_candidate(words, num_words, i + 1)) …
WINNOW_EXPORT size_t winnow_next_candidate(const uint64_t* words, size_t num_words, size_t from);

// The first file with this id, or WINNOW_NONE. Takes time in proportion to the number of files.
WINNOW_EXPORT size_t winnow_set_find(const winnow_set* set, uint64_t id);

// The id of a file. Fails with WINNOW_NO_SUCH_INDEX.
WINNOW_EXPORT winnow_code winnow_set_id(const winnow_set* set, size_t index, uint64_t* id,
                                        winnow_error** error);

// Why the filter of a file can't be used; WINNOW_NO_FAULT if it can. Fails with
// WINNOW_NO_SUCH_INDEX.
WINNOW_EXPORT winnow_code winnow_set_fault(const winnow_set* set, size_t index, winnow_fault* fault,
                                           winnow_error** error);

// The filter of a file, for its properties and its fault. The view keeps the filters of the set
// alive; it borrows what the set borrows.
WINNOW_EXPORT winnow_view* winnow_set_view_new(const winnow_set* set, size_t index,
                                               winnow_error** error);

// The bytes of all filters, copied or borrowed, and of them those of the copies. This set keeps
// both alive, alone or with other sets.
WINNOW_EXPORT uint64_t winnow_set_total_bytes(const winnow_set* set);
WINNOW_EXPORT uint64_t winnow_set_copied_bytes(const winnow_set* set);

// ---- Making the next version of a set: files go in and out at any place. An index behind the end
// is WINNOW_NO_SUCH_INDEX, more than 2^32 - 3 files are WINNOW_TOO_MANY.

typedef struct winnow_set_edit winnow_set_edit;

// With the files of a set, which does not change; `base` may be NULL: with none.
WINNOW_EXPORT winnow_set_edit* winnow_set_edit_new(const winnow_set* base, winnow_error** error);
WINNOW_EXPORT void winnow_set_edit_free(winnow_set_edit* edit);

WINNOW_EXPORT size_t winnow_set_edit_size(const winnow_set_edit* edit);
WINNOW_EXPORT winnow_code winnow_set_edit_id(const winnow_set_edit* edit, size_t index,
                                             uint64_t* id, winnow_error** error);
// The first file with this id, or WINNOW_NONE.
WINNOW_EXPORT size_t winnow_set_edit_find(const winnow_set_edit* edit, uint64_t id);

// Inserts a file before the one that has this index now; index winnow_set_edit_size appends. The
// filter's bytes are verified and copied to where lookups are fastest. *fault, though `fault` may
// be NULL, says if they can't be used: the file is in the set all the same, and a candidate always.
// A file without a filter has no bytes (NULL, 0), for which this says WINNOW_FAULT_FOREIGN.
WINNOW_EXPORT winnow_code winnow_set_edit_insert_copy(winnow_set_edit* edit, size_t index,
                                                      uint64_t id, const void* bytes, size_t size,
                                                      winnow_fault* fault, winnow_error** error);

// The same without a copy: borrows the bytes, which must stay, unchanged, until `release` is called
// with `owner`. That is done once, by the thread that frees the last set, edit or view of a set
// that has the file, and also, before it returns, if this function fails. It must return normally
// and must not use Winnow's handles. `release` may be NULL: nobody is told, and the bytes must
// outlive all of them. `owner` may be NULL, and `fault` may be NULL.
WINNOW_EXPORT winnow_code winnow_set_edit_insert_view(winnow_set_edit* edit, size_t index,
                                                      uint64_t id, const void* bytes, size_t size,
                                                      winnow_payload_check check,
                                                      void (*release)(void* owner), void* owner,
                                                      winnow_fault* fault, winnow_error** error);

// Inserts the files from index `first` on, `last` not among them, of a set; their bytes are shared.
WINNOW_EXPORT winnow_code winnow_set_edit_insert_from(winnow_set_edit* edit, size_t index,
                                                      const winnow_set* from, size_t first,
                                                      size_t last, winnow_error** error);

// Takes the file at `from` out and inserts it so that its index is `to`.
WINNOW_EXPORT winnow_code winnow_set_edit_move(winnow_set_edit* edit, size_t from, size_t to,
                                               winnow_error** error);

// Removes the files from index `first` on, `last` not among them.
WINNOW_EXPORT winnow_code winnow_set_edit_remove(winnow_set_edit* edit, size_t first, size_t last,
                                                 winnow_error** error);

// Removes the first file with this id. False if there is none.
WINNOW_EXPORT bool winnow_set_edit_remove_id(winnow_set_edit* edit, uint64_t id);

// The set of these files. The edit keeps them and may go on. Takes time in proportion to their
// number, not to their size.
WINNOW_EXPORT winnow_set* winnow_set_edit_build(const winnow_set_edit* edit, winnow_error** error);

#ifdef __cplusplus
}  // extern "C"
#endif

// NOLINTEND(modernize-*)

#endif  // WINNOW_WINNOW_H_
