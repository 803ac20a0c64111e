// Errors of the C API: exceptions become a code and a text.

#ifndef WINNOW_SRC_C_API_ERRORS_H_
#define WINNOW_SRC_C_API_ERRORS_H_

#include <initializer_list>
#include <string>

#include "winnow/winnow.h"

struct winnow_error {
  winnow_code code;
  std::string text;  // if empty, only the code is known
};

namespace winnow::c_api {

// Exception of the API's internal functions; never leaves the API.
struct Failure {
  winnow_code code;
  std::string text;
};

// Throws a Failure if any pointer is null.
void RefuseNull(std::initializer_list<const void*> pointers);

// Returns the code of the current exception, and sets *error if `error` is not null. To be called
// in a catch clause.
winnow_code Caught(winnow_error** error) noexcept;

// Calls action(), and returns WINNOW_OK or the code of its exception.
template <typename Action>
winnow_code CodeOf(winnow_error** error, Action action) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    action();
    return WINNOW_OK;
  } catch (...) {
    return Caught(error);
  }
}

// Returns the handle that make() returns, or null if it throws.
template <typename Make>
auto HandleOf(winnow_error** error, Make make) noexcept -> decltype(make()) {
  if (error != nullptr) *error = nullptr;
  try {
    return make();
  } catch (...) {
    Caught(error);
    return nullptr;
  }
}

}  // namespace winnow::c_api

#endif  // WINNOW_SRC_C_API_ERRORS_H_
