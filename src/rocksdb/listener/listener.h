// Event listener that tells policies of their databases' files (winnow/rocksdb_listener.h has its
// user documentation).

#ifndef WINNOW_SRC_ROCKSDB_LISTENER_LISTENER_H_
#define WINNOW_SRC_ROCKSDB_LISTENER_LISTENER_H_

#include <rocksdb/db.h>
#include <rocksdb/listener.h>
#include <rocksdb/metadata.h>
#include <rocksdb/table_properties.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "src/rocksdb/engine.h"
#include "src/rocksdb/listener/job_orders.h"
#include "src/rocksdb/load_meter.h"
#include "src/rocksdb/messages/info_log.h"

namespace winnow::plugin {

struct BlockBytes;

// Event listener for policies. A listener that code makes has no Name(), or OPTIONS files would
// save it.
//
// Callbacks come from any thread. No lock of this object or of a policy is held while a database is
// read. If one callback reads, the others do not wait for it and skip the reading.
class Listener final : public ROCKSDB_NAMESPACE::EventListener {
 public:
  // Its number changes with the members, as a program may have another copy of the library.
  static const char* kClassName() { return "winnow.internal.Listener/8"; }

  // Maximum number of files whose properties are remembered, over all databases.
  static constexpr size_t kMaxFiles = 1 << 17;
  // Maximum number of closed databases whose files are remembered.
  static constexpr size_t kMaxClosed = 64;
  // Pause between two lists, as a multiple of the time that the last list took.
  static constexpr int kListShare = 100;
  // Pause between two readings of table properties, as a multiple of the time that the last reading
  // took. A reading takes kPropertiesAtOnce, or this multiple of the time for the list, whichever
  // is longer: with many files, lists are rare.
  static constexpr int kPropertiesShare = 10;
  static constexpr std::chrono::milliseconds kPropertiesAtOnce{50};

  // Makes a listener for the policy that owns `known`, and its successors. If `known` is null, the
  // listener is only for the column families given to Serve.
  explicit Listener(std::shared_ptr<KnownFiles> known) : Listener(std::move(known), "") {}

  // Makes the listener of an options string, with this name, which OPTIONS files save. Its policy
  // is that of the default family; it serves other families as soon as their policies build a
  // filter.
  static constexpr char kTextName[] = "winnow";
  static std::unique_ptr<Listener> OfText() {
    return std::unique_ptr<Listener>(new Listener(nullptr, kTextName));
  }

  // Declares that the column family of this name, in the database of this path, has the policy that
  // owns `known`; an empty path stands for any database, and an empty name for families of which
  // nothing else is declared. Must be called before the families are opened or created.
  void Serve(const std::string& path, const std::string& family, std::shared_ptr<KnownFiles> known);

  // Adds the meter of a policy that the listener's databases use. The listener need not report
  // files to this policy.
  void Meter(const std::shared_ptr<LoadMeter>& loads);

  // Reports an open database that has this listener to all meters. Callbacks do so, too, but not
  // every database gets a callback.
  void ShowToMeters(ROCKSDB_NAMESPACE::DB* database) noexcept;

  // Learns the key order of an open database's column family.
  void LearnOrder(ROCKSDB_NAMESPACE::DB* database, ROCKSDB_NAMESPACE::ColumnFamilyHandle* family) {
    orders_.Learn(database, family);
  }

  const char* Name() const override { return name_; }
  bool IsInstanceOf(const std::string& name) const override {
    return name == kClassName() || EventListener::IsInstanceOf(name);
  }

  void OnFlushBegin(ROCKSDB_NAMESPACE::DB* database,
                    const ROCKSDB_NAMESPACE::FlushJobInfo& info) override;
  void OnFlushCompleted(ROCKSDB_NAMESPACE::DB* database,
                        const ROCKSDB_NAMESPACE::FlushJobInfo& info) override;
  void OnCompactionBegin(ROCKSDB_NAMESPACE::DB* database,
                         const ROCKSDB_NAMESPACE::CompactionJobInfo& info) override;
  void OnCompactionCompleted(ROCKSDB_NAMESPACE::DB* database,
                             const ROCKSDB_NAMESPACE::CompactionJobInfo& info) override;
  void OnExternalFileIngested(ROCKSDB_NAMESPACE::DB* database,
                              const ROCKSDB_NAMESPACE::ExternalFileIngestionInfo& info) override;
  void OnTableFileCreationStarted(
      const ROCKSDB_NAMESPACE::TableFileCreationBriefInfo& info) override;
  void OnTableFileCreated(const ROCKSDB_NAMESPACE::TableFileCreationInfo& info) override;
  void OnTableFileDeleted(const ROCKSDB_NAMESPACE::TableFileDeletionInfo& info) override;
  void OnColumnFamilyHandleDeletionStarted(ROCKSDB_NAMESPACE::ColumnFamilyHandle* handle) override;

 private:
  using Clock = std::chrono::steady_clock;
  using Files = std::vector<ROCKSDB_NAMESPACE::LiveFileMetaData>;

  // Properties of a table file.
  struct Measured {
    uint64_t size = 0;  // file size: detects reused file numbers of a recreated database
    uint64_t keys = 0;
    uint64_t filter_bytes = 0;
    uint64_t index_bytes = 0;
    bool is_ours = false;         // true if the file names Winnow's policy
    bool may_have_range = false;  // true if filter_bytes may include a range filter
  };
  // A database, identified by its path, open or closed.
  struct Database {
    std::string path;
    FileName name{};
    // The open database's own handle of the default family, which it deletes when it is closed.
    const ROCKSDB_NAMESPACE::ColumnFamilyHandle* handle = nullptr;
    bool is_shown = false;    // true if it was reported to all meters since it was opened
    bool was_listed = false;  // true if listed since it was opened
    bool is_stale = false;    // true if files were added that callbacks did not fully describe
    bool is_reading = false;
    Clock::time_point next_list;
    Clock::time_point next_properties;
    std::unordered_map<uint64_t, Measured> files;
    // Column families that wrote a file here; true if this policy built the last one.
    std::map<std::string, bool> is_ours;
    // Column families that wrote a file here; true if the last one says that Winnow builds its
    // filters.
    std::map<std::string, bool> builds_ours;
    // Files that running compactions wrote here, by job.
    std::map<int, std::unordered_set<uint64_t>> written;
  };

  Listener(std::shared_ptr<KnownFiles> known, const char* name);
  bool is_of_text() const noexcept { return *name_ != '\0'; }

  // Returns the number of a table file, with which the last part of its path begins; 0 if it has
  // none.
  static uint64_t NumberIn(const std::string& path) noexcept;
  Database& Find(const std::string& path);
  std::shared_ptr<KnownFiles> ServedAs(const std::string& path, const std::string& family) const;
  std::shared_ptr<KnownFiles> KnownOf(const std::string& path, const std::string& family) const;
  std::vector<std::shared_ptr<LoadMeter>> Meters() const;
  std::vector<std::shared_ptr<KnownFiles>> AllKnown() const;
  bool NeedsFiles() const;
  static Measured MeasuredBy(const ROCKSDB_NAMESPACE::TableProperties& properties, uint64_t size);
  void Remember(Database* database, uint64_t file, const Measured& measured);
  static const Measured* Known(const Database& database,
                               const ROCKSDB_NAMESPACE::LiveFileMetaData& file);

  std::shared_ptr<KnownFiles> KnownNow(const std::string& path, const std::string& family) const;
  void Look(ROCKSDB_NAMESPACE::DB* database) noexcept;
  bool Enter(ROCKSDB_NAMESPACE::DB* database);
  void Read(ROCKSDB_NAMESPACE::DB* database);
  void Measure(ROCKSDB_NAMESPACE::DB* database, const Files& files, Clock::duration listing);
  using Told = std::vector<std::pair<std::shared_ptr<KnownFiles>, KnownTrees::ToldDatabase>>;
  Told ToTell(const std::string& path, const Files& files, BlockBytes* blocks);
  void TakePolicyOf(ROCKSDB_NAMESPACE::DB* opened);
  void NoteWritten(Database* database, const ROCKSDB_NAMESPACE::TableFileCreationInfo& info,
                   bool was_built_by_ours);
  void LookAtRemoteOutputs(ROCKSDB_NAMESPACE::DB* database,
                           const ROCKSDB_NAMESPACE::CompactionJobInfo& info) noexcept;
  std::shared_ptr<KnownFiles> BuilderOf(const Database& database,
                                        const ROCKSDB_NAMESPACE::CompactionJobInfo& info) const;

  const char* const name_;
  JobOrders orders_;
  mutable std::mutex mutex_;
  // By path and family, as for Serve. Those of a path end when its database is closed, if the
  // listener is of text: its policies are found again.
  std::map<std::pair<std::string, std::string>, std::shared_ptr<KnownFiles>> served_;
  std::vector<std::weak_ptr<LoadMeter>> meters_;
  std::vector<std::unique_ptr<Database>> databases_;
  size_t num_files_ = 0;   // number of remembered files
  LogTimes lost_filters_;  // of the lines about files of workers
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LISTENER_LISTENER_H_
