// Guard of databases that RocksDB's tools open to write. `ldb` takes the options of column families
// from the OPTIONS file, where it replaces objects that it does not know: a merge operator by
// StringAppendOperator, others by null. Flushes and compactions then rewrite values wrongly, and
// the next OPTIONS file names what was put there. Even a verb that only opens the database flushes
// and writes such a file. `db_bench` has options of its own.

#ifndef WINNOW_SRC_PRELOAD_TOOL_GUARD_H_
#define WINNOW_SRC_PRELOAD_TOOL_GUARD_H_

#include <optional>
#include <string>
#include <vector>

#include "src/preload/hook_types.h"
#include "src/rocksdb/family_texts.h"

namespace winnow::preload {

// A command of a process, as far as the guard needs it.
struct ToolCommand {
  enum class Tool { kOther, kLdb, kDbBench };
  Tool tool = Tool::kOther;
  std::string verb;            // of ldb: the first argument that is no option
  bool loads_options = false;  // of ldb: it takes the options in the OPTIONS file
};

// Parses a command line. `has_ldb`: the program calls RocksDB's LDBTool, by whatever name it goes.
// Otherwise the tool is known by the name of its file, `executable`, or by the first argument:
// `ldb`, `db_bench`, and names like `rocksdb_ldb`, but not `leveldb`.
ToolCommand ParseToolCommand(bool has_ldb, const std::string& executable,
                             const std::vector<std::string>& arguments);

// Returns that of this process.
const ToolCommand& ThisToolCommand();

// Returns why this command must not be started, or an empty string: `ldb repair` uses the options
// of no column family, and opens no database that a ToolGuard could see.
std::string ReasonNotToStart(const ToolCommand& command);

// Check of the options by which a tool opens a database to write.
class ToolGuard {
 public:
  ToolGuard(const ToolCommand& command, const std::string& database)
      : command_(command), database_(database) {}

  // Reads the database's OPTIONS file, if the database exists and the process is one of those
  // tools. Must be called before a database is opened to write, and before Check().
  void Read(const DBOptions& options);

  // Returns whether Check() has something to do.
  bool is_needed() const { return is_needed_ && status_.ok(); }

  // Compares the options of a column family with those in the OPTIONS file, and removes the merge
  // operator that ldb gives to families without one, also in a new database.
  void Check(const std::string& family, ColumnFamilyOptions* options);

  // Returns InvalidArgument if the tool would lose something, with what to do instead: the database
  // must not be opened then.
  const Status& status() const { return status_; }

 private:
  void Refuse(const std::string& reason);

  const ToolCommand& command_;
  const std::string& database_;
  bool is_needed_ = false;
  bool is_new_ = true;
  std::vector<plugin::FamilyTexts> families_;
  Status status_;
};

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_TOOL_GUARD_H_
