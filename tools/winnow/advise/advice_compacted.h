// What a tree is once all its files are compacted into one level, and what policies cost there.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_COMPACTED_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_COMPACTED_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tools/winnow/advise/advice_candidates.h"
#include "tools/winnow/advise/advice_files.h"

namespace winnow::inspect {

struct CompactedFamily {
  FamilyFormula formula;
  TreePlace place;     // of all of them
  std::string policy;  // in force now; empty: not known

  // No: its filters have prefixes only, and how many lookups' prefixes are there is not known.
  bool rate_is_known = true;

  // It is compacted now: a further full compaction would change nothing.
  bool is_already = false;
};

// Files are of the sizes that the last level has now, where these are what the target file size
// makes them; small filters' sizes and rates go up and down with each few keys. live_share: of the
// entries that are left. asks_of_one: lookups that then ask a file in vain; asks: of each file now.
CompactedFamily OnceCompacted(const AdvisedFamily& family, const std::vector<AdvisedFile>& files,
                              double live_share, uint64_t asks_of_one,
                              const std::vector<uint64_t>& asks);

// Costs by the filters that the policies themselves build for such files. Not for several threads.
class CompactedCosts {
 public:
  explicit CompactedCosts(const std::vector<CompactedFamily>& families) : families_(families) {}

  // Of an options string for each family, false reads of all lookups together; nothing where one of
  // them is not known.
  std::optional<Cost> Of(const std::vector<std::string>& policies);

 private:
  Cost OfBlock(const std::string& policy, const CompactedFamily& family, double keys_of_block);

  const std::vector<CompactedFamily>& families_;
  // By policy, keys, table_format, filters_for_memory and level.
  std::map<std::tuple<std::string, uint64_t, int, bool, int>, Cost> known_;
};

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_COMPACTED_H_
