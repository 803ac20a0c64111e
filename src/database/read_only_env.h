// An environment in which RocksDB can open a database, but can't change anything.

#ifndef WINNOW_SRC_DATABASE_READ_ONLY_ENV_H_
#define WINNOW_SRC_DATABASE_READ_ONLY_ENV_H_

#include <rocksdb/env.h>
#include <rocksdb/status.h>

#include <memory>

namespace winnow::inspect {

// Fails every attempt to write, rename, lock or delete. Hides write-ahead logs: a reader of SST
// files needs no memtables, and replaying logs needs the database's own options.
ROCKSDB_NAMESPACE::Status NewReadOnlyEnv(std::unique_ptr<ROCKSDB_NAMESPACE::Env>* env);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_READ_ONLY_ENV_H_
