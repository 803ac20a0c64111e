// In which order the keys of flushes and compactions are, as a listener is told of them.

#ifndef WINNOW_SRC_ROCKSDB_LISTENER_JOB_ORDERS_H_
#define WINNOW_SRC_ROCKSDB_LISTENER_JOB_ORDERS_H_

#include <rocksdb/db.h>
#include <rocksdb/listener.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "src/rocksdb/ranges/key_order.h"

namespace winnow::plugin {

// A property that only files of SstFileWriter have.
inline constexpr char kExternalVersion[] = "rocksdb.external_sst_file.version";

// A family is known by the session of its database and its id, which never comes again: not by a
// name or a path, which do. The default family's order is that of the database's own handle; of
// others it is what the preloaded library says when they are opened or made, or the files that
// they wrote. A compaction is as its inputs say, too. Files of SstFileWriter say nothing: RocksDB
// before 8.7 takes them with any comparator.
//
// Safe from any number of threads. Where a job can't be noted, as memory is short, orders are
// unknown from then on. Only Learn throws.
class JobOrders {
 public:
  void Begins(ROCKSDB_NAMESPACE::DB* database, const ROCKSDB_NAMESPACE::FlushJobInfo& info);
  void Begins(ROCKSDB_NAMESPACE::DB* database, const ROCKSDB_NAMESPACE::CompactionJobInfo& info);
  void Ends(ROCKSDB_NAMESPACE::DB* database, int job, uint32_t family);

  // The order of a file that is begun. It is unknown, too, while two databases of this path are
  // open, as in file systems in memory.
  KeyOrder Of(const ROCKSDB_NAMESPACE::TableFileCreationBriefInfo& info);

  // Learns the order of a family from the properties of a file that it wrote.
  void Learn(const ROCKSDB_NAMESPACE::TableFileCreationInfo& info);
  // Learns the order of an open database's family from its handle.
  void Learn(ROCKSDB_NAMESPACE::DB* database, ROCKSDB_NAMESPACE::ColumnFamilyHandle* handle);

  // Forgets the database that has this handle of its own for the default family: it ends.
  void Closed(const ROCKSDB_NAMESPACE::ColumnFamilyHandle* handle) noexcept;

 private:
  // The most jobs of one database: those whose end was not told are kept until it ends.
  static constexpr size_t kMaxJobs = 1 << 14;

  // A class, so that a map of it has no symbols that others see.
  struct Family {
    KeyOrder order = KeyOrder::kUnknown;
  };
  struct Job {
    std::string family;
    uint32_t family_id = 0;
    int id = 0;
    KeyOrder order = KeyOrder::kUnknown;
  };
  struct Session {
    std::string path;
    const ROCKSDB_NAMESPACE::ColumnFamilyHandle* handle = nullptr;
    std::map<uint32_t, Family> families;
    std::vector<Job> jobs;
  };
  struct Found {
    Session* session = nullptr;
    const Job* job = nullptr;
  };

  void Begin(ROCKSDB_NAMESPACE::DB* database, Job job,
             const ROCKSDB_NAMESPACE::CompactionJobInfo* compaction);
  Session& Find(ROCKSDB_NAMESPACE::DB* database);
  Found FindJob(const ROCKSDB_NAMESPACE::TableFileCreationBriefInfo& info);

  std::mutex mutex_;
  std::map<std::string, Session> sessions_;
  bool is_lost_ = false;  // a job is missing among them
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LISTENER_JOB_ORDERS_H_
