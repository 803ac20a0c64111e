// Environment whose writes end at a chosen one, as if the process were killed, the disk full, or
// the power lost.

#ifndef WINNOW_TESTS_REFILTER_FAILING_ENV_H_
#define WINNOW_TESTS_REFILTER_FAILING_ENV_H_

#include <rocksdb/env.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace winnow::testing {

// Counts what changes files or folders. One thread writes.
class FailingEnv final : public ROCKSDB_NAMESPACE::EnvWrapper {
 public:
  using Status = ROCKSDB_NAMESPACE::Status;

  enum class Failure {
    kOnce,  // this write fails, as on a full disk
    kDies,  // this one is torn, and all that follow fail
  };

  // The `fails_at`-th write fails, from 1; 0: none.
  FailingEnv(uint64_t fails_at, Failure failure)
      : EnvWrapper(ROCKSDB_NAMESPACE::Env::Default()), fails_at_(fails_at), failure_(failure) {}

  uint64_t writes() const { return writes_; }

  // Calls the function before this write, from 1.
  void Before(uint64_t write, std::function<void()> call) {
    called_before_ = write;
    call_ = std::move(call);
  }

  // Fails each LinkFile with this status, as a file system without hard links does.
  void ForbidLinks(Status status) { of_links_ = std::move(status); }

  // Cuts off what was not synced, as if the power had been lost.
  void LosePower() {
    for (const auto& [path, bytes] : synced_) {
      std::error_code code;
      if (std::filesystem::file_size(path, code) > bytes && !code) {
        std::filesystem::resize_file(path, bytes);
      }
    }
  }

  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<ROCKSDB_NAMESPACE::WritableFile>* file,
                         const ROCKSDB_NAMESPACE::EnvOptions& options) override {
    return Next() ? Wrap(target()->NewWritableFile(path, file, options), path, 0, file) : Failed();
  }
  Status ReopenWritableFile(const std::string& path,
                            std::unique_ptr<ROCKSDB_NAMESPACE::WritableFile>* file,
                            const ROCKSDB_NAMESPACE::EnvOptions& options) override {
    if (!Next()) return Failed();
    std::error_code code;
    const uint64_t bytes = std::filesystem::file_size(path, code);
    return Wrap(target()->ReopenWritableFile(path, file, options), path, bytes, file);
  }
  Status NewDirectory(const std::string& path,
                      std::unique_ptr<ROCKSDB_NAMESPACE::Directory>* directory) override {
    return Next() ? target()->NewDirectory(path, directory) : Failed();
  }
  Status LinkFile(const std::string& from, const std::string& to) override {
    if (!of_links_.ok()) return of_links_;
    return Next() ? target()->LinkFile(from, to) : Failed();
  }
  Status RenameFile(const std::string& from, const std::string& to) override {
    if (!Next()) return Failed();
    if (const auto found = synced_.find(from); found != synced_.end()) {
      synced_[to] = found->second;
      synced_.erase(from);
    }
    return target()->RenameFile(from, to);
  }
  Status DeleteFile(const std::string& path) override {
    return Next() ? target()->DeleteFile(path) : Failed();
  }

 private:
  class File final : public ROCKSDB_NAMESPACE::WritableFileWrapper {
   public:
    File(std::unique_ptr<ROCKSDB_NAMESPACE::WritableFile> file, FailingEnv* env, std::string path)
        : WritableFileWrapper(file.get()),
          file_(std::move(file)),
          env_(env),
          path_(std::move(path)) {}

    using WritableFileWrapper::Append;
    Status Append(const ROCKSDB_NAMESPACE::Slice& bytes) override {
      if (env_->Next()) return file_->Append(bytes);
      if (env_->failure_ == Failure::kDies) {
        file_->Append({bytes.data(), bytes.size() / 2}).PermitUncheckedError();
        file_->Flush().PermitUncheckedError();
      }
      return env_->Failed();
    }
    Status Truncate(uint64_t bytes) override {
      return env_->Next() ? file_->Truncate(bytes) : env_->Failed();
    }
    Status Sync() override { return Fsync(); }
    Status Fsync() override {
      if (!env_->Next()) return env_->Failed();
      std::error_code code;
      env_->synced_[path_] = std::filesystem::file_size(path_, code);
      return file_->Fsync();
    }

   private:
    const std::unique_ptr<ROCKSDB_NAMESPACE::WritableFile> file_;
    FailingEnv* const env_;
    const std::string path_;
  };

  static Status Failed() { return Status::NoSpace("the test's write fails"); }
  bool Next() {
    if (is_dead_) return false;
    if (++writes_ == called_before_) call_();
    if (writes_ != fails_at_) return true;
    is_dead_ = failure_ == Failure::kDies;
    return false;
  }
  Status Wrap(Status status, const std::string& path, uint64_t synced,
              std::unique_ptr<ROCKSDB_NAMESPACE::WritableFile>* file) {
    if (!status.ok()) return status;
    synced_[path] = synced;
    *file = std::make_unique<File>(std::move(*file), this, path);
    return status;
  }

  const uint64_t fails_at_;
  uint64_t called_before_ = 0;
  std::function<void()> call_;
  const Failure failure_;
  Status of_links_;
  uint64_t writes_ = 0;
  bool is_dead_ = false;
  std::map<std::string, uint64_t> synced_;
};

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_REFILTER_FAILING_ENV_H_
