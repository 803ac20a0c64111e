/* A reader of Winnow's filter blocks that shares nothing with the library: written from
   src/core/FORMAT.md alone, slow and plain, for whoever writes a reader of their own. Its only
   dependency is xxHash.

       cc -o standalone_reader standalone_reader.c -DXXH_INLINE_ALL
       printf 'key0\nabsent0\n' | ./standalone_reader BLOCK           # a line "1" (may contain) or
   "0" (absent) for each key printf '00c0ffee00c0ffee\n' | ./standalone_reader BLOCK --hashes

   With -DWINNOW_STANDALONE_LIBRARY it is a function without a main. */

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum { kTailBytes = 32, kEntryBytes = 5, kMaxEntries = 16 };
enum { kEmpty = 0, kBloom = 1, kRibbon = 2 };
enum {
  kTypeNone = 0,
  kTypeBumped = 1,
  kTypeSmall = 2,
  kTypeList = 3,
  kTypeBloom = 4,
  kTypeNote = 5
};

static const uint32_t kSalts[16] = {
    0x910a2ded, 0xbeeb8da1, 0xf893a2ef, 0x71c18691, 0x71bb54d9, 0xc34d0bff, 0xe099ec6d, 0x85e7bb0f,
    0x491718df, 0xcb435c8f, 0x9afcd44d, 0x7476cf8b, 0x87b341d7, 0x2ac2ce17, 0xa534a6a7, 0xd0bad0db};

static const uint16_t kPatterns[14][16] = {
    {0x0002, 0x0080, 0x4000, 0x0800, 0x0200, 0x0001, 0x0020, 0x0020, 0x0100, 0x0040, 0x0002, 0x4000,
     0x0001, 0x0400, 0x0100, 0x0800},
    {0x1080, 0x1200, 0x2008, 0x1020, 0x0880, 0x0204, 0x0404, 0x0018, 0x0022, 0x0024, 0x00c0, 0x1008,
     0x0022, 0x0820, 0x0500, 0x0050},
    {0x02c0, 0x2140, 0x200c, 0x2081, 0x5400, 0x0340, 0x8810, 0x1011, 0x8600, 0x8028, 0x0818, 0x8011,
     0x00a4, 0x1202, 0x0902, 0x100a},
    {0x880c, 0x0922, 0x4106, 0x6012, 0x2118, 0x1403, 0xc009, 0x0560, 0x28a0, 0x8290, 0x8822, 0x5202,
     0x8103, 0xc804, 0x0846, 0x1a10},
    {0x1845, 0x9c02, 0x00b9, 0x0c19, 0x4548, 0x7440, 0x8096, 0x3206, 0x4170, 0x24c8, 0x280d, 0x1a0c,
     0x02e2, 0x422c, 0xe024, 0x480b},
    {0x1b88, 0x1568, 0x0947, 0x4658, 0x00dd, 0x6a41, 0x0d26, 0x2863, 0x02f4, 0x3825, 0x5344, 0xa330,
     0x0d26, 0x9c81, 0x7068, 0x1626},
    {0x5247, 0x8bc2, 0x6698, 0x2475, 0x247a, 0xa307, 0x819d, 0x6853, 0x1a4e, 0x1356, 0xaac4, 0xa49c,
     0xf284, 0x9c0b, 0x08bb, 0x2c55},
    {0xdb84, 0x574a, 0x8d33, 0xd8cc, 0x7a2a, 0x165d, 0x1d93, 0x342f, 0x7525, 0x9e70, 0x9647, 0x7aa4,
     0x2f54, 0xdc70, 0xe817, 0x3ad2},
    {0xcc37, 0xab8b, 0x5ea9, 0xe751, 0xa937, 0xcd87, 0xbc95, 0xb635, 0x567a, 0x6cb6, 0x4dae, 0xe3ca,
     0x635e, 0x0fea, 0x93f1, 0x7746},
    {0x9cf6, 0x733b, 0xef51, 0x71fc, 0xfd62, 0x27af, 0xe47d, 0x751f, 0x4ef9, 0x5cdb, 0xddb2, 0xa3e7,
     0x753d, 0xde35, 0xa93f, 0x1b7e},
    {0xf6b9, 0xb8ef, 0x6e9f, 0x17fd, 0xe7ea, 0x877f, 0x767e, 0x9f8f, 0xdf59, 0xb2fd, 0x6fd9, 0xab7e,
     0xa77b, 0xce5f, 0xefc6, 0xd6de},
    {0xe9fe, 0xfd75, 0xbfce, 0xd9fd, 0x5fdb, 0x7fcd, 0xf7a7, 0xdddb, 0xaddf, 0x6edf, 0xf77c, 0xd2ff,
     0x6ddf, 0x7afe, 0xff1e, 0x7fbc},
    {0xdffa, 0x9eff, 0xfdf3, 0xefde, 0xd7fb, 0xffd3, 0x7dfd, 0xb7f7, 0xcfdf, 0xbbfe, 0xf73f, 0xfb6f,
     0xfb77, 0xfd5f, 0x3dff, 0xff9d},
    {0xffde, 0xffdd, 0xfffc, 0x7fbf, 0xfdbf, 0xfdf7, 0xffe7, 0xf6ff, 0xd7ff, 0xf7df, 0xfdef, 0xfefe,
     0xbbff, 0xfbfd, 0xf7ef, 0xdf7f}};

/* What the tail says, and where the parts are. */
struct parsed {
  const unsigned char* payload;
  const unsigned char* directory;
  unsigned entries;
  uint64_t whole, fraction, most;
};

struct entry {
  unsigned type, parameter;
  uint64_t count;
};

static uint64_t number(const unsigned char* bytes, unsigned size) {
  uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i) value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

static struct entry entry_at(const struct parsed* p, unsigned i) {
  const unsigned char* bytes = p->directory + kEntryBytes * i;
  struct entry e = {bytes[0] & 7, bytes[0] >> 3, number(bytes + 1, 4)};
  return e;
}

static int entry_is_right(struct entry e) {
  switch (e.type) {
    case kTypeNone:
      return e.parameter == 0 && e.count == 0;
    case kTypeBumped:
      return e.parameter <= 25 && e.count >= 1 && ((e.count * 128) << e.parameter) <= UINT32_MAX;
    case kTypeSmall:
      return e.parameter == 0 && e.count >= 1 && e.count <= (1u << 20);
    case kTypeList:
      return e.parameter >= 7 && e.count >= 1 && e.count <= (1u << 16);
    case kTypeBloom:
      return e.parameter >= 1 && e.parameter <= 14 && e.count >= 1;
    case kTypeNote:
      return 1;
    default:
      return 0;
  }
}

/* Of a bumped layer: blocks of 64 slots, the first that is one column wider, bytes of the words. */
struct bumped {
  uint64_t starts, blocks, split, words;
};

static struct bumped bumped_layout(const struct parsed* p, struct entry e) {
  struct bumped layout;
  const uint64_t shards = (uint64_t)1 << e.parameter;
  layout.starts = shards * e.count * 128;
  layout.blocks = shards * (2 * e.count + 1);
  const uint64_t wide = (layout.blocks * p->fraction + 2048) / 4096;
  layout.split = layout.blocks - wide;
  layout.words = 8 * (layout.blocks * p->whole + wide);
  return layout;
}

static uint64_t entry_bytes(const struct parsed* p, struct entry e) {
  switch (e.type) {
    case kTypeBumped:
      return bumped_layout(p, e).words + ((e.count << e.parameter) + 3) / 4;
    case kTypeSmall:
      return 8 * p->most * e.count;
    case kTypeList:
      return (e.count * (e.parameter + 1) + 7) / 8;
    case kTypeBloom:
      return 64 * e.count;
    case kTypeNote:
      return e.count;
    default:
      return 0;
  }
}

/* The checks of FORMAT.md. 0 if the block can't be used; then it "may contain" every key. */
static int parse(const unsigned char* block, size_t size, struct parsed* p, unsigned* kind) {
  if (size < kTailBytes) return 0;
  const unsigned char* tail = block + size - kTailBytes;
  if (tail[22] != 1) return 0;
  const size_t before = size - kTailBytes;
  p->entries = tail[20];
  if (p->entries > kMaxEntries || (size_t)kEntryBytes * p->entries > before) return 0;
  p->payload = block;
  p->directory = tail - kEntryBytes * p->entries;
  if ((uint32_t)XXH3_64bits(p->directory, kEntryBytes * p->entries + 28) != number(tail + 28, 4))
    return 0;
  *kind = tail[13];
  if (*kind > kRibbon || tail[14] != 1 || number(tail + 4, 4) != 0) return 0;
  if (memcmp(tail + 23, "Wnow\xa9", 5) != 0) return 0;
  const uint64_t columns = number(tail + 18, 2);
  p->whole = columns / 4096 + 1;
  p->fraction = columns % 4096;
  p->most = p->whole + (p->fraction != 0);
  if (*kind == kRibbon ? p->most > 16 : columns != 0) return 0;
  if ((*kind == kEmpty) != (number(tail + 8, 5) == 0)) return 0;
  int is_complete = *kind == kEmpty;
  uint64_t sum = 0;
  for (unsigned i = 0; i < p->entries; ++i) {
    const struct entry e = entry_at(p, i);
    if (!entry_is_right(e) || (e.type == kTypeNote) != is_complete) return 0;
    if (!is_complete) {
      if (*kind == kBloom && e.type != kTypeBloom) return 0;
      is_complete = e.type != kTypeBumped;
    }
    sum += entry_bytes(p, e);
  }
  return is_complete && sum == before - (size_t)kEntryBytes * p->entries;
}

static uint64_t position(uint64_t h, uint64_t n) { return ((h >> 32) * n) >> 32; }

static uint64_t fingerprint(uint64_t h, uint64_t bits) {
  return ((h ^ (h >> 31)) * UINT64_C(0xd6e8feb86659fd93)) >> (64 - bits);
}

static int ask_bloom(const unsigned char* layer, struct entry e, uint64_t h) {
  const unsigned char* block = layer + 64 * position(h, e.count);
  const uint64_t x = h & 0xffffffff;
  const uint64_t pattern = kPatterns[e.parameter - 1][(x >> 4) & 15];
  const uint64_t words = (pattern << (x & 15) | pattern >> (16 - (x & 15))) & 0xffff;
  for (unsigned w = 0; w < 16; ++w) {
    if ((words >> w & 1) == 0) continue;
    const uint64_t bit = ((x * kSalts[w]) & 0xffffffff) >> 27;
    if ((number(block + 4 * w, 4) >> bit & 1) == 0) return 0;
  }
  return 1;
}

static int ask_list(const unsigned char* layer, struct entry e, uint64_t h) {
  const unsigned bits = e.parameter + 1;
  const uint64_t wanted = fingerprint(h, bits);
  for (uint64_t i = 0; i < e.count; ++i) {
    uint64_t value = 0;
    for (unsigned j = 0; j < bits; ++j) {
      const uint64_t bit = i * bits + j;
      value |= (uint64_t)(layer[bit / 8] >> (bit % 8) & 1) << j;
    }
    if (value == wanted) return 1;
  }
  return 0;
}

/* Slot by slot from `start` on; `shard` blocks more lie before it. Blocks from `split` on have a
   column more than `whole`; the first `columns` columns count. */
static int ask_sum(const unsigned char* layer, uint64_t start, uint64_t shard, uint64_t whole,
                   uint64_t split, uint64_t columns, uint64_t most, uint64_t h) {
  const uint64_t coefficient = ((h * UINT64_C(0x9e3779b97f4a7c15)) >> 16) | 1;
  const uint64_t wanted = fingerprint(h, most);
  for (uint64_t column = 0; column < columns; ++column) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < 48; ++i) {
      if ((coefficient >> i & 1) == 0) continue;
      const uint64_t slot = start + i;
      const uint64_t block = slot / 64 + shard;
      const uint64_t word = block * whole + (block > split ? block - split : 0) + column;
      sum ^= layer[8 * word + slot % 64 / 8] >> (slot % 8) & 1;
    }
    if (sum != (wanted >> column & 1)) return 0;
  }
  return 1;
}

int standalone_may_contain(const unsigned char* block, size_t size, uint64_t h) {
  struct parsed p;
  unsigned kind;
  if (!parse(block, size, &p, &kind)) return 1;
  if (kind == kEmpty) return 0;
  const unsigned char* layer = p.payload;
  for (unsigned i = 0; i < p.entries; ++i) {
    const struct entry e = entry_at(&p, i);
    if (e.type == kTypeNone) return 0;
    if (e.type == kTypeBloom) return ask_bloom(layer, e, h);
    if (e.type == kTypeList) return ask_list(layer, e, h);
    if (e.type == kTypeSmall) {
      return ask_sum(layer, position(h, 64 * e.count - 47), 0, p.most, UINT64_MAX, p.most, p.most,
                     h);
    }
    const struct bumped layout = bumped_layout(&p, e);
    const uint64_t start = position(h, layout.starts);
    const uint64_t bucket = start / 128;
    const unsigned offset = start % 128;
    const unsigned class = offset < 16 ? 2 : offset < 36 ? 1 : 0;
    const unsigned threshold = layer[layout.words + bucket / 4] >> (2 * (bucket % 4)) & 3;
    if (class < threshold) {
      const uint64_t shard = e.parameter == 0 ? 0 : h >> (64 - e.parameter);
      const uint64_t columns = p.whole + (start / 64 + shard >= layout.split);
      return ask_sum(layer, start, shard, p.whole, layout.split, columns, p.most, h);
    }
    layer += entry_bytes(&p, e);
    h *= UINT64_C(0xa0761d6478bd642f);
    h ^= h >> 32;
  }
  return 1;
}

#ifndef WINNOW_STANDALONE_LIBRARY
#include <errno.h>
#include <stdlib.h>

static unsigned char* read_file(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  unsigned char* bytes = NULL;
  size_t room = 0;
  *size = 0;
  while (file != NULL) {
    if (*size == room) {
      room = 2 * room + 4096;
      bytes = realloc(bytes, room);
      if (bytes == NULL) break;
    }
    const size_t got = fread(bytes + *size, 1, room - *size, file);
    *size += got;
    if (got == 0) break;
  }
  if (file == NULL || ferror(file)) {
    fprintf(stderr, "standalone_reader: can't read %s: %s\n", path, strerror(errno));
    exit(2);
  }
  fclose(file);
  return bytes;
}

int main(int argc, char** argv) {
  const int is_hashes = argc == 3 && strcmp(argv[2], "--hashes") == 0;
  if (argc != 2 && !is_hashes) {
    fprintf(stderr, "usage: standalone_reader BLOCK [--hashes] < KEYS\n");
    return 2;
  }
  size_t size;
  unsigned char* block = read_file(argv[1], &size);
  char line[4096];
  while (fgets(line, sizeof line, stdin) != NULL) {
    const size_t length = strcspn(line, "\n");
    const uint64_t h = is_hashes ? strtoull(line, NULL, 16) : XXH3_64bits(line, length);
    printf("%d\n", standalone_may_contain(block, size, h));
  }
  free(block);
  return fflush(stdout) == 0 ? 0 : 2;
}
#endif
