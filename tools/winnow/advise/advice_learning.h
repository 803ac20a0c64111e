// The filters that Winnow's policies would give the files of a column family, by the policy's own
// code. With level_plan=learned, after one half of the recorded lookups, judged by the other half:
// chance in lookups that a filter learns from comes again only in the same lookups.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_LEARNING_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_LEARNING_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/policy_trial/learned_trial.h"
#include "tools/winnow/advise/advice_files.h"
#include "tools/winnow/advise/advice_lookups.h"

namespace winnow::inspect {

// For one thread.
class AdvisedRule {
 public:
  // Null where policies go by levels alone: keys in another order, files whose level is not known.
  static std::shared_ptr<AdvisedRule> Make(const AdvisedFamily& family,
                                           const std::vector<AdvisedFile>& files);
  virtual ~AdvisedRule() = default;

  // The bits a key of each file's filter, by its place in AdvisedFamily::files, under a policy
  // whose options string RuledPolicyOf takes; 0: it has none.
  const std::vector<double>& BitsUnder(const std::string& policy) { return Under(policy).bits; }

  // The policy that builds the same filter for this one file without its tree; the same policy
  // where RuledPolicyOf does not take it, or the file has no filter. Bits are multiples of `step`;
  // 0: any.
  std::string PolicyFor(const std::string& policy, size_t at, double step = 0);

  // The same with the mean bits of some files.
  std::string PolicyForMean(const std::string& policy, const std::vector<size_t>& some);

 protected:
  AdvisedRule(const AdvisedFamily& family, const std::vector<AdvisedFile>& files);
  virtual void Teach(LearnedTrial* /*trial*/) const {}
  const std::vector<size_t>& files() const { return files_; }

 private:
  struct Ruled {
    std::optional<PolicyOptions> options;
    std::vector<double> bits;
  };
  const Ruled& Under(const std::string& policy);

  const TreeShape shape_;
  const size_t num_files_;           // of the family
  const std::vector<size_t> files_;  // those that have filters
  const std::vector<LearnedFile> learned_files_;
  std::map<std::string, Ruled> ruled_;  // by policy
};

// For one thread.
class AdvisedLearning : public AdvisedRule {
 public:
  // Null, and *problem says why as a clause, where a policy would learn nothing there. `lookups`
  // are recorded ones, in two halves.
  static std::shared_ptr<AdvisedLearning> Make(const AdvisedFamily& family,
                                               const std::vector<AdvisedFile>& files,
                                               const FamilyLookups& lookups, std::string* problem);

  // Lookups of the half that is not learned from which ask the file for an absent key, as places in
  // FamilyLookups::keys.
  const std::vector<uint32_t>& asks(size_t file) const { return asks_[file]; }

  uint64_t learned_from() const { return lookups_.size(); }
  uint64_t judged_by() const { return judged_by_; }        // lookups of the other half
  double all_to_judged() const { return all_to_judged_; }  // all lookups to those

 protected:
  void Teach(LearnedTrial* trial) const override;

 private:
  AdvisedLearning(const AdvisedFamily& family, const std::vector<AdvisedFile>& files);
  void TakeLookups(const FamilyLookups& lookups);

  struct Lookup {
    std::string key;
    std::vector<LearnedTrial::Answer> answers;
  };

  std::vector<Lookup> lookups_;  // to learn from
  std::vector<std::vector<uint32_t>> asks_;
  uint64_t judged_by_ = 0;
  double all_to_judged_ = 1;
};

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_LEARNING_H_
