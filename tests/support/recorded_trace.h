// Traces recorded by RocksDB.

#ifndef WINNOW_TESTS_SUPPORT_RECORDED_TRACE_H_
#define WINNOW_TESTS_SUPPORT_RECORDED_TRACE_H_

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/iterator.h>
#include <rocksdb/trace_reader_writer.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/support/rocksdb_testing.h"

namespace winnow::testing {

// Runs `work` while RocksDB traces the database to `path`.
template <typename Work>
void RecordTrace(ROCKSDB_NAMESPACE::DB* database, const std::string& path, const Work& work) {
  std::unique_ptr<ROCKSDB_NAMESPACE::TraceWriter> writer;
  ASSERT_STATUS_OK(NewFileTraceWriter(ROCKSDB_NAMESPACE::Env::Default(), {}, path, &writer));
  ASSERT_STATUS_OK(database->StartTrace({}, std::move(writer)));
  work();
  ASSERT_STATUS_OK(database->EndTrace());
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_RECORDED_TRACE_H_
