#include "db_bench_ext/read_amplification/lookups/record_lookups.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>

namespace winnow::bench {

absl::Status RecordLookups(const std::vector<Lookups>& workloads, const std::string& path,
                           LookupProgress progress) {
  constexpr uint64_t kProgressEvery = 65536;
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  std::string room;
  uint64_t written = 0;
  for (const Lookups& lookups : workloads) {
    if (lookups.kind == LookupKind::kSeek || lookups.kind == LookupKind::kScan) continue;
    for (uint64_t i = 0; i < lookups.count && file; ++i) {
      const std::string_view key = lookups.at(i, &room).key;
      file << absl::BytesToHexString({key.data(), key.size()}) << '\n';
      if (++written % kProgressEvery == 0 && !progress(written)) {
        return absl::CancelledError("interrupted");
      }
    }
  }
  file.close();
  if (file) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(
      "can't write ", path, ": ", errno != 0 ? std::strerror(errno) : "not all of it was taken"));
}

}  // namespace winnow::bench
