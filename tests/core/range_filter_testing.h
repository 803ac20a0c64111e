// Helpers for tests of range filters: kinds of keys, and building a filter of some keys.

#ifndef WINNOW_TESTS_CORE_RANGE_FILTER_TESTING_H_
#define WINNOW_TESTS_CORE_RANGE_FILTER_TESTING_H_

#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "src/core/format.h"
#include "src/formulas/bytes.h"
#include "tests/support/random_hashes.h"
#include "winnow/range_filter.h"

namespace winnow::testing {

using Keys = std::set<std::string>;

inline std::string BigEndian(uint64_t number, unsigned bytes = 8) {
  std::string text(bytes, '\0');
  for (unsigned i = bytes; i-- != 0; number >>= 8) text[i] = static_cast<char>(number & 0xff);
  return text;
}

inline uint64_t OfBigEndian(std::string_view bytes) {
  uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

inline std::string Decimal(uint64_t number, int digits = 12) {
  char text[40];
  std::snprintf(text, sizeof text, "user%0*llu", digits, static_cast<unsigned long long>(number));
  return text;
}

// Returns a key like db_bench's GenerateKeyFromInt: the number, then zeros up to the key's size.
inline std::string DbBench(uint64_t number, unsigned size) {
  return BigEndian(number) + std::string(size - 8, '0');
}

// A kind of keys of one length, made from random numbers.
struct KindOfKeys {
  const char* name;
  std::string (*make)(RandomHashes* random);
};

inline const std::vector<KindOfKeys>& KindsOfKeys() {
  static const std::vector<KindOfKeys> kinds = {
      {"random numbers", [](RandomHashes* random) { return BigEndian(random->Next()); }},
      {"dense numbers", [](RandomHashes* random) { return BigEndian(random->Below(5000)); }},
      {"numbers with an outlier",
       [](RandomHashes* random) {
         return BigEndian(random->Below(500) == 0 ? random->Next() : random->Below(30000));
       }},
      {"decimal text", [](RandomHashes* random) { return Decimal(random->Below(3'000'000)); }},
      {"sparse decimal text",
       [](RandomHashes* random) { return Decimal(random->Below(1'000'000'000'000)); }},
      {"decimal text of 16 digits",
       [](RandomHashes* random) {
         return Decimal(random->Below(random->Below(2) == 0 ? 10'000 : 7'000'000'000'000'000), 16);
       }},
      {"letters",
       [](RandomHashes* random) {
         std::string key = "of ";
         for (int i = 0; i < 7; ++i) {
           key += static_cast<char>('A' + (i == 0 ? 5 + random->Below(3) : random->Below(16)));
         }
         return key;
       }},
      {"numbers of 5 bytes behind others",
       [](RandomHashes* random) {
         return "tenant " + BigEndian(random->Next() >> 25 | uint64_t{1} << 38, 5);
       }},
      {"hexadecimal text",
       [](RandomHashes* random) {
         const auto first = static_cast<unsigned long long>(random->Next());
         const auto second = static_cast<unsigned long long>(random->Below(1 << 16));
         char text[40];
         std::snprintf(text, sizeof text, "%016llx-%04llx", first, second);
         return std::string(text);
       }},
      {"user and time",
       [](RandomHashes* random) {
         const uint64_t user = random->Below(40) * 0x9e3779b97f4a7c15;
         return BigEndian(user) + BigEndian(user * 3) +
                BigEndian(1'700'000'000'000 + random->Below(3'000'000));
       }},
      {"16 bytes of db_bench",
       [](RandomHashes* random) { return DbBench(random->Below(1'000'000), 16); }},
      {"24 bytes of db_bench",
       [](RandomHashes* random) { return DbBench(random->Next() >> 20, 24); }},
      {"32 random bytes",
       [](RandomHashes* random) {
         std::string key;
         for (int i = 0; i < 4; ++i) key += BigEndian(random->Next());
         return key;
       }},
      {"long keys that differ little",
       [](RandomHashes* random) {
         std::string key(256, 'x');
         for (int i = 0; i < 40; ++i) {
           key[6 * static_cast<size_t>(i) + 3] = static_cast<char>('a' + random->Below(2));
         }
         return key;
       }},
      {"few values",
       [](RandomHashes* random) {
         std::string key;
         for (int i = 0; i < 4; ++i) key += "\x00\x01\x7f\x80\xfe\xff"[random->Below(6)];
         return key;
       }},
      {"one byte",
       [](RandomHashes* random) { return std::string(1, static_cast<char>(random->Below(256))); }},
  };
  return kinds;
}

// Returns up to `most` random bytes of the text.
inline std::string SomeBytesOf(const std::string& text, size_t most, RandomHashes* random) {
  std::string key;
  for (size_t size = random->Below(most + 1); size != 0; --size) {
    key += text[random->Below(text.size())];
  }
  return key;
}

// Returns kinds of keys of several lengths.
inline const std::vector<KindOfKeys>& KindsOfSeveralLengths() {
  static const std::vector<KindOfKeys> kinds = {
      {"words", [](RandomHashes* random) { return SomeBytesOf("abcdefgh", 9, random); }},
      {"bytes of zeros and ones",
       [](RandomHashes* random) {
         return SomeBytesOf(std::string("\0\0\x01\xff\x80", 5), 8, random);
       }},
      {"bytes",
       [](RandomHashes* random) {
         std::string key;
         for (size_t size = 4 + random->Below(9); size != 0; --size) {
           key += static_cast<char>(random->Next());
         }
         return key;
       }},
      {"numbers as text",
       [](RandomHashes* random) {
         const uint64_t shift = random->Below(60);
         return std::to_string(random->Next() >> shift);
       }},
      {"paths",
       [](RandomHashes* random) {
         std::string key = "/usr/share";
         for (uint64_t depth = 1 + random->Below(3); depth != 0; --depth) {
           key += "/python3-" + std::to_string(random->Below(30)) + "-documentation";
         }
         return key + "/" + SomeBytesOf("aeinorst", 7, random) + ".html";
       }},
      {"addresses",
       [](RandomHashes* random) {
         const std::string host = "https://www." + SomeBytesOf("mnop", 3, random);
         return host + ".example.org/item?id=" + std::to_string(random->Below(3'000'000));
       }},
      {"long keys that differ little",
       [](RandomHashes* random) {
         std::string key(300 + 100 * static_cast<size_t>(random->Below(3)), 'x');
         for (size_t i = 0; i < 12; ++i) {
           key[23 * i + 3] = static_cast<char>('w' + random->Below(3));
         }
         return key;
       }},
      {"numbers, few of them longer",
       [](RandomHashes* random) {
         const std::string key = BigEndian(random->Next());
         return random->Below(3000) == 0 ? key + "x" : key;
       }},
  };
  return kinds;
}

inline std::vector<KindOfKeys> AllKindsOfKeys() {
  std::vector<KindOfKeys> kinds = KindsOfKeys();
  kinds.insert(kinds.end(), KindsOfSeveralLengths().begin(), KindsOfSeveralLengths().end());
  return kinds;
}

inline Keys SomeKeys(const KindOfKeys& kind, size_t n, RandomHashes* random) {
  Keys keys;
  for (size_t i = 0; i < n; ++i) keys.insert(kind.make(random));
  return keys;
}

template <typename Container>
FilterBlock BuildRangeFilter(const Container& keys, double range_bits = 15,
                             RangeFilterKind kind = RangeFilterKind::kNone) {
  RangeFilterOptions options;
  options.range_bits = range_bits;
  options.kind = kind;
  RangeFilterBuilder builder(options);
  for (const auto& key : keys) builder.Add(key);
  return builder.Finish();
}

// Returns a random kind that these keys may have: positions, stored or by retrieval, only if the
// keys have one length.
inline RangeFilterKind SomeKind(const Keys& keys, RandomHashes* random) {
  bool have_one_length = true;
  for (const std::string& key : keys) {
    have_one_length = have_one_length && key.size() == keys.begin()->size();
  }
  have_one_length = have_one_length && !keys.begin()->empty() && keys.begin()->size() <= 256;
  constexpr RangeFilterKind kAsked[] = {RangeFilterKind::kTrees, RangeFilterKind::kNone,
                                        RangeFilterKind::kPositions, RangeFilterKind::kRetrieval};
  return kAsked[random->Below(have_one_length ? 4 : 2)];
}

// Recomputes both checksums, unless the front is too long for the bytes.
inline void SignRangeFilter(std::string* bytes) {
  auto* const front = reinterpret_cast<unsigned char*>(&(*bytes)[0]);
  if (bytes->size() < 32) return;
  const size_t summed =
      32 + formulas::LoadLittle(front + 6, 2) + formulas::LoadLittle(front + 26, 2);
  if (bytes->size() < summed + 4) return;
  const size_t arrays = bytes->size() - summed - 4;
  formulas::StoreLittle(front + 28, core::Checksum(front + summed + 4, arrays), 4);
  formulas::StoreLittle(front + summed, core::Checksum(front, summed), 4);
}

// Returns whether a key is in [begin, end).
inline bool Has(const Keys& keys, const std::string& begin, const std::string& end) {
  const auto found = keys.lower_bound(begin);
  return found != keys.end() && *found < end;
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_CORE_RANGE_FILTER_TESTING_H_
