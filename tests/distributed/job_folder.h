// Job queue for remote compactions in a folder shared by all processes, with a file per job:
//
//   waiting/ID   a job that no worker has taken
//   taken/ID     a job that a worker runs, which holds a lock on the file while it lives
//   done/ID      the result
//   output/ID/   the SST files that the worker wrote
//
// Files are renamed into place, so each appears atomically. The lock is an fcntl() lock, which the
// kernel releases when the process ends in any way. This distinguishes a dead worker from a slow
// one.

#ifndef WINNOW_TESTS_DISTRIBUTED_JOB_FOLDER_H_
#define WINNOW_TESTS_DISTRIBUTED_JOB_FOLDER_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

namespace winnow::distributed {

struct Job {
  std::string database;  // DB::GetName()
  std::string input;     // input of DB::OpenAndCompact
  std::string learned;   // text for winnow::PrepareOpenAndCompact

  template <typename Code>
  void Fields(Code& code) {
    code(database, input, learned);
  }
};

struct Result {
  std::string error;   // a status text; empty if done
  std::string output;  // output of DB::OpenAndCompact

  template <typename Code>
  void Fields(Code& code) {
    code(error, output);
  }
};

// A job that a worker has taken. Destroyed without Finish(), it counts as a dead worker's job.
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
  const int file_;  // holds the lock
  Job job_;
};

// Queue of jobs. All functions throw std::exception if the folder can't be used.
class JobFolder {
 public:
  enum class State { kWaiting, kTaken, kDone, kLost };

  // Creates the folder if it does not exist.
  explicit JobFolder(std::string path);

  // Primary's functions. kLost means that the job's worker died, or that the job is unknown.
  void Put(const std::string& id, const Job& job);
  State StateOf(const std::string& id) const;
  bool Withdraw(const std::string& id);  // false if a worker has taken it already
  Result ResultOf(const std::string& id) const;
  // Removes all files of a job. Its worker, if still running, fails or writes in vain.
  void Forget(const std::string& id);
  // Removes all files of all jobs that no living worker has.
  void ForgetAll();

  // Worker's function: takes a job, or returns null if none is waiting.
  std::unique_ptr<TakenJob> Take();

  // Returns the processes that have a job now.
  std::vector<pid_t> Holders() const;

  std::string OutputOf(const std::string& id) const;

 private:
  const std::string path_;
};

}  // namespace winnow::distributed

#endif  // WINNOW_TESTS_DISTRIBUTED_JOB_FOLDER_H_
