// The program by which `winnow adopt` asks the object file of an archive for RocksDB's version. It
// belongs into no copy of an archive. It begins here, without what the compiler puts before main():
// only the libraries that it is linked with are ready.

#include <rocksdb/version.h>
#include <unistd.h>

#include <string>

// The stack is as the system leaves it, and not as it is behind a call.
#if defined(__x86_64__)
#define WINNOW_BEGIN __attribute__((force_align_arg_pointer))
#else
#define WINNOW_BEGIN
#endif

extern "C" [[noreturn]] WINNOW_BEGIN void winnow_tell_rocksdb_version();

void winnow_tell_rocksdb_version() {
  const std::string version = ROCKSDB_NAMESPACE::GetRocksVersionAsString(true);
  const ssize_t written = write(STDOUT_FILENO, version.data(), version.size());
  _exit(written == static_cast<ssize_t>(version.size()) ? 0 : 1);
}
