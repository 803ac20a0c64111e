// Builds a filter of some keys, and asks it.
#include <stdio.h>
#include <string.h>

#include "winnow/winnow.h"

int main(void) {
  static const char* const kKeys[] = {"apple", "quince", "medlar"};
  winnow_error* error = NULL;
  winnow_builder* builder = winnow_builder_new(NULL, &error);  // NULL: the default options
  for (size_t i = 0; error == NULL && i < sizeof kKeys / sizeof kKeys[0]; ++i)
    winnow_builder_add(builder, kKeys[i], strlen(kKeys[i]), &error);
  winnow_block* block = NULL;  // bytes to store
  if (error == NULL) block = winnow_builder_finish(builder, &error);
  winnow_view* view = NULL;
  if (error == NULL)
    view = winnow_view_new(winnow_block_data(block), winnow_block_size(block),
                           WINNOW_VERIFY_PAYLOAD, &error);
  if (error != NULL) fprintf(stderr, "winnow: %s\n", winnow_error_text(error));
  const bool maybe = view != NULL && winnow_view_may_contain(view, "quince", strlen("quince"));
  winnow_view_free(view);
  winnow_block_free(block);
  winnow_builder_free(builder);
  winnow_error_free(error);
  return maybe ? 0 : 1;
}
