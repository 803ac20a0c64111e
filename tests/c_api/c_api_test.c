// Test of the C API in C99: results, errors, and ownership. Exits with 0 if everything is as the
// header says, else prints the failing lines.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "winnow/winnow.h"

static int failures = 0;

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                             \
    }                                                                         \
  } while (0)

// Returns whether the error has this code and a text that contains `part`; frees the error.
static bool Says(winnow_error* error, winnow_code code, const char* part) {
  const bool says = error != NULL && winnow_error_code(error) == code &&
                    strstr(winnow_error_text(error), part) != NULL;
  if (!says) {
    fprintf(stderr, "the error is %d: %s\n", winnow_error_code(error), winnow_error_text(error));
  }
  winnow_error_free(error);
  return says;
}

// An invalid error pointer: functions must assign their output parameters.
static winnow_error* const kUnassigned = (winnow_error*)1;

static uint64_t HashOf(uint64_t i) { return winnow_hash(&i, sizeof i); }

static bool HasBit(const uint64_t* words, size_t i) { return (words[i / 64] >> (i % 64) & 1) != 0; }

// Builds a filter of the hashes of `first` to `first + n - 1`.
static winnow_block* BlockOf(uint64_t first, uint64_t n, const winnow_options* options) {
  winnow_builder* builder = winnow_builder_new(options, NULL);
  winnow_block* block = NULL;
  for (uint64_t i = first; i < first + n; ++i) {
    EXPECT(winnow_builder_add_hash(builder, HashOf(i), NULL) == WINNOW_OK);
  }
  block = winnow_builder_finish(builder, NULL);
  EXPECT(block != NULL);
  winnow_builder_free(builder);
  return block;
}

static void TestHashes(void) {
  // Value from the reference implementation of XXH3.
  EXPECT(winnow_hash(NULL, 0) == UINT64_C(0x2d06800538d394c2));
  static const char kKeys[] = "applequincemedlar";
  static const size_t kEnds[] = {5, 11, 11, 17};
  uint64_t hashes[4];
  winnow_hash_many(kKeys, kEnds, 4, hashes);
  EXPECT(hashes[0] == winnow_hash("apple", 5));
  EXPECT(hashes[1] == winnow_hash("quince", 6));
  EXPECT(hashes[2] == winnow_hash(NULL, 0));
  EXPECT(hashes[3] == winnow_hash("medlar", 6));
  EXPECT(hashes[0] != hashes[1]);
}

static bool HasText(const winnow_options* options, const char* name, const char* expected) {
  char text[32] = "";
  const winnow_code code = winnow_options_get(options, name, text, sizeof text, NULL);
  if (strcmp(text, expected) != 0) fprintf(stderr, "%s is %s, not %s\n", name, text, expected);
  return code == WINNOW_OK && strcmp(text, expected) == 0;
}

// Sets and reads an option; returns whether its text is then `expected`.
static bool Becomes(const char* name, const char* value, const char* expected) {
  winnow_error* error = kUnassigned;
  winnow_options* options = winnow_options_new(&error);
  bool good = options != NULL && error == NULL;
  error = kUnassigned;
  good = winnow_options_set(options, name, value, &error) == WINNOW_OK && error == NULL && good;
  good = HasText(options, name, expected) && good;
  winnow_options_free(options);
  return good;
}

// Returns whether this value is refused with a message that contains `part`, and the old values are
// kept.
static bool Refuses(const char* name, const char* value, winnow_code code, const char* part) {
  winnow_error* error = kUnassigned;
  winnow_options* options = winnow_options_new(NULL);
  winnow_options* fresh = winnow_options_new(NULL);
  bool good = winnow_options_set(options, name, value, &error) == code && Says(error, code, part);
  good = winnow_options_set(options, name, value, NULL) == code && good;
  for (size_t i = 0; winnow_option_name(i) != NULL; ++i) {
    char before[32] = "";
    good = winnow_options_get(fresh, winnow_option_name(i), before, sizeof before, NULL) ==
               WINNOW_OK &&
           HasText(options, winnow_option_name(i), before) && good;
  }
  winnow_options_free(fresh);
  winnow_options_free(options);
  return good;
}

static void TestOptions(void) {
  EXPECT(Becomes("bits_per_key", "9.5", "9.5"));
  EXPECT(Becomes("bits_per_key", "1e1", "10"));
  EXPECT(Becomes("bits_per_key", "12.3", "12.3"));
  EXPECT(Becomes("kind", "bloom", "bloom"));
  EXPECT(Becomes("kind", "ribbon", "ribbon"));
  EXPECT(Becomes("kind", "auto", "auto"));
  EXPECT(Becomes("ribbon_min_keys", "auto", "auto"));
  EXPECT(Becomes("ribbon_min_keys", "0", "0"));
  EXPECT(Becomes("ribbon_min_keys", "1e5", "100000"));
  EXPECT(Becomes("ribbon_min_keys", "0.0e3", "0"));
  EXPECT(Becomes("ribbon_min_keys", "-0", "0"));
  EXPECT(Becomes("ribbon_min_keys", "1e18", "1000000000000000000"));
  EXPECT(Becomes("ribbon_min_keys", "+1.8446744073709551613E19", "18446744073709551613"));
  EXPECT(Becomes("ribbon_min_keys", "9007199254740993.0", "9007199254740993"));
  EXPECT(Becomes("ribbon_min_keys", "120e-1", "12"));
  EXPECT(Becomes("ribbon_min_keys", "18446744073709551615", "18446744073709551615"));
  EXPECT(Becomes("level", "127", "127"));
  EXPECT(Becomes("bloom_before_level", "3", "3"));
  EXPECT(Becomes("level_plan", "by_level", "by_level"));
  EXPECT(Becomes("level_size_ratio", "2", "2"));
  EXPECT(Becomes("absent_share", "0.25", "0.25"));
  EXPECT(Becomes("levels_below", "1.5", "1.5"));
  EXPECT(Becomes("levels_below", "14", "14"));
  EXPECT(Becomes("levels_below", "-1", "-1"));

  EXPECT(Refuses("bits_per_key", "99", WINNOW_BAD_VALUE,
                 "bits_per_key is 99, but must be from 1 to 32"));
  EXPECT(Refuses("bits_per_key", "ten", WINNOW_BAD_VALUE,
                 "bits_per_key is ten, but must be a number"));
  EXPECT(Refuses("bits_per_key", "", WINNOW_BAD_VALUE, "bits_per_key is empty"));
  EXPECT(Refuses("bits_per_key", " 10", WINNOW_BAD_VALUE, "must be a number"));
  EXPECT(Refuses("bits_per_key", "10 ", WINNOW_BAD_VALUE, "must be a number"));
  EXPECT(Refuses("bits_per_key", "nan", WINNOW_BAD_VALUE, "must be a number"));
  EXPECT(Refuses("bits_per_key", "0x10", WINNOW_BAD_VALUE, "must be a number"));
  EXPECT(Refuses("levels_below", "1e999", WINNOW_BAD_VALUE, "must be a number"));
  EXPECT(Refuses("levels_below", "-10", WINNOW_BAD_VALUE,
                 "levels_below is -10, but must be a number from 0 to 14, or -1"));
  EXPECT(Refuses("levels_below", "-0.5", WINNOW_BAD_VALUE, "from 0 to 14, or -1"));
  EXPECT(Refuses("levels_below", "14.5", WINNOW_BAD_VALUE, "from 0 to 14, or -1"));
  EXPECT(Refuses("levels_below", "1e20", WINNOW_BAD_VALUE, "from 0 to 14, or -1"));
  EXPECT(Refuses("levels_below", "1e300", WINNOW_BAD_VALUE, "from 0 to 14, or -1"));
  EXPECT(Refuses("kind", "empty", WINNOW_BAD_VALUE, "bloom, ribbon or auto"));
  EXPECT(Refuses("ribbon_min_keys", "-1", WINNOW_BAD_VALUE, "a number of keys or auto"));
  EXPECT(Refuses("ribbon_min_keys", "1.5", WINNOW_BAD_VALUE, "a number of keys or auto"));
  EXPECT(Refuses("ribbon_min_keys", "1.8446744073709551616e19", WINNOW_BAD_VALUE, "auto"));
  EXPECT(Refuses("ribbon_min_keys", "125e-1", WINNOW_BAD_VALUE, "auto"));
  EXPECT(Refuses("ribbon_min_keys", "0x10", WINNOW_BAD_VALUE, "auto"));
  EXPECT(Refuses("ribbon_min_keys", "1E-400", WINNOW_BAD_VALUE, "a number of keys or auto"));
  EXPECT(Refuses("level", "0.5e-400", WINNOW_BAD_VALUE, "a whole number"));
  EXPECT(Refuses("ribbon_min_keys", "18446744073709551614", WINNOW_BAD_VALUE, "auto"));
  EXPECT(Refuses("level", "128", WINNOW_BAD_VALUE, "from -1 to 127"));
  EXPECT(Refuses("level", "4294967296", WINNOW_BAD_VALUE, "a whole number"));
  EXPECT(Refuses("level_plan", "4", WINNOW_BAD_VALUE, "must be uniform, by_level or auto"));
  EXPECT(Refuses("level_plan", "learned", WINNOW_BAD_VALUE,
                 "level_plan=learned needs a RocksDB policy, which sees lookups: give "
                 "level_plan=auto"));
  EXPECT(Refuses("level_plan", "3", WINNOW_BAD_VALUE, "level_plan=learned needs"));
  EXPECT(Refuses("absent_share", "1.01", WINNOW_BAD_VALUE, "from 0 to 1"));
  EXPECT(Refuses("bitsperkey", "10", WINNOW_UNKNOWN_NAME,
                 "no option bitsperkey; there are bits_per_key"));

  winnow_error* error = kUnassigned;
  winnow_options* options = winnow_options_new(&error);
  char text[32];
  EXPECT(winnow_options_set_number(options, "bits_per_key", 11.3, &error) == WINNOW_OK);
  EXPECT(error == NULL && HasText(options, "bits_per_key", "11.3"));
  EXPECT(winnow_options_set_number(options, "kind", 2, NULL) == WINNOW_OK);
  EXPECT(winnow_options_get(options, "kind", text, 7, NULL) == WINNOW_OK);
  EXPECT(strcmp(text, "ribbon") == 0);
  EXPECT(winnow_options_get(options, "kind", text, 6, &error) == WINNOW_TOO_SMALL);
  EXPECT(Says(error, WINNOW_TOO_SMALL, "kind takes 7 bytes, not 6"));
  EXPECT(winnow_options_set_number(options, "ribbon_min_keys", 1e18, NULL) == WINNOW_OK);
  EXPECT(HasText(options, "ribbon_min_keys", "1000000000000000000"));
  const double power = 1152921504606846976.0;  // 2^60
  EXPECT(winnow_options_set_number(options, "ribbon_min_keys", power, NULL) == WINNOW_OK);
  EXPECT(HasText(options, "ribbon_min_keys", "1152921504606846976"));
  EXPECT(winnow_options_set_number(options, "ribbon_min_keys", 1e20, NULL) == WINNOW_BAD_VALUE);
  EXPECT(winnow_options_set_number(options, "levels_below", 15, NULL) == WINNOW_BAD_VALUE);
  EXPECT(winnow_options_set_number(options, "level", 2.5, NULL) == WINNOW_BAD_VALUE);
  EXPECT(winnow_options_set_number(options, "bits_per_key", NAN, NULL) == WINNOW_BAD_VALUE);
  EXPECT(winnow_options_set_number(options, "bits_per_key", INFINITY, NULL) == WINNOW_BAD_VALUE);

  // Each value is valid, but not the combination, which the builder rejects.
  EXPECT(winnow_options_set(options, "absent_share", "0.5", NULL) == WINNOW_OK);
  EXPECT(winnow_builder_new(options, &error) == NULL);
  EXPECT(Says(error, WINNOW_BAD_OPTIONS, "absent_share"));
  winnow_builder* builder = winnow_builder_new(NULL, NULL);
  EXPECT(winnow_builder_set_options(builder, options, NULL) == WINNOW_BAD_OPTIONS);
  EXPECT(winnow_options_set(options, "level_plan", "auto", NULL) == WINNOW_OK);
  EXPECT(winnow_builder_set_options(builder, options, NULL) == WINNOW_OK);
  winnow_builder_free(builder);
  EXPECT(winnow_options_need_filter(options));
  EXPECT(winnow_options_set(options, "absent_share", "0", NULL) == WINNOW_OK);
  EXPECT(winnow_options_need_filter(options));
  EXPECT(winnow_options_set(options, "levels_below", "0", NULL) == WINNOW_OK);
  EXPECT(!winnow_options_need_filter(options));
  winnow_options_free(options);
}

static double Number(const winnow_view* view, const char* name) {
  double value = -99;
  EXPECT(winnow_view_get(view, name, &value, NULL) == WINNOW_OK);
  return value;
}

static void TestOneFilter(void) {
  enum { kKeys = 5000 };
  winnow_error* error = kUnassigned;
  winnow_options* options = winnow_options_new(NULL);
  EXPECT(winnow_options_set(options, "bits_per_key", "12", NULL) == WINNOW_OK);
  EXPECT(winnow_options_set(options, "level", "3", NULL) == WINNOW_OK);
  winnow_builder* builder = winnow_builder_new(options, &error);
  EXPECT(builder != NULL && error == NULL);
  EXPECT(winnow_options_set(options, "bits_per_key", "2", NULL) ==
         WINNOW_OK);  // the builder has a copy

  uint64_t hashes[kKeys];
  for (uint64_t i = 0; i < kKeys; ++i) hashes[i] = HashOf(i);
  for (uint64_t i = 0; i < 100; ++i) {
    EXPECT(winnow_builder_add(builder, &i, sizeof i, &error) == WINNOW_OK);
  }
  // The hash equals the one before.
  EXPECT(winnow_builder_add_hash(builder, hashes[99], &error) == WINNOW_OK);
  EXPECT(winnow_builder_add_hash(builder, hashes[100], &error) == WINNOW_OK);
  EXPECT(winnow_builder_add_hashes(builder, hashes + 101, kKeys - 101, &error) == WINNOW_OK);
  EXPECT(winnow_builder_add_hashes(builder, NULL, 0, &error) == WINNOW_OK);
  EXPECT(winnow_builder_num_hashes(builder) == kKeys);
  const size_t estimate = winnow_builder_estimate_size(builder, kKeys);
  const uint64_t capacity = winnow_builder_estimate_capacity(builder, estimate);
  EXPECT(capacity >= kKeys && capacity < kKeys + kKeys / 10);

  winnow_block* block = winnow_builder_finish(builder, &error);
  EXPECT(block != NULL && error == NULL);
  EXPECT(winnow_builder_num_hashes(builder) == 0);
  EXPECT(winnow_thread_memory() > 0 && winnow_thread_memory() <= (size_t)13 << 20);
  winnow_free_thread_memory();
  EXPECT(winnow_thread_memory() == 0);
  const size_t size = winnow_block_size(block);
  EXPECT(size > estimate - estimate / 10 && size < estimate + estimate / 10);

  winnow_view* view =
      winnow_view_new(winnow_block_data(block), size, WINNOW_VERIFY_PAYLOAD, &error);
  EXPECT(view != NULL && error == NULL);
  EXPECT(winnow_view_fault(view) == WINNOW_NO_FAULT);
  EXPECT(winnow_view_payload_intact(view));
  bool results[kKeys];
  memset(results, 0, sizeof results);
  winnow_view_may_contain_hashes(view, hashes, kKeys, results);
  int passed = 0;
  for (uint64_t i = 0; i < kKeys; ++i) {
    const uint64_t absent = i + kKeys;
    EXPECT(results[i]);
    EXPECT(winnow_view_may_contain(view, &i, sizeof i));
    EXPECT(winnow_view_may_contain_hash(view, hashes[i]));
    passed += winnow_view_may_contain(view, &absent, sizeof absent) ? 1 : 0;
  }
  const double rate = Number(view, "expected_fpr");
  EXPECT(rate > 0.002 && rate < 0.006);
  EXPECT(passed < 3 * rate * kKeys);
  EXPECT(Number(view, "counted_fpr") == rate);  // the filter is a Ribbon
  EXPECT(Number(view, "kind") == 2);
  EXPECT(Number(view, "num_hashes") == kKeys);
  EXPECT(Number(view, "size_bytes") == (double)size);
  EXPECT(fabs(Number(view, "bits_per_key") - 8.0 * (double)size / kKeys) < 1e-9);
  EXPECT(fabs(Number(view, "target_fpr") / rate - 1) < 0.1);
  EXPECT(Number(view, "level") == 3);
  EXPECT(Number(view, "level_plan") == 0);
  EXPECT(Number(view, "levels_below") == -1);
  EXPECT(Number(view, "version") >= 1);
  EXPECT(Number(view, "probes") == 0);
  EXPECT(Number(view, "columns") > 7 && Number(view, "columns") < 9);
  EXPECT(Number(view, "layers") >= 2);
  double value = -99;
  EXPECT(winnow_view_get(view, "size", &value, &error) == WINNOW_UNKNOWN_NAME);
  EXPECT(value == -99);
  EXPECT(Says(error, WINNOW_UNKNOWN_NAME, "no property size; there are kind"));
  winnow_view_free(view);

  // A damaged payload is detected when verification is requested.
  unsigned char* damaged = malloc(size);
  memcpy(damaged, winnow_block_data(block), size);
  damaged[size / 2] ^= 4;
  view = winnow_view_new(damaged, size, WINNOW_SKIP_PAYLOAD, NULL);
  EXPECT(winnow_view_fault(view) == WINNOW_NO_FAULT);
  EXPECT(!winnow_view_payload_intact(view));
  winnow_view_free(view);
  view = winnow_view_new(damaged, size, WINNOW_VERIFY_PAYLOAD, NULL);
  EXPECT(winnow_view_fault(view) == WINNOW_FAULT_PAYLOAD);
  EXPECT(winnow_view_may_contain_hash(view, 7));
  winnow_view_free(view);
  free(damaged);
  view = winnow_view_new(NULL, 0, WINNOW_SKIP_PAYLOAD, NULL);
  EXPECT(view != NULL && winnow_view_fault(view) == WINNOW_FAULT_FOREIGN);
  EXPECT(winnow_view_may_contain(view, NULL, 0));
  winnow_view_free(view);
  EXPECT(winnow_view_new("", 1, 2, &error) == NULL);
  EXPECT(Says(error, WINNOW_BAD_VALUE, "check is 2"));

  // Finishes into the caller's memory, if it is large enough.
  char* room = malloc(size + 200);
  for (size_t bytes_there = size - 1; bytes_there <= size; ++bytes_there) {
    winnow_block* larger = (winnow_block*)1;
    size_t written = 0;
    EXPECT(winnow_builder_add(builder, "x", 1, NULL) == WINNOW_OK);
    winnow_builder_clear(builder);
    EXPECT(winnow_builder_num_hashes(builder) == 0);
    EXPECT(winnow_builder_add_hashes(builder, hashes, kKeys, NULL) == WINNOW_OK);
    EXPECT(winnow_builder_finish_into(builder, room + 1, bytes_there, &written, &larger, &error) ==
           WINNOW_OK);
    EXPECT(written == size && error == NULL);
    EXPECT((larger == NULL) == (bytes_there >= size));
    const void* const bytes = larger != NULL ? winnow_block_data(larger) : room + 1;
    EXPECT(memcmp(bytes, winnow_block_data(block), size) == 0);
    winnow_block_free(larger);
  }
  EXPECT(winnow_builder_finish_into(builder, NULL, 1, NULL, NULL, NULL) == WINNOW_NULL_ARGUMENT);
  free(room);

  // A filter without keys contains nothing.
  winnow_block* empty = winnow_builder_finish(builder, NULL);
  view = winnow_view_new(winnow_block_data(empty), winnow_block_size(empty), WINNOW_VERIFY_PAYLOAD,
                         NULL);
  EXPECT(winnow_view_fault(view) == WINNOW_NO_FAULT && Number(view, "kind") == 0);
  EXPECT(!winnow_view_may_contain(view, NULL, 0));
  winnow_view_free(view);
  winnow_block_free(empty);
  winnow_block_free(block);
  winnow_builder_free(builder);
  winnow_options_free(options);
}

static void CountRelease(void* owner) { ++*(int*)owner; }

static void TestSets(void) {
  enum { kFiles = 70, kKeysOfFile = 200 };
  winnow_error* error = kUnassigned;
  winnow_fault fault = -1;
  winnow_block* blocks[kFiles];
  int released = 0;
  winnow_set_edit* edit = winnow_set_edit_new(NULL, &error);
  EXPECT(edit != NULL && error == NULL);
  for (size_t i = 0; i < kFiles; ++i) {
    blocks[i] = BlockOf(i * kKeysOfFile, kKeysOfFile, NULL);
    const void* const bytes = winnow_block_data(blocks[i]);
    const size_t size = winnow_block_size(blocks[i]);
    fault = -1;
    if (i % 2 == 0) {
      EXPECT(winnow_set_edit_insert_copy(edit, i, 1000 + i, bytes, size, &fault, &error) ==
             WINNOW_OK);
    } else {
      EXPECT(winnow_set_edit_insert_view(edit, i, 1000 + i, bytes, size, WINNOW_SKIP_PAYLOAD,
                                         CountRelease, &released, &fault, &error) == WINNOW_OK);
    }
    EXPECT(fault == WINNOW_NO_FAULT && error == NULL);
  }
  EXPECT(winnow_set_edit_size(edit) == kFiles);
  EXPECT(winnow_set_edit_find(edit, 1003) == 3);
  uint64_t id = 0;
  EXPECT(winnow_set_edit_id(edit, 3, &id, NULL) == WINNOW_OK && id == 1003);
  EXPECT(winnow_set_edit_id(edit, kFiles, &id, NULL) == WINNOW_NO_SUCH_INDEX && id == 1003);
  EXPECT(winnow_set_edit_find(edit, 3) == WINNOW_NONE);

  // A failed call changes nothing, but releases its owner argument.
  EXPECT(winnow_set_edit_insert_view(edit, kFiles + 1, 5, "x", 1, WINNOW_SKIP_PAYLOAD, CountRelease,
                                     &released, NULL, &error) == WINNOW_NO_SUCH_INDEX);
  EXPECT(Says(error, WINNOW_NO_SUCH_INDEX, "there is no place 71 among 70 files"));
  EXPECT(winnow_set_edit_insert_view(NULL, 0, 5, "x", 1, WINNOW_SKIP_PAYLOAD, CountRelease,
                                     &released, NULL, &error) == WINNOW_NULL_ARGUMENT);
  EXPECT(Says(error, WINNOW_NULL_ARGUMENT, "NULL"));
  EXPECT(winnow_set_edit_insert_view(edit, 0, 5, NULL, 1, WINNOW_SKIP_PAYLOAD, CountRelease,
                                     &released, NULL, NULL) == WINNOW_NULL_ARGUMENT);
  EXPECT(winnow_set_edit_insert_view(edit, 0, 5, "x", 1, 7, CountRelease, &released, NULL, NULL) ==
         WINNOW_BAD_VALUE);
  EXPECT(released == 4);
  released = 0;
  EXPECT(winnow_set_edit_size(edit) == kFiles);
  EXPECT(winnow_set_edit_remove(edit, 3, kFiles + 1, NULL) == WINNOW_NO_SUCH_INDEX);
  EXPECT(winnow_set_edit_move(edit, kFiles, 0, NULL) == WINNOW_NO_SUCH_INDEX);

  winnow_set* set = winnow_set_edit_build(edit, &error);
  EXPECT(set != NULL && error == NULL);
  winnow_set_edit_free(edit);
  EXPECT(winnow_set_size(set) == kFiles);
  EXPECT(winnow_set_num_words(set) == 2);
  EXPECT(winnow_set_id(set, 69, &id, NULL) == WINNOW_OK && id == 1069);
  EXPECT(winnow_set_id(set, 70, &id, NULL) == WINNOW_NO_SUCH_INDEX && id == 1069);
  EXPECT(winnow_set_find(set, 1069) == 69 && winnow_set_find(set, 1) == WINNOW_NONE);
  uint64_t copied = 0;
  for (size_t i = 0; i < kFiles; i += 2) copied += winnow_block_size(blocks[i]);
  EXPECT(winnow_set_copied_bytes(set) == copied);
  for (size_t i = 1; i < kFiles; i += 2) copied += winnow_block_size(blocks[i]);
  EXPECT(winnow_set_total_bytes(set) == copied);

  // Compares each kind of lookup with the file's own filter.
  enum { kLookups = 40 };
  uint64_t hashes[kLookups];
  uint64_t rows[2 * kLookups];
  memset(rows, 0xaa, sizeof rows);
  for (uint64_t k = 0; k < kLookups; ++k) hashes[k] = HashOf(k * 400 + 7);
  EXPECT(winnow_set_candidates_many(set, hashes, kLookups, rows, 2 * kLookups) == WINNOW_OK);
  uint64_t range_rows[2 * kLookups];
  uint64_t among_rows[2 * kLookups];
  for (size_t w = 0; w < 2 * kLookups; ++w) {
    range_rows[w] = 5;
    among_rows[w] = w % 2 == 0 ? UINT64_C(0xf0f0f0f0f0f0f0f0) : 6;
  }
  EXPECT(winnow_set_candidates_many_in_range(set, hashes, kLookups, 30, 66, range_rows,
                                             2 * kLookups) == WINNOW_OK);
  EXPECT(winnow_set_candidates_many_among(set, hashes, kLookups, among_rows, among_rows,
                                          2 * kLookups) == WINNOW_OK);
  for (size_t k = 0; k < kLookups; ++k) {
    uint64_t words[3] = {5, 5, 5};
    uint64_t among[2] = {UINT64_C(0xf0f0f0f0f0f0f0f0), 6};
    uint64_t range[2] = {5, 5};
    static const uint32_t kListed[] = {69, 2, 1000, 34};
    uint64_t listed[1] = {5};
    EXPECT(winnow_set_candidates(set, hashes[k], words, 3) == WINNOW_OK);
    EXPECT(words[2] == 5);
    EXPECT(winnow_set_candidates_among(set, hashes[k], among, among, 2) == WINNOW_OK);
    EXPECT(winnow_set_candidates_in_range(set, hashes[k], 30, 66, range, 2) == WINNOW_OK);
    EXPECT(winnow_set_candidates_of(set, hashes[k], kListed, 4, listed, 1) == WINNOW_OK);
    EXPECT(words[0] == rows[2 * k] && words[1] == rows[2 * k + 1]);
    EXPECT((words[1] >> 6) == 0);
    EXPECT(memcmp(range, range_rows + 2 * k, sizeof range) == 0);
    EXPECT(memcmp(among, among_rows + 2 * k, sizeof among) == 0);
    size_t next = winnow_next_candidate(words, 2, 0);
    for (size_t i = 0; i < kFiles; ++i) {
      winnow_view* view = winnow_set_view_new(set, i, NULL);
      const bool expected = winnow_view_may_contain_hash(view, hashes[k]);
      EXPECT(expected || (k * 400 + 7) / kKeysOfFile != i);
      EXPECT(HasBit(words, i) == expected);
      EXPECT(HasBit(among, i) == (expected && (i < 64 ? i % 8 >= 4 : i == 65 || i == 66)));
      EXPECT(HasBit(range, i) == (expected && i >= 30 && i < 66));
      for (size_t l = 0; l < 4; ++l) {
        EXPECT(kListed[l] != i || HasBit(listed, l) == expected);
      }
      if (expected) {
        EXPECT(next == i);
        next = winnow_next_candidate(words, 2, i + 1);
      }
      winnow_view_free(view);
    }
    EXPECT(next == WINNOW_NONE);
    EXPECT(HasBit(listed, 2) && listed[0] < 16);
  }
  EXPECT(winnow_next_candidate(rows, 0, 0) == WINNOW_NONE);
  EXPECT(winnow_next_candidate(rows, 2, 128) == WINNOW_NONE);

  // Too few words: nothing is written.
  uint64_t word = 5;
  EXPECT(winnow_set_candidates(set, 1, &word, 1) == WINNOW_TOO_SMALL);
  EXPECT(winnow_set_candidates_in_range(set, 1, 0, 1, &word, 1) == WINNOW_TOO_SMALL);
  EXPECT(winnow_set_candidates_among(set, 1, &word, &word, 1) == WINNOW_TOO_SMALL);
  EXPECT(winnow_set_candidates_many(set, hashes, 1, &word, 1) == WINNOW_TOO_SMALL);
  EXPECT(winnow_set_candidates_many_in_range(set, hashes, 2, 0, 1, rows, 3) == WINNOW_TOO_SMALL);
  EXPECT(winnow_set_candidates_many_among(set, hashes, 2, rows, rows, 3) == WINNOW_TOO_SMALL);
  EXPECT(winnow_set_candidates_many(set, hashes, SIZE_MAX / 2 + 2, &word, 3) == WINNOW_TOO_SMALL);
  EXPECT(winnow_set_candidates_of(set, 1, (const uint32_t*)rows, 65, &word, 1) == WINNOW_TOO_SMALL);
  EXPECT(word == 5);

  // Builds the next version; files of the old version live as long as any set or view refers to
  // them.
  winnow_view* view = winnow_set_view_new(set, 1, NULL);
  EXPECT(winnow_set_view_new(set, kFiles, &error) == NULL);
  EXPECT(Says(error, WINNOW_NO_SUCH_INDEX, "index"));
  edit = winnow_set_edit_new(set, NULL);
  EXPECT(winnow_set_edit_remove(edit, 2, 60, NULL) == WINNOW_OK);
  EXPECT(winnow_set_edit_remove_id(edit, 1000) && !winnow_set_edit_remove_id(edit, 1000));
  EXPECT(winnow_set_edit_insert_copy(edit, 0, 1, NULL, 0, &fault, NULL) == WINNOW_OK);
  EXPECT(fault == WINNOW_FAULT_FOREIGN);
  EXPECT(winnow_set_edit_move(edit, 0, 11, NULL) == WINNOW_OK);
  EXPECT(winnow_set_edit_insert_from(edit, 1, set, 20, 23, NULL) == WINNOW_OK);
  winnow_set* copy = winnow_set_copy(set, NULL);
  winnow_set_free(set);
  winnow_set* next_set = winnow_set_edit_build(edit, NULL);
  EXPECT(winnow_set_size(next_set) == 15);
  static const uint64_t kIds[] = {1001, 1020, 1021, 1022, 1060};
  for (size_t i = 0; i < 5; ++i) {
    EXPECT(winnow_set_id(next_set, i, &id, NULL) == WINNOW_OK && id == kIds[i]);
  }
  EXPECT(winnow_set_id(next_set, 14, &id, NULL) == WINNOW_OK && id == 1);
  EXPECT(winnow_set_candidates(next_set, 12345, &word, 1) == WINNOW_OK && HasBit(&word, 14));
  EXPECT(winnow_set_fault(next_set, 14, &fault, NULL) == WINNOW_OK &&
         fault == WINNOW_FAULT_FOREIGN);
  EXPECT(winnow_set_fault(next_set, 13, &fault, NULL) == WINNOW_OK && fault == WINNOW_NO_FAULT);
  EXPECT(winnow_set_fault(next_set, 15, &fault, NULL) == WINNOW_NO_SUCH_INDEX);
  winnow_set_edit_free(edit);
  EXPECT(released == 0);
  winnow_set_free(copy);
  EXPECT(released == 0);  // the view keeps the old set alive
  winnow_view_free(view);
  EXPECT(released == 28);  // odd numbers below 60, except 1 and 21
  winnow_set_free(next_set);
  EXPECT(released == kFiles / 2);

  winnow_set* none = winnow_set_new(NULL);
  EXPECT(winnow_set_size(none) == 0 && winnow_set_num_words(none) == 0);
  EXPECT(winnow_set_candidates(none, 1, NULL, 0) == WINNOW_OK);
  winnow_set_free(none);
  for (size_t i = 0; i < kFiles; ++i) winnow_block_free(blocks[i]);
}

static double RangeNumber(const winnow_range_view* view, const char* name) {
  double value = -99;
  EXPECT(winnow_range_view_get(view, name, &value, NULL) == WINNOW_OK);
  return value;
}

static bool MayBeIn(const winnow_range_view* view, const char* begin, const char* end) {
  return winnow_range_view_may_contain(view, begin, strlen(begin), end, strlen(end));
}

static void TestRanges(void) {
  static const char* const kKeys[] = {"user0017", "user0018", "user0018", "user0042"};
  winnow_error* error = kUnassigned;
  EXPECT(winnow_range_builder_new(0.5, &error) == NULL);
  EXPECT(Says(error, WINNOW_BAD_VALUE, "range_bits"));
  EXPECT(winnow_range_builder_new(NAN, &error) == NULL);
  EXPECT(Says(error, WINNOW_BAD_VALUE, "range_bits"));
  winnow_range_builder* builder = winnow_range_builder_new(12.5, &error);
  EXPECT(builder != NULL && error == NULL);
  for (size_t i = 0; i < sizeof kKeys / sizeof kKeys[0]; ++i) {
    EXPECT(winnow_range_builder_add(builder, kKeys[i], strlen(kKeys[i]), &error) == WINNOW_OK);
  }
  EXPECT(winnow_range_builder_num_keys(builder) == 3);
  const size_t estimate = winnow_range_builder_estimate_size(builder, 3);
  winnow_block* ranges = NULL;
  EXPECT(winnow_range_builder_finish(builder, &ranges, &error) == WINNOW_OK && ranges != NULL);
  EXPECT(winnow_block_size(ranges) <= estimate);
  EXPECT(winnow_range_builder_num_keys(builder) == 0);

  // Combines the range filter with a point filter.
  winnow_builder* filter_builder = winnow_builder_new(NULL, NULL);
  EXPECT(winnow_builder_add(filter_builder, "user0017", 8, NULL) == WINNOW_OK);
  winnow_block* filter = winnow_builder_finish(filter_builder, NULL);
  winnow_block* both =
      winnow_block_with_range_filter(winnow_block_data(filter), winnow_block_size(filter),
                                     winnow_block_data(ranges), winnow_block_size(ranges), &error);
  EXPECT(both != NULL && error == NULL);
  size_t size = 99;
  EXPECT(winnow_range_filter_of(winnow_block_data(filter), winnow_block_size(filter), &size) ==
         NULL);
  EXPECT(size == 0);
  const void* found =
      winnow_range_filter_of(winnow_block_data(both), winnow_block_size(both), &size);
  EXPECT(size == winnow_block_size(ranges));
  EXPECT(memcmp(found, winnow_block_data(ranges), size) == 0);

  winnow_range_view* view = winnow_range_view_new(found, size, WINNOW_VERIFY_PAYLOAD, &error);
  EXPECT(view != NULL && error == NULL);
  EXPECT(winnow_range_view_fault(view) == WINNOW_NO_FAULT);
  EXPECT(winnow_range_view_payload_intact(view));
  EXPECT(MayBeIn(view, "user0010", "user0018") && MayBeIn(view, "", "user0018"));
  EXPECT(!MayBeIn(view, "user0020", "user0030") && !MayBeIn(view, "", "user0017"));
  EXPECT(winnow_range_view_may_have_key(view, "user0017", 8));
  EXPECT(winnow_range_view_may_have_key(view, "user0042", 8));
  EXPECT(!winnow_range_view_may_have_key(view, "user0019", 8));
  EXPECT(!winnow_range_view_may_have_key(view, "user00170", 9));
  EXPECT(RangeNumber(view, "kind") == 1 && RangeNumber(view, "num_keys") == 3);
  EXPECT(RangeNumber(view, "size_bytes") == (double)size);
  EXPECT(RangeNumber(view, "bits_per_key") == (double)size * 8 / 3);
  EXPECT(RangeNumber(view, "range_bits") == 12.5 && RangeNumber(view, "key_length") == 8);
  EXPECT(RangeNumber(view, "is_exact") == 1 && RangeNumber(view, "version") > 0);
  double value = 0;
  EXPECT(winnow_range_view_get(view, "bits", &value, &error) == WINNOW_UNKNOWN_NAME);
  EXPECT(Says(error, WINNOW_UNKNOWN_NAME, "range_bits"));
  winnow_range_view_free(view);

  view = winnow_range_view_new(found, size - 1, WINNOW_SKIP_PAYLOAD, &error);
  EXPECT(winnow_range_view_fault(view) == WINNOW_FAULT_SIZE);
  EXPECT(MayBeIn(view, "user0020", "user0030") && !winnow_range_view_payload_intact(view));
  winnow_range_view_free(view);

  // Keys for which no range filter can be built.
  EXPECT(winnow_range_builder_add(builder, "b", 1, &error) == WINNOW_OK);
  EXPECT(winnow_range_builder_add(builder, "a", 1, &error) == WINNOW_OK);
  winnow_block* none = ranges;
  EXPECT(winnow_range_builder_finish(builder, &none, &error) == WINNOW_OK && none == NULL);
  EXPECT(winnow_range_builder_add(builder, "a", 1, &error) == WINNOW_OK);
  winnow_range_builder_abandon(builder);
  EXPECT(winnow_range_builder_num_keys(builder) == 0);
  winnow_range_builder_clear(builder);
  EXPECT(winnow_range_builder_add(builder, "b", 1, &error) == WINNOW_OK);
  EXPECT(winnow_range_builder_num_keys(builder) == 1);

  winnow_block_free(both);
  winnow_block_free(filter);
  winnow_block_free(ranges);
  winnow_builder_free(filter_builder);
  winnow_range_builder_free(builder);
}

static void TestErrors(void) {
  EXPECT(winnow_error_code(NULL) == WINNOW_OK);
  EXPECT(strcmp(winnow_error_text(NULL), "") == 0);
  for (winnow_code code = -1; code < 12; ++code) {
    const bool is_known = code >= WINNOW_OK && code <= WINNOW_INTERNAL;
    EXPECT((strcmp(winnow_code_text(code), "unknown code") != 0) == is_known);
  }
  for (winnow_fault fault = -1; fault < 12; ++fault) {
    const bool is_known = fault >= WINNOW_NO_FAULT && fault <= WINNOW_FAULT_PAYLOAD;
    EXPECT((strcmp(winnow_fault_text(fault), "unknown fault") != 0) == is_known);
  }
  winnow_error_free(NULL);
  winnow_options_free(NULL);
  winnow_builder_free(NULL);
  winnow_block_free(NULL);
  winnow_view_free(NULL);
  winnow_range_view_free(NULL);
  winnow_range_builder_free(NULL);
  winnow_set_free(NULL);
  winnow_set_edit_free(NULL);
}

static void TestLibrary(void) {
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", WINNOW_VERSION_MAJOR, WINNOW_VERSION_MINOR,
           WINNOW_VERSION_PATCH);
  EXPECT(strcmp(winnow_version(), version) == 0);
  const char* const kernel = winnow_kernel_name();
  EXPECT(strcmp(kernel, "portable") == 0 || strcmp(kernel, "avx2") == 0 ||
         strcmp(kernel, "gfni") == 0 || strcmp(kernel, "avx512") == 0 ||
         strcmp(kernel, "neon") == 0);
  const char* const asked = getenv("WINNOW_KERNEL");
  EXPECT(asked == NULL || strcmp(asked, kernel) == 0);
}

int main(void) {
  TestLibrary();
  TestHashes();
  TestOptions();
  TestOneFilter();
  TestRanges();
  TestSets();
  TestErrors();
  if (failures != 0) fprintf(stderr, "%d expectations were not met\n", failures);
  return failures == 0 ? 0 : 1;
}
