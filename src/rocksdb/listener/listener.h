// The event listener, which tells policies of their databases' files
// (winnow/rocksdb_listener.h has what people should know).

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

#include "src/rocksdb/builders/planned_builders.h"
#include "src/rocksdb/listener/job_orders.h"
#include "src/rocksdb/load_meter.h"
#include "src/rocksdb/remote/remote_outputs.h"

namespace winnow::plugin {

// One that code makes has no Name(), or OPTIONS files would save it.
//
// Callbacks come from any thread. While a database is read, no lock of this object or of a policy
// is held. If one callback reads, others do not wait for it, and skip the reading.
class Listener final : public ROCKSDB_NAMESPACE::EventListener {
 public:
  // Its number changes with the members, as a program may have another copy of the library.
  static const char* kClassName() { return "winnow.internal.Listener/7"; }

  // The most files whose properties are remembered, over all databases.
  static constexpr size_t kMaxFiles = 1 << 17;
  // The most closed databases whose files are remembered.
  static constexpr size_t kMaxClosed = 64;
  // The next list is read after so many times the time that the last one took.
  static constexpr int kListShare = 100;
  // The same for tables' properties. They are read for kPropertiesAtOnce, or for so many times as
  // long as the list took, whichever is longer: with many files, lists are rare.
  static constexpr int kPropertiesShare = 10;
  static constexpr std::chrono::milliseconds kPropertiesAtOnce{50};

  // For the policy that knows this, and for its successors. Null: only for the column families
  // given to Serve.
  explicit Listener(std::shared_ptr<KnownFiles> known) : Listener(std::move(known), "") {}

  // Makes the listener of an options string, by this name, which OPTIONS files save. Its policy is
  // that of the default family, and it serves other families as soon as their policies build.
  static constexpr char kTextName[] = "winnow";
  static std::unique_ptr<Listener> OfText() {
    return std::unique_ptr<Listener>(new Listener(nullptr, kTextName));
  }

  // Column families of this name, in any database, have the policy that knows this. To be called
  // before they are opened or created.
  void Serve(const std::string& family, std::shared_ptr<KnownFiles> known);

  // `loads` is the meter of a policy of its databases, which need not be a policy that it tells of
  // files.
  void Meter(const std::shared_ptr<LoadMeter>& loads);

  // Shows an open database that has this listener to the meters of its filters' loads. Each
  // callback does so, too, but not every database gets a callback.
  void ShowToMeters(ROCKSDB_NAMESPACE::DB* database) noexcept;

  // Learns the order of the keys of an open database's column family.
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

  // Facts known of a file by its table properties.
  struct Measured {
    uint64_t size = 0;  // of the file: numbers come again where a database is made anew
    uint64_t keys = 0;
    uint64_t filter_bytes = 0;
    bool is_ours = false;            // the policy that it names
    bool may_have_range = false;     // a range filter is a part of the filter's bytes
    bool is_from_elsewhere = false;  // written by SstFileWriter, or in another database
  };
  // A database by its path, open or closed.
  struct Database {
    std::string path;
    FileName name{};
    const ROCKSDB_NAMESPACE::DB* opened = nullptr;
    // The database's own handle of the default family, which it deletes when it is closed.
    const ROCKSDB_NAMESPACE::ColumnFamilyHandle* handle = nullptr;
    const void* logger = nullptr;
    // The same handle, after it was shown to all meters.
    const ROCKSDB_NAMESPACE::ColumnFamilyHandle* shown = nullptr;
    bool was_listed = false;  // since it was opened
    bool is_stale = false;    // files came of which callbacks don't tell enough
    bool is_reading = false;
    Clock::time_point next_list;
    Clock::time_point next_properties;
    Clock::time_point next_moved;  // that filters which moved are looked for, and said
    std::unordered_map<uint64_t, Measured> files;
    std::map<std::string, bool> is_ours;  // families that wrote a file, by it
    // By column family: whether the last file that it wrote here says that Winnow builds its
    // filters.
    std::map<std::string, bool> builds_ours;
    // Files that compactions wrote here, by the jobs that began.
    std::map<int, std::unordered_set<uint64_t>> written;
  };

  Listener(std::shared_ptr<KnownFiles> known, const char* name);
  bool is_of_text() const noexcept { return *name_ != '\0'; }

  // The number of a table, with which the last part of its path begins; 0 if it has none.
  static uint64_t NumberIn(const std::string& path) noexcept;
  Database& Find(const std::string& path);
  std::shared_ptr<KnownFiles> KnownOf(const std::string& family) const;
  std::vector<std::shared_ptr<LoadMeter>> Meters() const;
  std::vector<std::shared_ptr<KnownFiles>> AllKnown() const;
  bool NeedsFiles() const;
  static Measured MeasuredBy(const ROCKSDB_NAMESPACE::TableProperties& properties, uint64_t size);
  void Remember(Database* database, uint64_t file, const Measured& measured);
  static const Measured* Known(const Database& database,
                               const ROCKSDB_NAMESPACE::LiveFileMetaData& file);

  std::shared_ptr<TreeRecord> RecordOf(const std::string& path, const std::string& family) const;
  void Look(ROCKSDB_NAMESPACE::DB* database) noexcept;
  bool Enter(ROCKSDB_NAMESPACE::DB* database);
  void Read(ROCKSDB_NAMESPACE::DB* database);
  void Measure(ROCKSDB_NAMESPACE::DB* database, const Files& files, Clock::duration listing);
  void RememberIngested(ROCKSDB_NAMESPACE::DB* database,
                        const ROCKSDB_NAMESPACE::ExternalFileIngestionInfo& info);
  bool SayMoved(const std::string& path, ROCKSDB_NAMESPACE::Logger* logger, const Files& files);
  using Told = std::vector<std::pair<std::shared_ptr<KnownFiles>, KnownTrees::ToldDatabase>>;
  Told ToTell(const std::string& path, const Files& files);
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
  std::shared_ptr<KnownFiles> known_;
  std::map<std::string, std::shared_ptr<KnownFiles>> served_;
  std::vector<std::weak_ptr<LoadMeter>> meters_;
  std::vector<std::unique_ptr<Database>> databases_;
  size_t num_files_ = 0;  // remembered
  RemoteOutputs remote_outputs_;
};

// Returns what a policy of Winnow knows of its files, weighed by its current options; null for
// another policy.
std::shared_ptr<KnownFiles> KnownBy(
    const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>& policy);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LISTENER_LISTENER_H_
