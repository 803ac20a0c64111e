// Program that tells `winnow adopt` the RocksDB version of an archive's object file. Not part of
// any copy of an archive. It starts here, without the compiler's startup code before main(): only
// the libraries that it is linked with are initialized.

#include <rocksdb/version.h>
#include <unistd.h>

#include <string>

// The kernel's initial stack alignment differs from that after a call.
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
