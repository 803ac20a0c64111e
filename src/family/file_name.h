// Unique name of a file of a database.

#ifndef WINNOW_SRC_FAMILY_FILE_NAME_H_
#define WINNOW_SRC_FAMILY_FILE_NAME_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "winnow/hash.h"

namespace winnow::family {

// Name of a file, or of a database if the number is 0.
struct FileName {
  uint64_t database = 0;  // hash of its path; 0 if unknown
  uint64_t number = 0;

  static FileName Of(const std::string& database, uint64_t number) noexcept {
    return {HashKey(database).value, number};
  }

  bool is_known() const noexcept { return database != 0; }
  // Return the name of this file's database, and the name of another file in it.
  FileName Database() const noexcept { return {database, 0}; }
  FileName File(uint64_t other) const noexcept { return {database, other}; }
  // Returns a number that identifies the file within its database.
  uint64_t Key() const noexcept { return database ^ number * 0x9e3779b97f4a7c15u; }
  bool operator==(const FileName& other) const noexcept {
    return database == other.database && number == other.number;
  }
  bool operator!=(const FileName& other) const noexcept { return !(*this == other); }
  bool operator<(const FileName& other) const noexcept {
    return database != other.database ? database < other.database : number < other.number;
  }

  struct Hash {
    size_t operator()(const FileName& name) const noexcept { return name.Key(); }
  };
};

}  // namespace winnow::family

#endif  // WINNOW_SRC_FAMILY_FILE_NAME_H_
