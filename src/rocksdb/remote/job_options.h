// What a compaction that is given to another process says of its options.
//
// RocksDB writes a job as options text, and has no public way to read one. Up to 9.6 that has the
// family's options, but of its tables only the kind; from 9.7 on it has the family's name, and from
// 9.7.3 on the number of an OPTIONS file. So table options are always those of an OPTIONS file.

#ifndef WINNOW_SRC_ROCKSDB_REMOTE_JOB_OPTIONS_H_
#define WINNOW_SRC_ROCKSDB_REMOTE_JOB_OPTIONS_H_

#include <rocksdb/env.h>
#include <rocksdb/status.h>

#include <string>
#include <unordered_map>

namespace winnow::plugin {

struct JobOptions {
  using Texts = std::unordered_map<std::string, std::string>;  // by the options' names

  std::string family;
  Texts family_options;
  std::string table_kind;  // the name of its table factory
  Texts table_options;
  std::string file;  // the OPTIONS file that these are of

  // Of the family's options, "nullptr" counts as none. Empty: none.
  std::string Object(const std::string& name) const;
};

// Of the database with this name; the status, and *job only if it is OK, as PrepareOpenAndCompact
// has them (winnow/rocksdb_remote_compaction.h). May throw std::bad_alloc.
ROCKSDB_NAMESPACE::Status ReadJobOptions(ROCKSDB_NAMESPACE::Env* env, const std::string& name,
                                         const std::string& input, JobOptions* job);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REMOTE_JOB_OPTIONS_H_
