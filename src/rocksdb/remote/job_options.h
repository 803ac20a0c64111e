// Options of the compaction job that a worker gets.
//
// RocksDB writes a job as options text, and has no public function to read it. Up to 9.6, the text
// has the column family's options, but only the kind of its table factory. From 9.7 on, it has the
// family's name, and from 9.7.3 on the number of an OPTIONS file. So table options always come from
// an OPTIONS file.

#ifndef WINNOW_SRC_ROCKSDB_REMOTE_JOB_OPTIONS_H_
#define WINNOW_SRC_ROCKSDB_REMOTE_JOB_OPTIONS_H_

#include <rocksdb/env.h>
#include <rocksdb/status.h>

#include <string>

#include "src/rocksdb/family_texts.h"

namespace winnow::plugin {

struct JobOptions {
  std::string family;
  OptionTexts family_options;
  std::string table_kind;  // name of its table factory
  OptionTexts table_options;
  std::string file;  // OPTIONS file with these options
};

// Reads the options of a job for the database `name`. Fills *job, which must be empty and is
// complete only if OK. Returns the errors of PrepareOpenAndCompact
// (winnow/rocksdb_remote_compaction.h). May throw std::bad_alloc.
ROCKSDB_NAMESPACE::Status ReadJobOptions(ROCKSDB_NAMESPACE::Env* env, const std::string& name,
                                         const std::string& input, JobOptions* job);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REMOTE_JOB_OPTIONS_H_
