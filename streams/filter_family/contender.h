/* C interface of a contender, a filter of another library that filter_family compares with
 * Winnow's. Contenders come in a shared library that exports winnow_contenders(), which the user
 * provides. The interface is in C, so that the library can be built by any compiler. */

#ifndef WINNOW_STREAMS_FILTER_FAMILY_CONTENDER_H_
#define WINNOW_STREAMS_FILTER_FAMILY_CONTENDER_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this header; a shared library with another version is refused. */
#define WINNOW_CONTENDER_VERSION 1

/* A kind of filter. Hashes are distinct random 64-bit numbers. The functions take arrays, so that
 * the shared library has the loops and calls add no measurable cost. */
struct winnow_contender {
  uint32_t version; /* WINNOW_CONTENDER_VERSION */

  /* Winnow's filter to compare with: "concurrent", "fuse" (3-wise, 8 bits), "cuckoo" (12 bits). */
  const char* kind;
  const char* name; /* name and version for output */

  /* Returns an empty filter for this many keys with about bits_per_key; null if out of memory. */
  void* (*create)(uint64_t keys, double bits_per_key);
  void (*destroy)(void* filter);
  uint64_t (*bytes)(const void* filter);

  /* Adds n hashes, or builds the filter of exactly these. Returns how many were refused. */
  uint64_t (*add)(void* filter, const uint64_t* hashes, uint64_t n);
  /* Adds n hashes while other threads do so too; null if that is not supported. */
  uint64_t (*add_shared)(void* filter, const uint64_t* hashes, uint64_t n);
  /* Looks up n hashes one by one. Returns how many the filter may contain. */
  uint64_t (*ask)(const void* filter, const uint64_t* hashes, uint64_t n);
  /* Removes n hashes. Returns how many were not found; null if removal is not supported. */
  uint64_t (*remove)(void* filter, const uint64_t* hashes, uint64_t n);
  /* Variants of add_shared and ask that call a batch function of the filter. Null if the filter has
   * none; add_shared and ask are then measured instead. */
  uint64_t (*add_shared_batches)(void* filter, const uint64_t* hashes, uint64_t n);
  uint64_t (*ask_batches)(const void* filter, const uint64_t* hashes, uint64_t n);
};

/* Function that a shared library exports. Returns an array whose last element has version 0. */
typedef const struct winnow_contender* winnow_contenders_function(void);
#define WINNOW_CONTENDERS_SYMBOL "winnow_contenders"

#ifdef __cplusplus
}
#endif

#endif /* WINNOW_STREAMS_FILTER_FAMILY_CONTENDER_H_ */
