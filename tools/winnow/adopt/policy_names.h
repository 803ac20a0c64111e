// The names by which the linker knows the functions that `winnow adopt` is about.

#ifndef WINNOW_TOOLS_WINNOW_ADOPT_POLICY_NAMES_H_
#define WINNOW_TOOLS_WINNOW_ADOPT_POLICY_NAMES_H_

#include <absl/strings/string_view.h>

#include <map>
#include <string>
#include <vector>

namespace winnow::inspect {

// "_ZN7rocksdb20NewBloomFilterPolicyEdb" for "_ZN7rocksdb25StockNewBloomFilterPolicyEdb": RocksDB's
// name of a function that is called by another one in its place
// (src/preload/stand_in/stock_names.h). Empty for all others.
std::string OwnName(absl::string_view stock);

// Returns whether `own` is one of the functions that make filter policies.
bool IsPolicyName(absl::string_view own);

// Those among RocksDB's names, each with the other one of the function.
std::vector<std::string> PolicyNames(const std::map<std::string, std::string>& names);

// The namespaces of a function whose name is like `own` in all else: "other" for
// "_ZN5other20NewBloomFilterPolicyEdb". Empty for all others.
std::string NamespaceOf(absl::string_view name, absl::string_view own);

// The table of virtual functions of a member function's class.
std::string TableOfClass(absl::string_view member);

// For people: "rocksdb::NewBloomFilterPolicy(double, bool)".
std::string Demangled(absl::string_view name);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADOPT_POLICY_NAMES_H_
