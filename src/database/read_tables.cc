#include "src/database/read_tables.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/workers/wire.h"

namespace winnow::inspect {
namespace {

using Clock = std::chrono::steady_clock;

// Maximum number of files per task: small files are read faster than they are handed over one by
// one.
constexpr size_t kMaxAtOnce = 64;

class Reading {
 public:
  Reading(const std::vector<std::string>& paths, const TableReading& how)
      : paths_(paths), how_(how), reports_(paths.size()) {}

  std::vector<SstReport> All() {
    std::vector<size_t> files(paths_.size());
    for (size_t i = 0; i < files.size(); ++i) {
      files[i] = i;
    }
    if (how_.workers == 0) {
      for (const size_t file : files) {
        Tell(file);
        reports_[file] = how_.read(paths_[file]);
      }
    } else {
      // Enough tasks are made to keep all workers busy to the end.
      const size_t pieces = static_cast<size_t>(how_.workers) * 8;
      Read(files, std::clamp<size_t>(files.size() / pieces, 1, kMaxAtOnce));
      // Files of a lost task are read again one by one, to find the one that ended the worker.
      Read(std::exchange(lost_, {}), 1);
    }
    Tell(paths_.size());
    return std::move(reports_);
  }

 private:
  void Read(const std::vector<size_t>& files, size_t at_once) {
    const auto in_piece = [&](size_t piece) {
      const size_t begin = piece * at_once;
      return std::pair(begin, std::min(begin + at_once, files.size()));
    };
    PooledWork work;
    work.workers = how_.workers;
    work.longest_silence = how_.longest_silence;
    work.now = how_.now;
    work.work = [&](size_t piece, const WorkerReport& report) {
      constexpr std::chrono::milliseconds kBetweenSigns(200);
      std::vector<SstReport> reports;
      Clock::time_point last_sign = Clock::now();
      const auto [begin, end] = in_piece(piece);
      for (size_t i = begin; i < end; ++i) {
        reports.push_back(how_.read(paths_[files[i]]));
        if (const auto now = Clock::now(); now - last_sign > kBetweenSigns) {
          last_sign = now;
          report("");
        }
      }
      return Pack(reports);
    };
    work.on_answer = [&](size_t piece, const ChildAnswer& answer) {
      const auto [begin, end] = in_piece(piece);
      std::string problem;
      auto reports = Unpack<std::vector<SstReport>>(answer, &problem);
      if (reports && reports->size() == end - begin) {
        for (size_t i = begin; i < end; ++i) {
          Take(files[i], std::move((*reports)[i - begin]));
        }
      } else if (at_once > 1) {
        lost_.insert(lost_.end(), files.begin() + static_cast<ptrdiff_t>(begin),
                     files.begin() + static_cast<ptrdiff_t>(end));
      } else {
        SstReport lost;
        lost.path = paths_[files[begin]];
        lost.error = LostFile(problem);
        Take(files[begin], std::move(lost));
      }
    };
    RunInWorkers((files.size() + at_once - 1) / at_once, work);
  }

  void Take(size_t file, SstReport report) {
    reports_[file] = std::move(report);
    Tell(done_++);
  }

  void Tell(size_t done) const {
    if (how_.progress) {
      how_.progress(done, paths_.size());
    }
  }

  const std::vector<std::string>& paths_;
  const TableReading& how_;
  std::vector<SstReport> reports_;
  std::vector<size_t> lost_;
  size_t done_ = 0;
};

}  // namespace

std::vector<SstReport> ReadTables(const std::vector<std::string>& paths,
                                  const TableReading& reading) {
  return Reading(paths, reading).All();
}

}  // namespace winnow::inspect
