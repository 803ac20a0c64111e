// Mangled names of the functions that `winnow adopt` replaces.

#ifndef WINNOW_TOOLS_WINNOW_ADOPT_POLICY_NAMES_H_
#define WINNOW_TOOLS_WINNOW_ADOPT_POLICY_NAMES_H_

#include <absl/strings/string_view.h>

#include <map>
#include <string>
#include <vector>

namespace winnow::inspect {

// Returns RocksDB's mangled name of a function, given its name in the copy, which has the prefix
// "Stock" (src/preload/stand_in/stock_names.h): "_ZN7rocksdb20NewBloomFilterPolicyEdb" for
// "_ZN7rocksdb25StockNewBloomFilterPolicyEdb". Returns an empty string for all other names.
std::string OwnName(absl::string_view stock);

// Returns true if `own` is the name of a function that makes filter policies.
bool IsPolicyName(absl::string_view own);

// Returns the keys of `names` for which IsPolicyName is true. `names` maps RocksDB's mangled names
// to those in the copy.
std::vector<std::string> PolicyNames(const std::map<std::string, std::string>& names);

// Returns the namespaces of a function whose mangled name differs from `own` only in them: "other"
// for "_ZN5other20NewBloomFilterPolicyEdb". Returns an empty string for all other names.
std::string NamespaceOf(absl::string_view name, absl::string_view own);

// Returns the symbol of the vtable of a member function's class.
std::string TableOfClass(absl::string_view member);

// Returns the demangled name: "rocksdb::NewBloomFilterPolicy(double, bool)".
std::string Demangled(absl::string_view name);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADOPT_POLICY_NAMES_H_
