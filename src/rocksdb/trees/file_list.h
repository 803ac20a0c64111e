// The files of one tree, as a listener lists them, in the form of the record (recorded_files.h).

#ifndef WINNOW_SRC_ROCKSDB_TREES_FILE_LIST_H_
#define WINNOW_SRC_ROCKSDB_TREES_FILE_LIST_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/rocksdb/trees/file_name.h"
#include "src/rocksdb/trees/recorded_files.h"

namespace winnow::plugin {

struct ListedFile {
  FileName name{};
  int level = 0;
  KeyRange range;
  uint64_t keys = 0;
  double filter_bytes = 0;
  bool is_ours = false;         // the filter, by a policy of Winnow
  bool may_have_range = false;  // a range filter, in its bytes
  FilterMemory memory;          // as it counts where memory is weighed against uniform filters'
  bool is_measured = false;     // all of these; else they are estimates
  bool is_ending = false;       // a compaction reads it
};

struct FileList {
  FileName database{};
  bool is_first = false;  // since the database was opened
  std::vector<ListedFile> files;
};

// The files of a list, each with what lies below it.
class ArrangedFiles {
 public:
  struct File {
    const ListedFile* listed;
    RecordedFiles::NewFile facts;  // range without the common prefix
    bool is_recorded = false;
  };
  using ByFirst = std::vector<File*>;  // in the order of first keys

  // Notes which files wait, and which have nothing below them. May throw std::bad_alloc.
  explicit ArrangedFiles(std::vector<File> files);
  ArrangedFiles(const ArrangedFiles&) = delete;  // it points to its own files
  ArrangedFiles& operator=(const ArrangedFiles&) = delete;

  const std::vector<File>& files() const noexcept { return files_; }
  File* Named(FileName name) const;  // null: none
  const ByFirst& by_first() const noexcept { return by_first_; }
  ByFirst::const_iterator FromKey(const std::string& key) const;
  // The file that a recorded file without a name may be: one that begins with the same key and has
  // about as many keys. May be null.
  File* Match(const RecordedFiles::File& file) const;

 private:
  std::vector<File> files_;  // by levels and first keys
  std::unordered_map<FileName, File*, FileName::Hash> by_name_;
  ByFirst by_first_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_FILE_LIST_H_
