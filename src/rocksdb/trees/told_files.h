// Brings what a listener tells of a tree's files into the record (recorded_files.h). A part of
// LiveFiles (live_files.h), which has the lock.

#ifndef WINNOW_SRC_ROCKSDB_TREES_TOLD_FILES_H_
#define WINNOW_SRC_ROCKSDB_TREES_TOLD_FILES_H_

#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "src/rocksdb/trees/file_list.h"
#include "src/rocksdb/trees/file_name.h"
#include "src/rocksdb/trees/recorded_files.h"

namespace winnow::plugin {

// The first level below 0 that has files, and the last one; -1: none.
struct ListedLevels {
  int base = -1;
  int depth = -1;
};

class ToldFiles {
 public:
  using Id = RecordedFiles::Id;

  explicit ToldFiles(RecordedFiles* recorded) noexcept : recorded_(recorded) {}
  ToldFiles(const ToldFiles&) = delete;
  ToldFiles& operator=(const ToldFiles&) = delete;

  // Whether the last list is in the record, and no memory was short since.
  bool is_told() const noexcept { return is_told_; }
  // For a record that came from another process.
  void Restore(bool is_told) noexcept { is_told_ = is_told; }

  // See the functions of LiveFiles with these names, which take the lock.
  void BeginList();
  ListedLevels Reconcile(const FileList& list);
  void SetName(Id id, FileName name);
  void NotWritten(Id id);
  void Ending(FileName name);
  void Installed(FileName name, int level);
  void Ended(FileName name);
  void StopBeingTold() noexcept;

 private:
  using File = RecordedFiles::File;
  using NewFile = RecordedFiles::NewFile;
  using Told = ArrangedFiles::File;

  // The files in the record that the list may be about, sorted by what it says of them.
  struct Sorted {
    std::vector<std::pair<Id, Told*>> found;
    std::vector<Id> joined;
    std::vector<Id> unnamed;
    std::vector<Id> gone;
  };

  std::vector<Told> InTheFormOfTheRecord(const FileList& list);
  Sorted SortByList(const FileList& list, const ArrangedFiles& told) const;
  void NameByLooks(const FileList& list, const ArrangedFiles& told, Sorted* sorted);
  ListedLevels SetComplete();
  void Update(Id id, Told* told);
  void ShareOut(Id id, const ArrangedFiles& told);
  void AddTold(const Told& told);

  RecordedFiles* const recorded_;
  bool is_told_ = false;  // by a listener, all that live
  uint64_t lists_ = 0;    // that were begun
  Id list_begin_ = 0;     // the last file that was added before
  bool is_listing_ = false;
  // Files that ended since the current list was begun. The list may still have them.
  std::unordered_set<FileName, FileName::Hash> ended_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_TOLD_FILES_H_
