// Test of the C API out of memory: each allocation of a short program fails in turn, and every
// function that needed it must return the error code. An exception that leaves the library would
// end this program. Needs glibc, which allows programs to replace malloc.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "winnow/winnow.h"

// glibc's allocators.
void* __libc_malloc(size_t size);
void* __libc_memalign(size_t alignment, size_t size);

static long allocations = 0;   // since the last reset
static long failing_from = 0;  // number of the first failing allocation; 0: none fails
static long failing_to = 0;

static bool Fails(void) {
  ++allocations;
  return failing_from != 0 && allocations >= failing_from && allocations < failing_to;
}

WINNOW_EXPORT void* malloc(size_t size) { return Fails() ? NULL : __libc_malloc(size); }

WINNOW_EXPORT void* aligned_alloc(size_t alignment, size_t size) {
  return Fails() ? NULL : __libc_memalign(alignment, size);
}

static int refusals = 0;
static int faults = 0;
static int released = 0;

// Returns whether the call succeeded. A failure must have the out-of-memory code and text.
static bool Good(bool is_good, winnow_error** error, int line) {
  if (is_good != (*error == NULL) ||
      (!is_good && (winnow_error_code(*error) != WINNOW_OUT_OF_MEMORY ||
                    winnow_error_text(*error)[0] == '\0'))) {
    fprintf(stderr, "line %d: %d, and the error is %d: %s\n", line, is_good,
            winnow_error_code(*error), winnow_error_text(*error));
    ++faults;
  }
  if (!is_good) ++refusals;
  winnow_error_free(*error);
  *error = NULL;
  return is_good;
}

#define GOOD(condition) Good((condition), &error, __LINE__)

static void CountRelease(void* owner) { ++*(int*)owner; }

// Calls everything that allocates. Returns after the first failure.
static void Use(winnow_block** stored) {
  winnow_error* error = NULL;
  winnow_options* options = NULL;
  winnow_builder* builder = NULL;
  winnow_block* block = NULL;
  winnow_view* view = NULL;
  winnow_set_edit* edit = NULL;
  winnow_set* set = NULL;
  winnow_set* copy = NULL;
  winnow_view* of_set = NULL;
  char text[32];
  uint64_t hashes[2000];
  bool good =
      GOOD((options = winnow_options_new(&error)) != NULL) &&
      GOOD(winnow_options_set(options, "bits_per_key", "12.34567", &error) == WINNOW_OK) &&
      GOOD(winnow_options_set(options, "ribbon_min_keys", "1000", &error) == WINNOW_OK) &&
      GOOD(winnow_options_set_number(options, "levels_below", 1.5, &error) == WINNOW_OK) &&
      GOOD(winnow_options_get(options, "bits_per_key", text, sizeof text, &error) == WINNOW_OK) &&
      GOOD((builder = winnow_builder_new(options, &error)) != NULL) &&
      GOOD(winnow_builder_set_options(builder, options, &error) == WINNOW_OK);
  for (uint64_t i = 0; i < 2000; ++i) hashes[i] = winnow_hash(&i, sizeof i);
  good = good && GOOD(winnow_builder_add(builder, "key", 3, &error) == WINNOW_OK) &&
         GOOD(winnow_builder_add_hash(builder, 7, &error) == WINNOW_OK) &&
         GOOD(winnow_builder_add_hashes(builder, hashes, 2000, &error) == WINNOW_OK);
  good = good && GOOD((block = winnow_builder_finish(builder, &error)) != NULL) &&
         GOOD((view = winnow_view_new(winnow_block_data(block), winnow_block_size(block),
                                      WINNOW_VERIFY_PAYLOAD, &error)) != NULL);
  for (uint64_t i = 0; good && i < 2000; ++i) {
    if (!winnow_view_may_contain_hash(view, hashes[i])) ++faults;
  }
  const void* const bytes = winnow_block_data(*stored);
  const size_t size = winnow_block_size(*stored);
  good = GOOD((edit = winnow_set_edit_new(NULL, &error)) != NULL);
  for (size_t i = 0; good && i < 3; ++i) {
    good = GOOD(winnow_set_edit_insert_copy(edit, i, i, bytes, size, NULL, &error) == WINNOW_OK);
    if (!good && winnow_set_edit_size(edit) != i) ++faults;
    released = 0;
    if (good &&
        !GOOD(winnow_set_edit_insert_view(edit, 0, 9, bytes, size, WINNOW_SKIP_PAYLOAD,
                                          CountRelease, &released, NULL, &error) == WINNOW_OK)) {
      good = false;
    }
    // The owner is released at once on failure, else with the file.
    if (good) winnow_set_edit_remove(edit, 0, 1, NULL);
    if (released != 1 && winnow_set_edit_size(edit) > i) ++faults;
  }
  good = good && GOOD((set = winnow_set_edit_build(edit, &error)) != NULL) &&
         GOOD((copy = winnow_set_copy(set, &error)) != NULL) &&
         GOOD((of_set = winnow_set_view_new(copy, 2, &error)) != NULL);
  winnow_set_edit_free(edit);
  edit = NULL;
  good = good && GOOD((edit = winnow_set_edit_new(set, &error)) != NULL) &&
         GOOD(winnow_set_edit_insert_from(edit, 1, set, 0, 3, &error) == WINNOW_OK);
  winnow_set_edit_free(edit);
  winnow_view_free(of_set);
  winnow_set_free(copy);
  winnow_set_free(set);
  winnow_view_free(view);
  winnow_block_free(block);
  winnow_builder_free(builder);
  winnow_options_free(options);
}

// A failed builder lacks keys: it is usable only after a clear.
static bool Finish(winnow_builder* builder, bool is_into, winnow_error** error) {
  winnow_block* block = NULL;
  size_t size = 0;
  winnow_code code = WINNOW_OK;
  if (is_into) {
    code = winnow_builder_finish_into(builder, NULL, 0, &size, &block, error);
  } else {
    block = winnow_builder_finish(builder, error);
    code = winnow_error_code(*error);
  }
  if ((block == NULL) != (code != WINNOW_OK)) ++faults;
  winnow_block_free(block);
  return code == WINNOW_OK;
}

static void FinishAfterAFailure(bool is_into) {
  for (long k = 1;; ++k) {
    winnow_error* error = NULL;
    winnow_builder* builder = winnow_builder_new(NULL, NULL);
    for (uint64_t i = 0; i < 2000; ++i) winnow_builder_add(builder, &i, sizeof i, NULL);
    allocations = 0;
    failing_from = k;
    failing_to = k + 1;
    const bool is_done = GOOD(Finish(builder, is_into, &error));
    failing_from = 0;
    if (!is_done) {
      if (GOOD(Finish(builder, is_into, &error)) || GOOD(Finish(builder, !is_into, &error))) {
        fprintf(stderr, "allocation %ld of a finish failed, and the next finish did not\n", k);
        ++faults;
      }
      winnow_builder_clear(builder);
      if (!GOOD(Finish(builder, is_into, &error))) ++faults;
    }
    winnow_builder_free(builder);
    winnow_free_thread_memory();
    if (is_done) break;
  }
}

// The returned code equals that of the error object, whichever allocation fails.
static void FailWithoutMemory(void) {
  winnow_options* options = winnow_options_new(NULL);
  for (long k = 1; k < 12; ++k) {
    winnow_error* error = NULL;
    allocations = 0;
    failing_from = k;
    failing_to = k + 1;
    const winnow_code code = winnow_options_set(options, "nonsense", "12", &error);
    failing_from = 0;
    if (code == WINNOW_OK || winnow_error_code(error) != code) {
      fprintf(stderr, "allocation %ld failed: code %d, and the error's is %d\n", k, code,
              winnow_error_code(error));
      ++faults;
    }
    winnow_error_free(error);
  }
  winnow_options_free(options);
}

int main(void) {
  winnow_builder* builder = winnow_builder_new(NULL, NULL);
  for (uint64_t i = 0; i < 100; ++i) winnow_builder_add(builder, &i, sizeof i, NULL);
  winnow_block* stored = winnow_builder_finish(builder, NULL);
  winnow_builder_free(builder);
  if (stored == NULL) return 1;
  fputs("each allocation fails in turn\n", stderr);  // makes stderr allocate its buffers

  // Fails a single allocation, and then all from that one on.
  static const long kLast[] = {1, 1000000};
  long all = 0;
  for (size_t mode = 0; mode < 2; ++mode) {
    for (long k = 1;; ++k) {
      allocations = 0;
      failing_from = k;
      failing_to = k + kLast[mode];
      Use(&stored);
      failing_from = 0;
      all = allocations;
      if (allocations < k) break;
    }
  }
  winnow_block_free(stored);
  FinishAfterAFailure(false);
  FinishAfterAFailure(true);
  FailWithoutMemory();
  printf("%ld allocations; %d times something said that there is no memory; %d faults\n", all,
         refusals, faults);
  return faults == 0 && refusals > 30 ? 0 : 1;
}
