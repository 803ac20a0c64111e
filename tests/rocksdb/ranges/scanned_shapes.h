// Realistic composite keys, and scans of them that mostly return no row.

#ifndef WINNOW_TESTS_ROCKSDB_RANGES_SCANNED_SHAPES_H_
#define WINNOW_TESTS_ROCKSDB_RANGES_SCANNED_SHAPES_H_

#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <utility>

#include "tests/rocksdb/ranges/big_endian.h"

namespace winnow::testing {

using KeyRange = std::pair<std::string, std::string>;

inline constexpr uint64_t kTime = 1'700'000'000'000;

inline std::string RandomBytes(size_t size, std::mt19937_64* random) {
  std::string bytes;
  while (bytes.size() < size) bytes += BigEndian((*random)());
  bytes.resize(size);
  return bytes;
}

inline std::string Numbered(uint64_t number, size_t bytes) {
  return BigEndian(number).substr(8 - bytes);
}

inline std::string Uuid(std::mt19937_64* random) {
  char text[40];
  std::snprintf(
      text, sizeof text, "%08x-%04x-%04x-%04x-%012llx",
      static_cast<unsigned>((*random)() & 0xffffffff), static_cast<unsigned>((*random)() & 0xffff),
      static_cast<unsigned>((*random)() & 0xffff), static_cast<unsigned>((*random)() & 0xffff),
      static_cast<unsigned long long>((*random)() & 0xffffffffffff));
  return text;
}

inline std::string Folder(uint64_t number) {
  char text[40];
  std::snprintf(text, sizeof text, "/srv/%016llx%08llx",
                static_cast<unsigned long long>(number * 0x9e3779b97f4a7c15),
                static_cast<unsigned long long>(number * 0x85ebca77) & 0xffffffff);
  return text;
}

// Returns the range of all keys with this prefix.
inline KeyRange AllWith(const std::string& prefix) {
  std::string end = prefix;
  while (!end.empty() && end.back() == '\xff') end.pop_back();
  if (!end.empty()) ++end.back();
  return {prefix, end};
}

struct ScannedShape {
  const char* name;
  std::string (*key)(std::mt19937_64* random);
  // Returns a range near `key`; most are empty.
  KeyRange (*scan)(const std::string& key, std::mt19937_64* random);
  bool is_usual = true;  // true if databases often scan such keys so
};

inline KeyRange Behind(const std::string& key, std::mt19937_64* /*random*/) {
  const std::string head = key.substr(0, key.size() - 8);
  const uint64_t number = LastNumber(key);
  return {head + BigEndian(number + 1), head + BigEndian(number + 17)};
}

inline std::string IndexKeyTime(std::mt19937_64* random) {
  return Numbered((*random)() % 20, 4) + BigEndian((*random)()) +
         BigEndian(kTime + (*random)() % 86'400'000);
}

inline KeyRange OtherKeyOfIndex(const std::string& key, std::mt19937_64* random) {
  return AllWith(key.substr(0, 4) + BigEndian((*random)()));
}

// Returns the last bytes of a number's complement: later ones come first.
inline std::string Reversed(uint64_t number, size_t bytes) { return Numbered(~number, bytes); }

inline const ScannedShape kScannedShapes[] = {
    {"index of 3, user, reversed time",
     [](std::mt19937_64* random) {
       return Numbered((*random)() % 3, 4) + BigEndian((*random)() % 50'000 * 2) +
              Reversed(kTime + (*random)() % 86'400'000, 8);
     },
     [](const std::string& key, std::mt19937_64* random) {
       return AllWith(key.substr(0, 4) + BigEndian((*random)() % 50'000 * 2 + 1));
     }},
    {"group, int, namespace",
     [](std::mt19937_64* random) {
       return Numbered((*random)() % 128, 2) + RandomBytes(4, random) +
              Numbered((*random)() % 4, 1);
     },
     [](const std::string& key, std::mt19937_64* random) {
       return AllWith(key.substr(0, 2) + RandomBytes(4, random));
     }},
    {"tenant, id and number without gaps",
     [](std::mt19937_64* random) {
       return Numbered((*random)() % 5, 1) + Numbered((*random)() % 70'000 * 2, 3) +
              Numbered((*random)() % 40'000, 2);
     },
     [](const std::string& key, std::mt19937_64* random) {
       return AllWith(key.substr(0, 1) + Numbered((*random)() % 70'000 * 2 + 1, 3));
     }},
    {"vertex, tag, rank",
     [](std::mt19937_64* random) {
       return Numbered((*random)() % 500'000 * 2, 4) + Numbered((*random)() % 3, 2) +
              Numbered((*random)() % 1000, 4);
     },
     [](const std::string& /*key*/, std::mt19937_64* random) {
       return AllWith(Numbered((*random)() % 500'000 * 2 + 1, 4));
     }},
    {"group, long, 8 random bytes",
     [](std::mt19937_64* random) {
       return Numbered((*random)() % 128, 2) + BigEndian((*random)()) + RandomBytes(8, random);
     },
     [](const std::string& key, std::mt19937_64* random) {
       return AllWith(key.substr(0, 2) + BigEndian((*random)()));
     }},
    {"8 + 8 + 8",
     [](std::mt19937_64* random) {
       return BigEndian((*random)() % 1000 * 0x9e3779b97f4a7c15) + BigEndian((*random)()) +
              BigEndian((*random)());
     },
     [](const std::string& key, std::mt19937_64* random) {
       return AllWith(key.substr(0, 8) + BigEndian((*random)()));
     }},
    {"time, uuid as text",
     [](std::mt19937_64* random) {
       return BigEndian(kTime + (*random)() % 1'000'000) + Uuid(random);
     },
     [](const std::string& /*key*/, std::mt19937_64* random) {
       return AllWith(BigEndian(kTime + (*random)() % 1'000'000));
     }},
    {"time, 16 random bytes",
     [](std::mt19937_64* random) {
       return BigEndian(kTime + (*random)() % 86'400'000) + RandomBytes(16, random);
     },
     [](const std::string& /*key*/, std::mt19937_64* random) {
       return AllWith(BigEndian(kTime + (*random)() % 86'400'000));
     }},
    {"index, key, time", IndexKeyTime, OtherKeyOfIndex},
    {"32 random bytes, the first 6",
     [](std::mt19937_64* random) { return RandomBytes(32, random); },
     [](const std::string& /*key*/, std::mt19937_64* random) {
       return AllWith(RandomBytes(6, random));
     }},
    {"graph edges",
     [](std::mt19937_64* random) {
       return BigEndian((*random)() % 1'000'000 * 0x9e3779b97f4a7c15) +
              Numbered((*random)() % 4, 2) + BigEndian((*random)());
     },
     [](const std::string& key, std::mt19937_64* random) {
       return AllWith(BigEndian((*random)() % 1'000'000 * 0x9e3779b97f4a7c15) + key.substr(8, 2));
     }},
    {"folders and their files",
     [](std::mt19937_64* random) {
       const std::string folder = Folder((*random)() % 50'000);
       return (*random)() % 2 == 0 ? folder : folder + "/" + Uuid(random);
     },
     [](const std::string& key, std::mt19937_64* /*random*/) {
       return AllWith(key.substr(0, Folder(0).size()) + "/");
     }},
    {"integers, 16 behind a key", [](std::mt19937_64* random) { return BigEndian((*random)()); },
     Behind},
    {"integers, the first 3 bytes", [](std::mt19937_64* random) { return BigEndian((*random)()); },
     [](const std::string& /*key*/, std::mt19937_64* random) {
       return AllWith(RandomBytes(3, random));
     },
     false},
    {"index, key, time: 16 behind a key", IndexKeyTime, Behind, false},
};

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_ROCKSDB_RANGES_SCANNED_SHAPES_H_
