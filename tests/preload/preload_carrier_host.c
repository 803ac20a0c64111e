/* A program without RocksDB and C++, which opens libraries that carry a RocksDB and calls them, as
 * Java and Node do:
 *
 *   preload_carrier_host LIBRARY ARGUMENT... [then LIBRARY ARGUMENT...]...
 *
 * runs preload_client.cc in each library with the arguments, as long as it ends with 0.
 * With CARRIER_CLOSES_ON_EXEC in the environment, stderr is closed on exec; with CARRIER_UNLOADS
 * each library is closed behind its call, and it is said whether the one of that name is loaded
 * still. */

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
