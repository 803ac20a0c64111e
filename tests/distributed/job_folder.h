// How compactions travel to other processes and back: a file for each job in a folder that all see.
//
//   waiting/ID   a job that nobody has taken
//   taken/ID     one that a worker has, which keeps a lock on the file as long as it lives
//   done/ID      what came of it
//   output/ID/   the SST files that it wrote
//
// Files come to their names by rename, whole or not at all. The lock is one of fcntl's, which ends
// with its process, however that ends: so a dead worker is told from a slow one.

#ifndef WINNOW_TESTS_DISTRIBUTED_JOB_FOLDER_H_
#define WINNOW_TESTS_DISTRIBUTED_JOB_FOLDER_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

namespace winnow::distributed {

struct Job {
  std::string database;  // DB::GetName()
  std::string input;     // for DB::OpenAndCompact
  std::string learned;   // for winnow::PrepareOpenAndCompact

  template <typename Code>
  void Fields(Code& code) {
    code(database, input, learned);
  }
};

struct Result {
  std::string error;   // a status; empty: done
  std::string output;  // of DB::OpenAndCompact

  template <typename Code>
  void Fields(Code& code) {
    code(error, output);
  }
};

// A job that a worker has taken; destroyed without Finish, it is that of a worker that died.
class TakenJob {
 public:
  TakenJob(std::string folder, std::string id, int file);
  ~TakenJob();
  TakenJob(const TakenJob&) = delete;
  TakenJob& operator=(const TakenJob&) = delete;

  const std::string& id() const { return id_; }
  const Job& job() const { return job_; }
  void Finish(const Result& result);

 private:
  const std::string folder_;
  const std::string id_;
  const int file_;  // has the lock
  Job job_;
};

// Functions throw std::exception where the folder can't be used.
class JobFolder {
 public:
  enum class State { kWaiting, kTaken, kDone, kLost };

  // Made where it is not.
  explicit JobFolder(std::string path);

  // For the primary. Lost: the worker that took it is dead, or nobody knows of it.
  void Put(const std::string& id, const Job& job);
  State StateOf(const std::string& id) const;
  bool Withdraw(const std::string& id);  // false where a worker was faster
  Result ResultOf(const std::string& id) const;
  // Removes all that belongs to the job. Its worker, if one lives, fails or writes in vain.
  void Forget(const std::string& id);
  // The same for all jobs that no living worker has.
  void ForgetAll();

  // For a worker; null: there is none.
  std::unique_ptr<TakenJob> Take();

  // The processes that have jobs now.
  std::vector<pid_t> Holders() const;

  std::string OutputOf(const std::string& id) const;

 private:
  const std::string path_;
};

}  // namespace winnow::distributed

#endif  // WINNOW_TESTS_DISTRIBUTED_JOB_FOLDER_H_
