// Serialization of values between a worker process and its parent, which run the same program.
//
// A type has one list of its fields for both directions, as a member:
//      template <typename Code> void Fields(Code& code) { code(name, size); }
// Fields are numbers, enums, strings, types with Fields, and optionals, pairs, vectors and maps of
// these.

#ifndef WINNOW_SRC_WORKERS_WIRE_H_
#define WINNOW_SRC_WORKERS_WIRE_H_

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/workers/worker_pool.h"

namespace winnow::inspect {

class WireWriter {
 public:
  template <typename... Values>
  void operator()(const Values&... values) {
    (Put(values), ...);
  }

  std::string Take() { return std::move(bytes_); }

 private:
  template <typename T>
  void Put(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    } else {
      const_cast<T&>(value).Fields(*this);  // Fields is shared with the reader, but a writer
                                            // changes nothing
    }
  }

  void Put(const std::string& text) {
    Put(uint64_t{text.size()});
    bytes_ += text;
  }

  template <typename T>
  void Put(const std::optional<T>& value) {
    Put(value.has_value());
    if (value) {
      Put(*value);
    }
  }

  template <typename First, typename Second>
  void Put(const std::pair<First, Second>& pair) {
    (*this)(pair.first, pair.second);
  }

  template <typename T>
  void Put(const std::vector<T>& values) {
    PutAll(values);
  }

  template <typename Key, typename T>
  void Put(const std::map<Key, T>& values) {
    PutAll(values);
  }

  template <typename Values>
  void PutAll(const Values& values) {
    Put(uint64_t{values.size()});
    for (const auto& value : values) {
      Put(value);
    }
  }

  std::string bytes_;
};

// Accepts only bytes that a writer produces.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  template <typename... Values>
  void operator()(Values&... values) {
    (Get(values), ...);
  }

  // Returns whether all bytes were present, and none is left.
  bool whole() const { return ok_ && rest_.empty(); }

 private:
  std::string_view Bytes(uint64_t size) {
    ok_ = ok_ && size <= rest_.size();
    const std::string_view bytes = ok_ ? rest_.substr(0, size) : std::string_view();
    rest_.remove_prefix(bytes.size());
    return bytes;
  }

  template <typename T>
  void Get(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      const std::string_view byte = Bytes(1);
      ok_ = ok_ && (byte[0] == 0 || byte[0] == 1);
      value = ok_ && byte[0] == 1;
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      const std::string_view bytes = Bytes(sizeof(value));
      if (ok_) {
        std::memcpy(&value, bytes.data(), sizeof(value));
      }
    } else {
      value.Fields(*this);
    }
  }

  uint64_t GetSize() {
    uint64_t size = 0;
    Get(size);
    return size;
  }

  void Get(std::string& text) { text = std::string(Bytes(GetSize())); }

  template <typename T>
  void Get(std::optional<T>& value) {
    bool is_set = false;
    Get(is_set);
    value.reset();
    if (is_set) {
      T set{};
      Get(set);
      value = std::move(set);
    }
  }

  template <typename First, typename Second>
  void Get(std::pair<First, Second>& pair) {
    (*this)(pair.first, pair.second);
  }

  template <typename T>
  void Get(std::vector<T>& values) {
    values.clear();
    for (uint64_t left = GetSize(); left > 0 && ok_; --left) {
      T value{};
      Get(value);
      values.push_back(std::move(value));
    }
  }

  template <typename Key, typename T>
  void Get(std::map<Key, T>& values) {
    values.clear();
    for (uint64_t left = GetSize(); left > 0 && ok_; --left) {
      std::pair<Key, T> value;
      Get(value);
      ok_ = ok_ && (values.empty() || values.rbegin()->first < value.first);
      values.insert(std::move(value));
    }
  }

  std::string_view rest_;
  bool ok_ = true;
};

// Serializes a value. The bytes are not portable.
template <typename T>
std::string Pack(const T& value) {
  WireWriter writer;
  writer(value);
  return writer.Take();
}

// Deserializes a value. Returns nullopt if the bytes are truncated or invalid.
template <typename T>
std::optional<T> Unpack(std::string_view bytes) {
  T value{};
  WireReader reader(bytes);
  reader(value);
  return reader.whole() ? std::optional<T>(std::move(value)) : std::nullopt;
}

// Deserializes a process's answer. If the result is nullopt, *problem is set to the reason, as a
// clause.
template <typename T>
std::optional<T> Unpack(const ChildAnswer& answer, std::string* problem) {
  std::optional<T> value = answer.text ? Unpack<T>(*answer.text) : std::nullopt;
  if (!value) {
    *problem = answer.text ? "its answer did not arrive whole" : answer.problem;
  }
  return value;
}

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_WORKERS_WIRE_H_
