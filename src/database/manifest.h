// The MANIFEST of a closed database: its live files, and a copy in which some of them have other
// numbers and sizes. The records are those of RocksDB's db/version_edit.cc, the file that of
// db/log_format.h.

#ifndef WINNOW_SRC_DATABASE_MANIFEST_H_
#define WINNOW_SRC_DATABASE_MANIFEST_H_

#include <absl/status/statusor.h>
#include <rocksdb/env.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace winnow::inspect {

// A live SST file. Keys are internal ones.
struct ManifestFile {
  uint64_t number = 0;
  uint64_t bytes = 0;
  int level = 0;
  uint32_t family = 0;
  int path = 0;  // index among the database's paths
  std::string smallest;
  std::string largest;
  std::string checksum_function;   // empty if the file has no checksum
  bool has_open_metadata = false;  // the MANIFEST also has blocks of the file
};

struct ManifestFamily {
  std::string name;
  std::string comparator;
};

struct Manifest {
  uint64_t number = 0;     // MANIFEST-000012
  uint64_t next_file = 0;  // next number for a file
  uint64_t last_sequence = 0;
  std::vector<std::string> records;
  std::map<uint64_t, ManifestFile> files;  // by number
  std::map<uint32_t, ManifestFamily> families;
};

// Returns "MANIFEST-000012", and "000012.sst".
std::string ManifestName(uint64_t number);
std::string TableName(uint64_t number);

// Reads the MANIFEST that CURRENT names. A last record that is cut off does not count, nor an
// atomic group that lacks its end, as in RocksDB. The message of an error is a sentence that says
// what to do: unknown records, also those of RocksDB before 5, are refused.
absl::StatusOr<Manifest> ReadManifest(ROCKSDB_NAMESPACE::Env* env, const std::string& database);

// Returns the text of the database's file IDENTITY; empty if there is none.
std::string IdentityOf(ROCKSDB_NAMESPACE::Env* env, const std::string& database);

// New facts of a live file.
struct RenewedFile {
  uint64_t number = 0;
  uint64_t bytes = 0;
  std::string checksum;  // if it has one
};

// Returns the bytes of a MANIFEST in which these files, by their numbers, have new facts, wherever
// it names them. `next_file` is its next number for a file. All its records have the last sequence
// number, which must not fall for a secondary process that reads on from the former MANIFEST.
std::string RenewedManifest(const Manifest& manifest,
                            const std::map<uint64_t, RenewedFile>& renewed, uint64_t next_file);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_MANIFEST_H_
