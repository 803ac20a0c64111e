/* Test of winnow/rocksdb_c.h: a C program with a database that uses Winnow's policy. */

#include "winnow/rocksdb_c.h"

#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void Expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "not so: %s\n", what);
  exit(1);
}

static void ExpectNoError(const char* error) {
  if (error == NULL) return;
  fprintf(stderr, "RocksDB said: %s\n", error);
  exit(1);
}

struct Sums {
  int rows;
  double asks;
  uint64_t keys;
  char families[100];
};

static void Add(void* state, const char* policy, const char* databases, const char* families,
                const winnow_rocksdb_filter_use* use) {
  struct Sums* const sums = state;
  ++sums->rows;
  sums->asks += use->asks;
  sums->keys += use->keys;
  Expect(strstr(policy, "bits_per_key=8") != NULL, "the policy is named by its options");
  Expect(strlen(databases) == 0, "the database is not known without a listener");
  snprintf(sums->families, sizeof sums->families, "%s", families);
  Expect(use->level == 0, "what was flushed is of level 0");
  Expect(use->bytes * 8 > use->keys * 4 && use->bytes * 8 < use->keys * 12, "bits per key");
}

int main(int argc, char** argv) {
  Expect(argc == 2, "a folder is given");
  char* error = NULL;
  rocksdb_options_t* const defaults = rocksdb_options_create();
  rocksdb_options_t* const options = rocksdb_options_create();
  rocksdb_get_options_from_string(
      defaults, "create_if_missing=true;block_based_table_factory={filter_policy=winnow:8}",
      options, &error);
  ExpectNoError(error);
  rocksdb_t* const database = rocksdb_open(options, argv[1], &error);
  ExpectNoError(error);
  rocksdb_writeoptions_t* const write = rocksdb_writeoptions_create();
  rocksdb_readoptions_t* const read = rocksdb_readoptions_create();
  char key[32];
  for (int i = 0; i < 1000; ++i) {
    snprintf(key, sizeof key, "key %d", 2 * i);
    rocksdb_put(database, write, key, strlen(key), "value", 5, &error);
    ExpectNoError(error);
  }
  rocksdb_flushoptions_t* const flush = rocksdb_flushoptions_create();
  rocksdb_flush(database, flush, &error);
  ExpectNoError(error);
  enum { kLookups = 200000 };
  for (int i = 0; i < kLookups; ++i) {
    snprintf(key, sizeof key, "key %d", i % 1999);
    size_t size = 0;
    free(rocksdb_get(database, read, key, strlen(key), &size, &error));
    ExpectNoError(error);
  }

  winnow_rocksdb_lookup_counters lookups = {0};
  winnow_rocksdb_get_lookup_counters(&lookups, sizeof lookups);
  /* Keys beyond the file's largest key need no filter lookup. */
  Expect(lookups.lookups > kLookups * 9 / 10 && lookups.lookups <= kLookups, "lookups");
  Expect(lookups.hashes_computed + lookups.hashes_shared == lookups.lookups, "hashes");
  winnow_rocksdb_lookup_counters part = {0};
  winnow_rocksdb_get_lookup_counters(&part,
                                     offsetof(winnow_rocksdb_lookup_counters, hashes_shared));
  Expect(part.lookups == lookups.lookups && part.hashes_shared == 0 && part.ranges_asked == 0,
         "no more is told than there is room for");
  winnow_rocksdb_filter_loads loads = {0};
  winnow_rocksdb_get_filter_loads(&loads, sizeof loads);
  Expect(loads.blocks == 1 && loads.filters == 1 && loads.counted_one_of == 1, "loads");
  winnow_rocksdb_sample_counters samples = {7, 7, 7, 7};
  winnow_rocksdb_get_sample_counters(&samples, sizeof samples);
  Expect(samples.filters_learned == 0 && samples.files_not_told_apart == 0, "samples");

  struct Sums sums = {0};
  Expect(winnow_rocksdb_visit_filter_use(Add, &sums, sizeof(winnow_rocksdb_filter_use)) == 0,
         "the rows are visited");
  Expect(sums.rows == 1 && sums.keys == 1000, "one policy and level");
  Expect(sums.asks > kLookups * 0.5 && sums.asks < kLookups * 1.5, "asks are estimated");
  Expect(strcmp(sums.families, "default") == 0, "its column family is named");

  char* const json = winnow_rocksdb_filter_use_json();
  Expect(json != NULL && strstr(json, "\"schema\": \"winnow.filter_use/1\"") != NULL &&
             strstr(json, "\"families\": [\"default\"]") != NULL,
         "the same as JSON");
  winnow_rocksdb_free_text(json);
  char* const text = winnow_rocksdb_prometheus_text();
  Expect(text != NULL && strstr(text, "winnow_filter_use_keys{policy=\"bits_per_key=8") != NULL,
         "the same for Prometheus");
  winnow_rocksdb_free_text(text);
  winnow_rocksdb_free_text(NULL);

  rocksdb_flushoptions_destroy(flush);
  rocksdb_readoptions_destroy(read);
  rocksdb_writeoptions_destroy(write);
  rocksdb_close(database);
  rocksdb_destroy_db(options, argv[1], &error);
  ExpectNoError(error);
  rocksdb_options_destroy(options);
  rocksdb_options_destroy(defaults);
  puts("all holds");
  return 0;
}
