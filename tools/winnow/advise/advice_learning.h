// level_plan=learned on the files of a column family: its filters after one half of the recorded
// lookups, judged by the other half. By all of them both would be too good: chance that a filter is
// given its bits by comes again only in the same lookups.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_LEARNING_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_LEARNING_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/policy_trial/learned_trial.h"
#include "tools/winnow/advise/advice_files.h"
#include "tools/winnow/advise/advice_lookups.h"

namespace winnow::inspect {

// For one thread.
class AdvisedLearning {
 public:
  // Null, and *problem says why as a clause, where a policy would learn nothing there. `lookups`
  // are recorded ones, in two halves.
  static std::shared_ptr<AdvisedLearning> Make(const AdvisedFamily& family,
                                               const std::vector<AdvisedFile>& files,
                                               const FamilyLookups& lookups, std::string* problem);

  // The bits a key of each file's filter, by its place in AdvisedFamily::files, under a policy
  // whose options string LearnedPolicyOf takes; 0: it has none.
  const std::vector<double>& BitsUnder(const std::string& policy);

  // Lookups of the half that is not learned from which ask the file for an absent key, as places in
  // FamilyLookups::keys.
  const std::vector<uint32_t>& asks(size_t file) const { return asks_[file]; }

  uint64_t learned_from() const { return lookups_.size(); }
  uint64_t judged_by() const { return judged_by_; }        // lookups of the other half
  double all_to_judged() const { return all_to_judged_; }  // all lookups to those

 private:
  AdvisedLearning(const AdvisedFamily& family, const std::vector<AdvisedFile>& files);
  void TakeLookups(const FamilyLookups& lookups);

  struct Lookup {
    std::string key;
    std::vector<LearnedTrial::Answer> answers;
  };

  const TreeShape shape_;
  const std::vector<size_t> files_;  // those that have filters
  const std::vector<LearnedFile> learned_files_;
  std::vector<Lookup> lookups_;                      // to learn from
  std::map<std::string, std::vector<double>> bits_;  // by policy
  std::vector<std::vector<uint32_t>> asks_;
  uint64_t judged_by_ = 0;
  double all_to_judged_ = 1;
};

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_LEARNING_H_
