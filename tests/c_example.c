// An example in C: builds a filter of some keys and asks it. Uses nothing but winnow/winnow.h and
// libwinnow.

#include <stdio.h>
#include <string.h>

#include "winnow/winnow.h"

// Says what failed and frees the error. 1, as the program's end.
static int Fail(winnow_error* error) {
  fprintf(stderr, "winnow: %s\n", winnow_error_text(error));
  winnow_error_free(error);
  return 1;
}

int main(void) {
  static const char* const kKeys[] = {"apple", "quince", "medlar"};
  const size_t num_keys = sizeof kKeys / sizeof kKeys[0];
  size_t found = 0;

  // [README: c]
  winnow_error* error = NULL;
  winnow_options* options = winnow_options_new(&error);
  if (options == NULL) return Fail(error);
  if (winnow_options_set(options, "bits_per_key", "10", &error) != WINNOW_OK) return Fail(error);

  winnow_builder* builder = winnow_builder_new(options, &error);
  if (builder == NULL) return Fail(error);
  for (size_t i = 0; i < num_keys; ++i) {
    if (winnow_builder_add(builder, kKeys[i], strlen(kKeys[i]), &error) != WINNOW_OK)
      return Fail(error);
  }
  winnow_block* block = winnow_builder_finish(builder, &error);  // bytes to store
  if (block == NULL) return Fail(error);

  winnow_view* view = winnow_view_new(winnow_block_data(block), winnow_block_size(block),
                                      WINNOW_VERIFY_PAYLOAD, &error);
  if (view == NULL) return Fail(error);
  bool maybe = winnow_view_may_contain(view, "quince", strlen("quince"));
  // [end]

  for (size_t i = 0; i < num_keys; ++i) {
    found += winnow_view_may_contain(view, kKeys[i], strlen(kKeys[i])) ? 1 : 0;
  }
  printf("winnow %s: %zu of %zu keys found in %zu bytes\n", winnow_version(), found, num_keys,
         winnow_block_size(block));
  winnow_view_free(view);
  winnow_block_free(block);
  winnow_builder_free(builder);
  winnow_options_free(options);
  return maybe && found == num_keys ? 0 : 1;
}
