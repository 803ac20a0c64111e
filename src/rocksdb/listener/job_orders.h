// Key orders of flushes and compactions, as reported to a listener.

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

// Key orders by column family. A family is identified by its id and the session of its database,
// which are unique, while names and paths are reused. The default family's order is that of the
// database's own handle. Other families' orders come from the preloaded library when they are
// opened or created, from the files that they wrote, or from the inputs of a compaction. Files of
// SstFileWriter do not count: RocksDB before 8.7 accepts them with any comparator.
//
// Thread-safe. A job that can't be recorded has an unknown order. If memory runs out when a
// database is recorded, all orders are unknown from then on. Only Learn throws.
class JobOrders {
 public:
  void Begins(ROCKSDB_NAMESPACE::DB* database, const ROCKSDB_NAMESPACE::FlushJobInfo& info);
  void Begins(ROCKSDB_NAMESPACE::DB* database, const ROCKSDB_NAMESPACE::CompactionJobInfo& info);
  void Ends(ROCKSDB_NAMESPACE::DB* database, int job, uint32_t family);

  // Returns the order of a file that is begun. Unknown also while two databases of this path are
  // open, as possible with in-memory file systems.
  KeyOrder Of(const ROCKSDB_NAMESPACE::TableFileCreationBriefInfo& info);

  // Learns the order of a family from the properties of a file that it wrote.
  void Learn(const ROCKSDB_NAMESPACE::TableFileCreationInfo& info);
  // Learns the order of an open database's family from its handle.
  void Learn(ROCKSDB_NAMESPACE::DB* database, ROCKSDB_NAMESPACE::ColumnFamilyHandle* handle);

  // Forgets the database whose own handle for the default family this is: it is being closed.
  void Closed(const ROCKSDB_NAMESPACE::ColumnFamilyHandle* handle) noexcept;

 private:
  // Maximum number of jobs per database. RocksDB does not report the end of a flush that failed, so
  // the oldest job gives way to a new one.
  static constexpr size_t kMaxJobs = 1 << 14;

  // A struct, so that the map's template instance has no symbols that other libraries see.
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
    std::string id;
    std::string path;
    std::map<uint32_t, Family> families;
    std::vector<Job> jobs;
  };
  struct Found {
    Session* session = nullptr;
    const Job* job = nullptr;
  };

  void Begin(ROCKSDB_NAMESPACE::DB* database, Job job,
             const ROCKSDB_NAMESPACE::CompactionJobInfo* compaction);
  // Throws if the database has no session id, or memory runs out.
  Session& Find(ROCKSDB_NAMESPACE::DB* database);
  Found FindJob(const ROCKSDB_NAMESPACE::TableFileCreationBriefInfo& info);

  std::mutex mutex_;
  // Keyed by the database's own handle for the default family.
  std::map<const ROCKSDB_NAMESPACE::ColumnFamilyHandle*, Session> sessions_;
  bool is_lost_ = false;  // true if a database could not be recorded
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LISTENER_JOB_ORDERS_H_
