// Properties of a filter view, by name.

#ifndef WINNOW_SRC_C_API_PROPERTIES_H_
#define WINNOW_SRC_C_API_PROPERTIES_H_

#include <string>
#include <string_view>
#include <utility>

#include "src/c_api/errors.h"

namespace winnow::c_api {

template <typename View>
struct Property {
  std::string_view name;
  double (*of)(const View& view);
};

// Returns a member of the view's info().
template <typename View, auto kMember>
double InfoOf(const View& view) {
  return static_cast<double>(view.info().*kMember);
}

// Returns the property with this name. Throws a Failure if there is none.
template <typename View, size_t kCount>
const Property<View>& FindProperty(const Property<View> (&properties)[kCount],
                                   std::string_view name) {
  for (const Property<View>& property : properties) {
    if (name == property.name) return property;
  }
  std::string text = "there is no property " + std::string(name) + "; there are";
  for (const Property<View>& property : properties) text += " " + std::string(property.name);
  throw Failure{WINNOW_UNKNOWN_NAME, std::move(text)};
}

}  // namespace winnow::c_api

#endif  // WINNOW_SRC_C_API_PROPERTIES_H_
