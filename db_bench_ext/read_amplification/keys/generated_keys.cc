#include "db_bench_ext/read_amplification/keys/generated_keys.h"

namespace winnow::bench {

void MakeNumberedKey(uint64_t number, size_t key_size, std::string* key) {
  key->assign(key_size, '0');
  for (size_t byte = 0; byte < kMinGeneratedKey; ++byte) {
    (*key)[byte] = static_cast<char>(number >> (8 * (kMinGeneratedKey - 1 - byte)));
  }
}

uint64_t NumberInKey(std::string_view key) {
  uint64_t number = 0;
  for (size_t byte = 0; byte < kMinGeneratedKey; ++byte) {
    const char digits = byte < key.size() ? key[byte] : '\0';
    number = number << 8 | static_cast<unsigned char>(digits);
  }
  return number;
}

std::string_view GeneratedKeys::Get(uint64_t i, std::string* room) const {
  MakeNumberedKey(2 * i + first_, key_size_, room);
  return *room;
}

uint64_t GeneratedKeys::NumberOf(std::string_view key) { return NumberInKey(key) / 2; }

std::string_view LongerKeys::Get(uint64_t i, std::string* room) const {
  const std::string_view key = keys_->Get(i, room);
  // The underlying set may have put the key into *room.
  if (key.data() == room->data()) {
    room->push_back('0');
  } else {
    room->assign(key);
    room->push_back('0');
  }
  return *room;
}

}  // namespace winnow::bench
