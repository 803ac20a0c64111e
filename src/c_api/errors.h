// How functions of the C API fail: what is thrown within becomes a code and a text.

#ifndef WINNOW_SRC_C_API_ERRORS_H_
#define WINNOW_SRC_C_API_ERRORS_H_

#include <initializer_list>
#include <string>

#include "winnow/winnow.h"

struct winnow_error {
  winnow_code code;
  std::string text;  // empty: what the code means is all that is known
};

namespace winnow::c_api {

// Thrown by what the API's functions call; never leaves them.
struct Failure {
  winnow_code code;
  std::string text;
};

// Throws a Failure if one of them is null.
void RefuseNull(std::initializer_list<const void*> pointers);

// To be called in a catch clause: the code of what was caught, and *error its text if wanted.
winnow_code Caught(winnow_error** error) noexcept;

// Calls action(), and makes a code of what it throws.
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

// Calls make(), which returns a new handle; null if it throws.
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
