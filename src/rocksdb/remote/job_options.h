// Reads the options of a compaction job that a worker gets.
//
// RocksDB writes a job as options text, and has no public function to read it. Up to 9.6 the text
// has the column family's options, but only the kind of its table factory. From 9.7 on it has the
// family's name, and from 9.7.3 on the number of an OPTIONS file. So table options always come from
// an OPTIONS file.

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

  // The text of an object among the column family's options; empty if there is none, or if it is
  // "nullptr".
  std::string Object(const std::string& name) const;
};

// For the database of this name. Fills *job, which must be empty; only with the status OK it is
// whole. The status is as PrepareOpenAndCompact returns it (winnow/rocksdb_remote_compaction.h).
// May throw std::bad_alloc.
ROCKSDB_NAMESPACE::Status ReadJobOptions(ROCKSDB_NAMESPACE::Env* env, const std::string& name,
                                         const std::string& input, JobOptions* job);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REMOTE_JOB_OPTIONS_H_
