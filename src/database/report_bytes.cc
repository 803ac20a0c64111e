#include "src/database/report_bytes.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <type_traits>
#include <utility>

namespace winnow::inspect {
namespace {

// One list of the fields for both ways: `code` is a Writer or a Reader.
template <typename Code>
void Fields(Code& code, BloomBlocks& bloom) {
  code(bloom.blocks, bloom.keys, bloom.bytes, bloom.bytes_as_ribbons);
}

template <typename Code>
void Fields(Code& code, BuiltFor& built_for) {
  code(built_for.level, built_for.target_fpr, built_for.level_plan, built_for.levels_below);
}

template <typename Code>
void Fields(Code& code, FilterParameters& parameters) {
  code(parameters.format, parameters.version, parameters.hash, parameters.probes, parameters.blocks,
       parameters.block_bits, parameters.slots, parameters.columns, parameters.layers,
       parameters.bumped_share, parameters.fill_ratio);
}

template <typename Code>
void Fields(Code& code, FilterSummary& filter) {
  code(filter.kind, filter.keys, filter.bytes, filter.bits_per_key, filter.expected_fpr,
       filter.partitions, filter.bloom, filter.detail, filter.built_for, filter.policy_name,
       filter.fault, filter.stored_bytes, filter.obsolete, filter.parameters, filter.kinds);
}

template <typename Code>
void Fields(Code& code, SstReport& report) {
  code(report.path, report.level, report.column_family, report.database, report.file_bytes,
       report.comparator, report.entries, report.range_deletions, report.filter, report.error);
}

template <typename Code>
void Fields(Code& code, TreePosition& position) {
  code(position.level, position.column_family, position.bytes, position.not_found);
}

template <typename Code>
void Fields(Code& code, TreeLevels& tree) {
  code(tree.files, tree.problem, tree.remark);
}

class Writer {
 public:
  template <typename... Values>
  void operator()(Values&... values) {
    (Put(values), ...);
  }

  std::string Take() { return std::move(bytes_); }

 private:
  template <typename T>
  void Put(T& value) {
    if constexpr (std::is_arithmetic_v<std::remove_const_t<T>>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    } else {
      Fields(*this, value);
    }
  }

  void PutSize(uint64_t size) { Put(size); }

  void Put(const std::string& text) {
    PutSize(text.size());
    bytes_ += text;
  }
  void Put(std::string& text) { Put(std::as_const(text)); }

  template <typename T>
  void Put(std::optional<T>& value) {
    PutSize(value ? 1 : 0);
    if (value) {
      Put(*value);
    }
  }

  template <typename First, typename Second>
  void Put(std::pair<First, Second>& pair) {
    Put(pair.first);
    Put(pair.second);
  }

  template <typename T>
  void Put(std::vector<T>& values) {
    PutSize(values.size());
    for (T& value : values) {
      Put(value);
    }
  }

  template <typename Key, typename T>
  void Put(std::map<Key, T>& values) {
    PutSize(values.size());
    for (auto& [key, value] : values) {
      Put(key);
      Put(value);
    }
  }

  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <typename... Values>
  void operator()(Values&... values) {
    (Get(values), ...);
  }

  // Whether all bytes were there, and no more.
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
    if constexpr (std::is_arithmetic_v<T>) {
      const std::string_view bytes = Bytes(sizeof(value));
      if (bytes.size() == sizeof(value)) {
        std::memcpy(&value, bytes.data(), sizeof(value));
      }
    } else {
      Fields(*this, value);
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
    value.reset();
    if (GetSize() == 1) {
      Get(value.emplace());
    }
  }

  template <typename First, typename Second>
  void Get(std::pair<First, Second>& pair) {
    Get(pair.first);
    Get(pair.second);
  }

  template <typename T>
  void Get(std::vector<T>& values) {
    for (uint64_t left = GetSize(); left > 0 && ok_; --left) {
      Get(values.emplace_back());
    }
  }

  template <typename Key, typename T>
  void Get(std::map<Key, T>& values) {
    for (uint64_t left = GetSize(); left > 0 && ok_; --left) {
      Key key;
      Get(key);
      Get(values[std::move(key)]);
    }
  }

  std::string_view rest_;
  bool ok_ = true;
};

template <typename T>
std::string Pack(const T& value) {
  Writer writer;
  writer(const_cast<T&>(value));  // which it leaves as it is: it has the readers' list of fields
  return writer.Take();
}

template <typename T>
std::optional<T> Unpack(std::string_view bytes) {
  T value;
  Reader reader(bytes);
  reader(value);
  return reader.whole() ? std::optional<T>(std::move(value)) : std::nullopt;
}

}  // namespace

std::string PackReports(const std::vector<SstReport>& reports) { return Pack(reports); }

std::optional<std::vector<SstReport>> UnpackReports(std::string_view bytes) {
  return Unpack<std::vector<SstReport>>(bytes);
}

std::string PackTree(const TreeLevels& tree) { return Pack(tree); }

std::optional<TreeLevels> UnpackTree(std::string_view bytes) { return Unpack<TreeLevels>(bytes); }

}  // namespace winnow::inspect
