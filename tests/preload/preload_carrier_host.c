/* Program without RocksDB and C++ that loads libraries which contain a RocksDB, like Java and Node:
 *
 *   preload_carrier_host LIBRARY ARGUMENT... [then LIBRARY ARGUMENT...]...
 *
 * Runs preload_client.cc in each library with the arguments, until one returns nonzero.
 * CARRIER_CLOSES_ON_EXEC in the environment sets close-on-exec for stderr. CARRIER_UNLOADS=NAME
 * closes each library after its call, and prints whether the library NAME is still loaded. */

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  int status = 2;
  const char* const unloads = getenv("CARRIER_UNLOADS");
  if (getenv("CARRIER_CLOSES_ON_EXEC") != NULL) fcntl(2, F_SETFD, FD_CLOEXEC);
  for (int begin = 1; begin < argc;) {
    int end = begin;
    while (end < argc && strcmp(argv[end], "then") != 0) ++end;
    void* const library = dlopen(argv[begin], RTLD_LOCAL | RTLD_NOW);
    int (*run)(int, char**) = NULL;
    if (library != NULL) *(void**)&run = dlsym(library, "carried_main");
    if (run == NULL) {
      fprintf(stderr, "preload_carrier_host: %s\n", dlerror());
      return 2;
    }
    status = run(end - begin, argv + begin);
    if (status != 0) return status;
    if (unloads != NULL) {
      dlclose(library);
      printf("%s %s\n", unloads,
             dlopen(unloads, RTLD_LAZY | RTLD_NOLOAD) == NULL ? "gone" : "there");
      fflush(stdout);
    }
    begin = end + 1;
  }
  return status;
}
