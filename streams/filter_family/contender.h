/* The interface of another library's filter to filter_family, which measures it beside ours: a
 * shared library that exports winnow_contenders(), written by whoever has that library. In C, so
 * that it can be compiled in any way. */

#ifndef WINNOW_STREAMS_FILTER_FAMILY_CONTENDER_H_
#define WINNOW_STREAMS_FILTER_FAMILY_CONTENDER_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this header; a shared library with another one is refused. */
#define WINNOW_CONTENDER_VERSION 1

/* A kind of filter. Hashes are random numbers of 64 bits, each once; the loop over them is the
 * shared library's own, so that calls cost it nothing. */
struct winnow_contender {
  uint32_t version; /* WINNOW_CONTENDER_VERSION */

  /* Beside which of ours: "concurrent", "fuse" (3-wise, 8 bits) or "cuckoo" (12 bits). */
  const char* kind;
  const char* name; /* with its version: for people */

  /* An empty filter for so many keys in about so many bits a key; null without memory. */
  void* (*create)(uint64_t keys, double bits_per_key);
  void (*destroy)(void* filter);
  uint64_t (*bytes)(const void* filter);

  /* Adds them and returns how many had no place, or builds the filter of exactly these. */
  uint64_t (*add)(void* filter, const uint64_t* hashes, uint64_t n);
  /* The same while other threads do so; null if that can't be done. */
  uint64_t (*add_shared)(void* filter, const uint64_t* hashes, uint64_t n);
  /* How many it may contain, asked one by one. */
  uint64_t (*ask)(const void* filter, const uint64_t* hashes, uint64_t n);
  /* Removes them and returns how many were not found; null if that can't be done. */
  uint64_t (*remove)(void* filter, const uint64_t* hashes, uint64_t n);
  /* As add_shared and ask, by a function for many keys; null if there is none, which the one by one
   * stands for. */
  uint64_t (*add_shared_batches)(void* filter, const uint64_t* hashes, uint64_t n);
  uint64_t (*ask_batches)(const void* filter, const uint64_t* hashes, uint64_t n);
};

/* The function that a shared library exports: gives an array whose end is one with version 0. */
typedef const struct winnow_contender* winnow_contenders_function(void);
#define WINNOW_CONTENDERS_SYMBOL "winnow_contenders"

#ifdef __cplusplus
}
#endif

#endif /* WINNOW_STREAMS_FILTER_FAMILY_CONTENDER_H_ */
