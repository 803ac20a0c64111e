// Files that a process names after its id, which a killed process leaves behind. Their first line
// identifies the process, as its id may have been given to another one.

#ifndef WINNOW_SRC_ROCKSDB_FILE_OF_PROCESS_H_
#define WINNOW_SRC_ROCKSDB_FILE_OF_PROCESS_H_

#include <sys/types.h>

#include <string>

namespace winnow::plugin {

// Returns the name with the process id in place of each `%p`. May throw std::bad_alloc, as all
// functions here.
std::string NameInProcess(const std::string& name, pid_t process);

// Returns the name under which a process writes a file before it renames it.
std::string TemporaryName(const std::string& file, pid_t process);

// Returns the first line of this process's files, a comment of Prometheus' text format: its id, its
// start time, its namespace of process ids, and the boot of the machine. Empty if /proc does not
// tell them.
std::string LineOfProcess();

// Removes this file if it begins with this line, which is not empty.
void RemoveFileOfProcess(const std::string& file, const std::string& line);

// Removes the files of ended processes: regular files of this user that are named
// NameInProcess(name), or its TemporaryName, of the process in their first line. `name` is
// absolute, with `%p` in its last part. A process has ended
//   - if it is of this namespace, and no process has its id and its start time;
//   - if it is of an earlier boot, and its file was not written since this machine started. A
//     process on another machine that shares the folder would have written it.
// Processes of other namespaces, such as containers, can't be seen from here: their files stay
// until the next boot. A process that is given the id of an ended one meanwhile may lose its first
// file until its next write, a second later.
void RemoveFilesOfEndedProcesses(const std::string& name);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_FILE_OF_PROCESS_H_
