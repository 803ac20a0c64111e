#include "src/c_api/errors.h"

#include <new>
#include <stdexcept>
#include <utility>

namespace winnow::c_api {
namespace {

// Returns a static error for the case that there is no memory for an error. Never destroyed, since
// programs may fail in their last destructors.
winnow_error* ErrorWithoutMemory() noexcept {
  alignas(winnow_error) static unsigned char place[sizeof(winnow_error)];
  static winnow_error* const error = new (place) winnow_error{WINNOW_OUT_OF_MEMORY, {}};
  return error;
}

// Sets *error, if `error` is not null, and returns the code. `text` is a std::string or a const
// char*.
template <typename Text>
winnow_code Report(winnow_code code, Text&& text, winnow_error** error) noexcept {
  if (error == nullptr) return code;
  try {
    *error = new winnow_error{code, std::forward<Text>(text)};
    return code;
  } catch (...) {
    *error = ErrorWithoutMemory();
    return WINNOW_OUT_OF_MEMORY;  // the code of ErrorWithoutMemory()
  }
}

}  // namespace

void RefuseNull(std::initializer_list<const void*> pointers) {
  for (const void* pointer : pointers) {
    if (pointer == nullptr) throw Failure{WINNOW_NULL_ARGUMENT, {}};
  }
}

winnow_code Caught(winnow_error** error) noexcept {
  try {
    throw;
  } catch (Failure& failure) {
    return Report(failure.code, std::move(failure.text), error);
  } catch (const std::bad_alloc&) {
    if (error != nullptr) *error = ErrorWithoutMemory();
    return WINNOW_OUT_OF_MEMORY;
  } catch (const std::out_of_range& exception) {
    return Report(WINNOW_NO_SUCH_INDEX, exception.what(), error);
  } catch (const std::length_error& exception) {
    return Report(WINNOW_TOO_MANY, exception.what(), error);
  } catch (const std::exception& exception) {
    return Report(WINNOW_INTERNAL, exception.what(), error);
  } catch (...) {
    return Report(WINNOW_INTERNAL, "", error);
  }
}

}  // namespace winnow::c_api

const char* winnow_code_text(winnow_code code) {
  switch (code) {
    case WINNOW_OK:
      return "all is well";
    case WINNOW_OUT_OF_MEMORY:
      return "there is not enough memory";
    case WINNOW_NULL_ARGUMENT:
      return "an argument is NULL, but must not be";
    case WINNOW_UNKNOWN_NAME:
      return "there is nothing of this name";
    case WINNOW_BAD_VALUE:
      return "there is no such value";
    case WINNOW_BAD_OPTIONS:
      return "the options don't go together";
    case WINNOW_NO_SUCH_INDEX:
      return "there is no file with this index";
    case WINNOW_TOO_MANY:
      return "too many files";
    case WINNOW_TOO_SMALL:
      return "the memory given for the answer is too small";
    case WINNOW_INTERNAL:
      return "a fault of the library";
    default:
      return "unknown code";
  }
}

winnow_code winnow_error_code(const winnow_error* error) {
  return error != nullptr ? error->code : WINNOW_OK;
}

const char* winnow_error_text(const winnow_error* error) {
  if (error == nullptr) return "";
  return error->text.empty() ? winnow_code_text(error->code) : error->text.c_str();
}

void winnow_error_free(winnow_error* error) {
  if (error != winnow::c_api::ErrorWithoutMemory()) delete error;
}
