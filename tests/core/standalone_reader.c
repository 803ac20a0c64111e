/* A reader of Winnow's filter blocks that shares no code with the library: written from
   src/core/FORMAT.md alone, slow and simple, as a reference for authors of readers. Its only
   dependency is xxHash.

       cc -o standalone_reader standalone_reader.c -DXXH_INLINE_ALL

   Prints a line per input line, "1" (may contain) or "0" (absent): for a key, for a hash, or for
   a range of keys from the first word up to but excluding the second one.

       printf 'key0\nabsent0\n' | ./standalone_reader BLOCK
       printf '00c0ffee00c0ffee\n' | ./standalone_reader BLOCK --hashes
       printf 'key0 key1\n' | ./standalone_reader BLOCK --ranges

   With -DWINNOW_STANDALONE_LIBRARY, it is a function without main(). */

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>
#if XXH_VERSION_NUMBER < 800
#error "this reader needs xxHash 0.8.0 or later: this xxhash.h is older, and hashes otherwise"
#endif

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

/* Fields of the tail, and pointers to the parts of a block. */
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

/* A bumped layer: start positions, blocks of 64 slots, first block with one more column, and
   bytes of words. */
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

/* Parses a block with the checks of FORMAT.md. Returns 0 if the block can't be used; then it
   "may contain" every key. */
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

/* Returns the sums of the first `columns` columns as bits, slot by slot from `start` on. `shard`
   is the number of additional blocks before the slot. Blocks from `split` on have one column
   more than `whole`. */
static uint64_t sums(const unsigned char* layer, uint64_t start, uint64_t shard, uint64_t whole,
                     uint64_t split, uint64_t columns, uint64_t h) {
  const uint64_t coefficient = ((h * UINT64_C(0x9e3779b97f4a7c15)) >> 16) | 1;
  uint64_t all = 0;
  for (uint64_t column = 0; column < columns; ++column) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < 48; ++i) {
      if ((coefficient >> i & 1) == 0) continue;
      const uint64_t slot = start + i;
      const uint64_t block = slot / 64 + shard;
      const uint64_t word = block * whole + (block > split ? block - split : 0) + column;
      sum ^= layer[8 * word + slot % 64 / 8] >> (slot % 8) & 1;
    }
    all |= sum << column;
  }
  return all;
}

static int ask_sum(const unsigned char* layer, uint64_t start, uint64_t shard, uint64_t whole,
                   uint64_t split, uint64_t columns, uint64_t most, uint64_t h) {
  const uint64_t differing =
      fingerprint(h, most) ^ sums(layer, start, shard, whole, split, columns, h);
  return (differing & (((uint64_t)1 << columns) - 1)) == 0;
}

/* Returns whether the hash is bumped; if not, sets its position and the number of relevant
   columns. */
static int is_bumped(const struct parsed* p, const unsigned char* layer, struct entry e, uint64_t h,
                     uint64_t* start, uint64_t* shard, uint64_t* columns) {
  const struct bumped layout = bumped_layout(p, e);
  *start = position(h, layout.starts);
  const uint64_t bucket = *start / 128;
  const unsigned offset = *start % 128;
  const unsigned class = offset < 16 ? 2 : offset < 36 ? 1 : 0;
  const unsigned threshold = layer[layout.words + bucket / 4] >> (2 * (bucket % 4)) & 3;
  *shard = e.parameter == 0 ? 0 : h >> (64 - e.parameter);
  *columns = p->whole + (*start / 64 + *shard >= layout.split);
  return class >= threshold;
}

static uint64_t next_hash(uint64_t h) {
  h *= UINT64_C(0xa0761d6478bd642f);
  return h ^ h >> 32;
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
    uint64_t start, shard, columns;
    if (!is_bumped(&p, layer, e, h, &start, &shard, &columns)) {
      const uint64_t split = bumped_layout(&p, e).split;
      return ask_sum(layer, start, shard, p.whole, split, columns, p.most, h);
    }
    layer += entry_bytes(&p, e);
    h = next_hash(h);
  }
  return 1;
}

/* Fields of a range filter's front, and pointers to its parts. */
struct range {
  const unsigned char *last_key, *digits, *lows, *highs, *end;
  uint64_t keys, bound, most; /* most: maximum position */
  unsigned length, num_digits, hashed, low_bits, block_bits;
  int is_trees, is_retrieval;
  struct parsed layers; /* layers of a retrieval, from `payload` on */
  const unsigned char* list;
  uint64_t listed, crowded;
  const unsigned char *entries, *separators, *trees;
  uint64_t blocks;
  unsigned leaf_bits, order, first_bits, hash_bits; /* hash_bits: of sized trees, byte_bits */
  int has_lengths, is_sized;
};

/* The P hashed bytes of a key, and its position. */
struct range_number {
  unsigned char bytes[256];
  uint64_t position;
};

static unsigned log2_of(uint64_t x) {
  unsigned bits = 0;
  while (x >>= 1) ++bits;
  return bits;
}

/* Reads the digit at *at. Returns its radix, and sets the rank of a byte, and whether the digit
   has that byte. */
static unsigned digit_at(const unsigned char* at, unsigned byte, unsigned* rank, int* has) {
  unsigned radix = 0;
  *rank = 0;
  *has = 0;
  for (unsigned i = 0; i < at[1]; ++i) {
    for (unsigned b = at[2 + 2 * i]; b <= at[3 + 2 * i]; ++b) {
      ++radix;
      *rank += b < byte;
      *has |= b == byte;
    }
  }
  return radix;
}

/* Parses the part that is specific to trees, after the common checks. */
static int parse_trees(const unsigned char* note, size_t size, struct range* r) {
  const unsigned char* const behind = note + 32 + r->length + 4;
  r->is_trees = 1;
  r->has_lengths = note[5] == 4;
  r->is_sized = note[5] == 5;
  r->keys = number(note + 8, 4);
  r->leaf_bits = note[12];
  r->order = note[13];
  r->first_bits = note[14];
  r->hash_bits = note[15];
  r->blocks = number(note + 16, 4);
  const uint64_t separators = number(note + 20, 4);
  if (r->length < 1 || r->length > 4096 || number(note + 26, 2) != 0) return 0;
  if (r->keys < 1 || r->keys >> 31 != 0 || r->blocks < 1 || r->blocks > r->keys) return 0;
  if (r->leaf_bits > 28 || r->order > 8 || r->first_bits > 28) return 0;
  if (r->hash_bits < 1 || r->hash_bits > (r->is_sized ? 8 : 28)) return 0;
  if ((uint64_t)(note + size - behind) < 8 * r->blocks + separators + 8) return 0;
  r->last_key = note + 32;
  r->entries = behind;
  r->separators = behind + 8 * r->blocks;
  r->trees = r->separators + separators;
  r->end = note + size - 8;
  const unsigned char* const last = r->separators - 8;
  return number(last, 4) == separators && number(last + 4, 4) == (uint64_t)(r->end - r->trees);
}

/* Locates the parts of r->keys numbers below r->bound, which begin at `begin`. Returns their
   end. */
static const unsigned char* find_numbers(const unsigned char* begin, struct range* r) {
  r->low_bits = log2_of(r->bound / r->keys);
  const uint64_t buckets = ((r->bound - 1) >> r->low_bits) + 1;
  const uint64_t words = (r->keys + buckets + 63) / 64;
  r->lows = begin;
  r->highs = r->lows + (r->keys * r->low_bits + 7) / 8;
  r->end = r->highs + 8 * words;
  return r->end + 4 * ((words + 7) / 8);
}

/* Parses the part behind the front of a retrieval. The numbers are those of crowded keys. */
static int parse_retrieval(const unsigned char* note, const unsigned char* begin,
                           const unsigned char* end, struct range* r) {
  struct parsed* const p = &r->layers;
  const uint64_t columns = number(note + 18, 2);
  r->block_bits = note[16];
  p->payload = begin;
  p->entries = note[17];
  p->whole = columns / 4096 + 1;
  p->fraction = columns % 4096;
  p->most = p->whole + (p->fraction != 0);
  r->crowded = number(note + 20, 4);
  if (r->crowded > r->keys || p->most > 16 || p->entries > 16) return 0;
  if (r->block_bits < 3 || r->block_bits > p->whole || p->most - r->block_bits > 9) return 0;
  if ((size_t)(end - begin) < (size_t)kEntryBytes * p->entries + 128) return 0;
  p->directory = end - kEntryBytes * p->entries;
  uint64_t left = (uint64_t)(p->directory - begin) - 128;
  uint64_t layers = 0;
  for (unsigned i = 0; i < p->entries; ++i) {
    const struct entry e = entry_at(p, i);
    if (!entry_is_right(e)) return 0;
    if (e.type != kTypeBumped && (e.type != kTypeSmall || i + 1 != p->entries)) return 0;
    layers += entry_bytes(p, e);
  }
  if (layers > left) return 0;
  left -= layers;
  r->list = begin + layers;
  if (r->crowded != 0) {
    r->keys = r->crowded;
    r->bound = r->crowded << p->most;
    const uint64_t bytes = (uint64_t)(find_numbers(begin, r) - begin);
    if (bytes > left) return 0;
    left -= bytes;
    find_numbers(r->list + left, r);
  }
  r->listed = left / 8;
  return left % 8 == 0;
}

/* Parses a range filter with the checks of FORMAT.md. Returns 0 if it can't be used. */
static int parse_range(const unsigned char* note, size_t size, struct range* r) {
  if (size < 32 || memcmp(note, "Wrng\x01", 5) != 0) return 0;
  r->length = (unsigned)number(note + 6, 2);
  const size_t digits_bytes = number(note + 26, 2);
  const size_t front = 32 + r->length + digits_bytes;
  if (size < front + 4 || (uint32_t)XXH3_64bits(note, front) != number(note + front, 4)) return 0;
  r->keys = number(note + 8, 4);
  r->num_digits = (unsigned)number(note + 12, 2);
  r->hashed = (unsigned)number(note + 14, 2);
  r->bound = number(note + 16, 8);
  if (note[5] == 2 || note[5] == 4 || note[5] == 5) return parse_trees(note, size, r);
  r->is_retrieval = note[5] == 3;
  if ((note[5] != 1 && note[5] != 3) || r->length < 1 || r->length > 256) return 0;
  if (r->hashed != 0 && (r->hashed >= r->length || (r->length - r->hashed) % 8 != 0)) return 0;
  if (r->keys < 1 || r->keys >> 31 != 0) return 0;
  if (!r->is_retrieval && (r->bound < r->keys || r->bound > r->keys << 32)) return 0;
  r->last_key = note + 32;
  r->digits = r->last_key + r->length;
  const unsigned char* at = r->digits;
  unsigned place = r->hashed;
  r->most = 0;
  for (unsigned i = 0; i < r->num_digits; ++i) {
    if (note + front - at < 2 || at[1] < 1 || at[1] > 4) return 0;
    if (note + front - at < 2 + 2 * at[1] || at[0] < place || at[0] >= r->length) return 0;
    for (unsigned j = 0; j < at[1]; ++j) {
      if (at[2 + 2 * j] > at[3 + 2 * j]) return 0;
      if (j > 0 && at[2 + 2 * j] <= at[1 + 2 * j]) return 0;
    }
    unsigned rank;
    int has;
    const unsigned radix = digit_at(at, r->last_key[at[0]], &rank, &has);
    if (radix < 2 || !has || r->most > (UINT64_MAX - (radix - 1)) / radix) return 0;
    r->most = r->most * radix + (radix - 1);
    place = at[0] + 1u;
    at += 2 + 2 * at[1];
  }
  if (at != note + front) return 0;
  if (r->is_retrieval) return parse_retrieval(note, note + front + 4, note + size, r);
  r->block_bits = log2_of(r->bound);
  return find_numbers(note + front + 4, r) == note + size;
}

static int next_bytes(const struct range* r, struct range_number* n) {
  n->position = 0;
  for (unsigned i = r->hashed; i-- > 0;) {
    if (++n->bytes[i] != 0) return 1;
  }
  return 0;
}

static int number_before(const struct range* r, struct range_number* n) {
  if (n->position-- != 0) return 1;
  n->position = r->most;
  for (unsigned i = r->hashed; i-- > 0;) {
    if (n->bytes[i]-- != 0) return 1;
  }
  return 0;
}

/* Computes the smallest number that is not less than a bound, byte by byte. Returns 0 if there
   is none. */
static int lower_bound(const struct range* r, const unsigned char* bound, size_t size,
                       struct range_number* n) {
  for (unsigned i = 0; i < r->hashed; ++i) n->bytes[i] = i < size ? bound[i] : 0;
  n->position = 0;
  const unsigned char* digit = r->digits;
  const unsigned char* const digits_end = r->digits + number(r->last_key - 32 + 26, 2);
  int is_zero = size <= r->hashed; /* all following digits are 0 */
  int carries = 0;
  uint64_t most = 0; /* maximum number of the digits so far */
  for (unsigned place = r->hashed; place < r->length; ++place) {
    const int is_digit = digit < digits_end && digit[0] == place;
    const unsigned char only[] = {0, 1, r->last_key[place], r->last_key[place]};
    unsigned rank = 0;
    int has = 0;
    const unsigned radix =
        digit_at(is_digit ? digit : only, !is_zero && place < size ? bound[place] : 0, &rank, &has);
    if (!is_zero && place >= size) is_zero = 1;
    if (is_zero) rank = 0;
    if (!is_zero && rank == radix) {
      is_zero = 1;
      rank = 0;
      carries = n->position == most;
      n->position = carries ? 0 : n->position + 1;
    } else if (!has) {
      is_zero = 1;
    }
    n->position = n->position * radix + rank;
    most = most * radix + (radix - 1);
    if (is_digit) digit += 2 + 2 * digit[1];
  }
  if (!is_zero && size > r->length) {
    carries = n->position == most;
    n->position = carries ? 0 : n->position + 1;
  }
  return !carries || next_bytes(r, n);
}

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
  x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
  return x ^ (x >> 32);
}

static uint64_t hash_of(const struct range* r, const unsigned char* bytes) {
  uint64_t hash = 0;
  uint64_t index = (r->length - r->hashed) / 8 + 1;
  for (unsigned end = r->hashed; end > 0; end = end < 8 ? 0 : end - 8, ++index) {
    uint64_t word = 0;
    for (unsigned i = end < 8 ? 0 : end - 8; i < end; ++i) word = word << 8 | bytes[i];
    hash ^= mix(word + index * UINT64_C(0x9e3779b97f4a7c15));
  }
  return hash;
}

static uint64_t high_half(uint64_t a, uint64_t b) {
  const uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
  const uint64_t left = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
  const uint64_t right = (a & UINT32_MAX) * (b >> 32) + (left & UINT32_MAX);
  return (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32);
}

static uint64_t place_of(const struct range* r, uint64_t h, uint64_t position) {
  const uint64_t block = position >> r->block_bits;
  const uint64_t base = high_half(mix(h + block * UINT64_C(0x9e3779b97f4a7c15)), r->bound);
  return (base + (position & (((uint64_t)1 << r->block_bits) - 1))) % r->bound;
}

/* Searches the numbers sequentially. */
static int is_stored(const struct range* r, uint64_t x, uint64_t y) {
  uint64_t bucket = 0;
  uint64_t i = 0;
  for (uint64_t bit = 0; i < r->keys && bit < 8 * (uint64_t)(r->end - r->highs); ++bit) {
    if ((r->highs[bit / 8] >> (bit % 8) & 1) == 0) {
      ++bucket;
      continue;
    }
    uint64_t value = bucket << r->low_bits;
    for (unsigned j = 0; j < r->low_bits; ++j) {
      const uint64_t at = i * r->low_bits + j;
      value |= (uint64_t)(r->lows[at / 8] >> (at % 8) & 1) << j;
    }
    if (value >= x && value <= y) return 1;
    ++i;
  }
  return 0;
}

/* Returns whether a value of `columns` columns means that the block has a key from x to y. */
static int has_value(const struct range* r, uint64_t item, uint64_t value, uint64_t columns,
                     uint64_t x, uint64_t y) {
  const uint64_t m = r->block_bits;
  const uint64_t bits = r->layers.most - m;
  const uint64_t mark = bits == 0 ? 0 : fingerprint(item, bits);
  const uint64_t escape = ((uint64_t)1 << m) - 1;
  if ((((mark << m) ^ value) & (((uint64_t)1 << columns) - 1)) >> m != 0) return 0;
  value &= escape;
  if (value != escape) return x <= value && value <= y;
  if (r->crowded == 0) return 0;
  const uint64_t base = high_half(mix(item), r->crowded << bits) << m;
  return is_stored(r, base + x, base + y);
}

static int any_in_block(const struct range* r, uint64_t item, uint64_t x, uint64_t y) {
  const struct parsed* const p = &r->layers;
  const unsigned char* layer = p->payload;
  uint64_t h = item;
  for (unsigned i = 0; i < p->entries; ++i) {
    const struct entry e = entry_at(p, i);
    uint64_t start, shard, columns;
    if (e.type == kTypeSmall) {
      start = position(h, 64 * e.count - 47);
      const uint64_t value = sums(layer, start, 0, p->most, UINT64_MAX, p->most, h);
      return has_value(r, item, value, p->most, x, y);
    }
    if (!is_bumped(p, layer, e, h, &start, &shard, &columns)) {
      const uint64_t split = bumped_layout(p, e).split;
      const uint64_t value = sums(layer, start, shard, p->whole, split, columns, h);
      return has_value(r, item, value, columns, x, y);
    }
    layer += entry_bytes(p, e);
    h = next_hash(h) & ~UINT64_C(0xffff);
  }
  for (uint64_t i = 0; i < r->listed; ++i) {
    const uint64_t listed = number(r->list + 8 * i, 8);
    if ((listed & ~UINT64_C(0xffff)) == h && has_value(r, item, listed & 0xffff, p->most, x, y)) {
      return 1;
    }
  }
  return 0;
}

static int any_retrieved(const struct range* r, uint64_t h, uint64_t first, uint64_t last) {
  const uint64_t escape = ((uint64_t)1 << r->block_bits) - 1;
  const uint64_t last_block = last >> r->block_bits;
  uint64_t block = first >> r->block_bits;
  if (last_block - block > (uint64_t)1 << (r->layers.most - r->block_bits)) return 1;
  for (;; ++block, first = 0) {
    const uint64_t item = mix(h + block * UINT64_C(0x9e3779b97f4a7c15)) & ~UINT64_C(0xffff);
    const uint64_t y = block == last_block ? last & escape : escape;
    if (any_in_block(r, item, first & escape, y)) return 1;
    if (block == last_block) return 0;
  }
}

static int any(const struct range* r, uint64_t h, uint64_t first, uint64_t last) {
  if (r->is_retrieval) return any_retrieved(r, h, first, last);
  if (r->hashed == 0 && r->most < r->bound) return is_stored(r, first, last);
  const uint64_t block = last >> r->block_bits;
  if (block - (first >> r->block_bits) > 1) return 1;
  if (block != first >> r->block_bits) {
    const uint64_t cut = block << r->block_bits;
    return any(r, h, first, cut - 1) || any(r, h, cut, last);
  }
  const uint64_t x = place_of(r, h, first);
  const uint64_t y = place_of(r, h, last);
  if (x <= y) return is_stored(r, x, y);
  return is_stored(r, x, r->bound - 1) || is_stored(r, 0, y);
}

static int compare(const unsigned char* a, size_t a_size, const unsigned char* b, size_t b_size) {
  const int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
  return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}

/* Bytes as a binary fraction. */
struct text {
  const unsigned char* bytes;
  size_t size;
};

static unsigned bit_of(struct text t, uint64_t i) {
  return i / 8 < t.size ? (unsigned)t.bytes[i / 8] >> (7 - i % 8) & 1u : 0;
}

static uint64_t common(struct text a, struct text b) {
  const uint64_t most = 8 * (uint64_t)(a.size > b.size ? a.size : b.size);
  uint64_t i = 0;
  while (i < most && bit_of(a, i) == bit_of(b, i)) ++i;
  return i;
}

static struct text separator_of(const struct range* r, uint64_t block) {
  struct text t = {r->separators, 0};
  if (block == 0) return t;
  const uint64_t begin = number(r->entries + 8 * (block - 1), 4);
  const uint64_t end = number(r->entries + 8 * block, 4);
  if (begin > end || end > (uint64_t)(r->trees - r->separators)) return t;
  t.bytes += begin;
  t.size = end - begin;
  return t;
}

/* A query of a tree, and the reading position. */
struct visit {
  const struct range* r;
  struct text begin, end;
  uint64_t parting, shared;
  uint64_t at, last; /* offsets in the bits of the trees */
  uint64_t least;    /* length of a key in the range */
  int leaves_have_lengths, has_names;
  uint64_t most_bytes;
};

enum { kOutside, kAtBegin, kAtEnd, kInside };

static unsigned next_bit(struct visit* v) {
  const struct text trees = {v->r->trees, (size_t)(v->r->end - v->r->trees)};
  return bit_of(trees, v->at++);
}

static int known_bit(const struct visit* v, int lies, uint64_t at, unsigned bit) {
  if (lies == kAtBegin && bit != bit_of(v->begin, at)) {
    if (at == v->parting) return kAtEnd;
    return at >= v->shared && bit ? kInside : kOutside;
  }
  if (lies == kAtEnd && bit != bit_of(v->end, at)) return bit ? kOutside : kInside;
  return lies;
}

static int known_bits(struct visit* v, int lies, uint64_t at, uint64_t bits) {
  for (uint64_t i = 0; i < bits; ++i) lies = known_bit(v, lies, at + i, next_bit(v));
  return lies;
}

/* Reads the code of a number, or returns UINT64_MAX. */
static uint64_t next_number(struct visit* v, unsigned order) {
  unsigned zeros = 0;
  while (zeros <= 22 && !next_bit(v)) ++zeros;
  if (zeros > 22) return UINT64_MAX;
  uint64_t coded = 1;
  for (unsigned i = 0; i < zeros + order; ++i) coded = coded << 1 | next_bit(v);
  return coded - ((uint64_t)1 << order);
}

/* Reads the hash of the key's bits from `at` to before `end`. */
static int known_hash(struct visit* v, int lies, uint64_t at, uint64_t end, unsigned hash_bits) {
  uint64_t stored = 0;
  for (unsigned i = 0; i < hash_bits; ++i) stored = stored << 1 | next_bit(v);
  if (hash_bits == 0 || lies == kOutside || lies == kInside) return lies;
  const uint64_t last = end - at > 24 ? at + 24 : end;
  if (lies == kAtEnd || last > v->shared) return kInside;
  uint64_t value = 0;
  while (at < last) value = value << 1 | bit_of(v->begin, at++);
  const uint64_t h = mix(value + UINT64_C(0x9e3779b97f4a7c15));
  if (h >> (64 - hash_bits) != stored) return kOutside;
  return end > v->shared ? kInside : lies;
}

static int visit_node(struct visit* v, uint64_t depth, int lies, unsigned waiting) {
  const struct range* r = v->r;
  if (v->at > v->last) return 1;
  if (next_bit(v)) {
    if (!v->leaves_have_lengths) return known_bits(v, lies, depth, r->leaf_bits) != kOutside;
    const unsigned bits = r->leaf_bits < 5 ? 0 : r->leaf_bits - 5;
    lies = known_bits(v, lies, depth, bits / 3);
    const uint64_t at = depth + bits / 3;
    lies = known_hash(v, lies, at, (at / 8 + 2) * 8, bits - bits / 3);
    const uint64_t rest = next_number(v, 2);
    return rest == UINT64_MAX || (lies != kOutside && depth / 8 + rest >= v->least);
  }
  const uint64_t edge = next_number(v, r->order);
  if (edge == UINT64_MAX) return 1;
  const uint64_t b = depth + edge;
  if (edge <= r->first_bits + r->hash_bits) {
    lies = known_bits(v, lies, depth, edge);
  } else {
    lies = known_bits(v, lies, depth, r->first_bits);
    lies = known_hash(v, lies, depth + r->first_bits, b, r->hash_bits);
    if (lies == kInside) return 1;
  }
  const int left = known_bit(v, lies, b, 0);
  const int right = known_bit(v, lies, b, 1);
  if (left == kInside || right == kInside || waiting == 128) return 1;
  return visit_node(v, b + 1, left, waiting + 1) || visit_node(v, b + 1, right, waiting);
}

/* Reads the low bits of `bytes` bytes of the key from bit `at` on, then `rest` bits of it; `end` is
   the end of what these stand for. */
static int known_bytes(struct visit* v, int lies, uint64_t at, uint64_t bytes, unsigned rest,
                       uint64_t end) {
  const unsigned low_bits = v->r->hash_bits;
  const uint64_t first = at;
  const uint64_t behind = v->at + bytes * low_bits + rest;
  for (; bytes != 0; --bytes, at += 8) {
    const unsigned here = 8 - at % 8;
    unsigned stored = 0, of_begin = 0;
    for (unsigned i = 0; i < low_bits; ++i) stored = stored << 1 | next_bit(v);
    for (unsigned i = 0; i < 8; ++i) of_begin = of_begin << 1 | bit_of(v->begin, at + i);
    of_begin = of_begin >> at % 8 | of_begin << here;
    unsigned compared = (1u << low_bits) - 1;
    int after = lies;
    if (here <= low_bits && (at == first || at <= v->shared)) {
      for (unsigned i = 0; i < here; ++i)
        after = known_bit(v, after, at + i, stored >> (here - 1 - i) & 1);
    }
    if (at + 8 > v->shared) compared &= at / 8 < v->shared / 8 ? (1u << here) - 1 : 0;
    if (after == lies && at < v->shared && ((stored ^ of_begin) & compared) == 0) continue;
    v->at = behind;
    if (after != lies) return after == kOutside ? kOutside : kInside;
    return at >= v->shared ? kInside : kOutside;
  }
  if (rest != 0 && known_bits(v, lies, at, rest) == kOutside && at <= v->shared) return kOutside;
  return end <= v->shared ? lies : kInside;
}

/* Reads a node of sized trees, of `size` bits; 0: not known. */
static int visit_sized(struct visit* v, uint64_t depth, int lies, uint64_t size) {
  const struct range* r = v->r;
  if (v->at > v->last) return 1;
  const uint64_t node = v->at;
  if (next_bit(v)) {
    const unsigned less = !v->leaves_have_lengths ? 0 : r->leaf_bits < 5 ? r->leaf_bits : 5;
    const unsigned bits = r->leaf_bits - less;
    const uint64_t bytes = bits / r->hash_bits;
    if (!v->has_names) {
      lies = known_bits(v, lies, depth, bits);
    } else if (lies == kOutside) {
      v->at += bytes * r->hash_bits;
    } else {
      lies = known_bytes(v, lies, depth, bytes, 0, depth + 8 * bytes);
    }
    if (!v->leaves_have_lengths) return lies != kOutside;
    const uint64_t rest = next_number(v, 2);
    return rest == UINT64_MAX || (lies != kOutside && depth / 8 + rest >= v->least);
  }
  const uint64_t edge = next_number(v, r->order);
  if (edge == UINT64_MAX) return 1;
  const uint64_t b = depth + edge;
  if (edge < r->first_bits + 8) {
    lies = known_bits(v, lies, depth, edge);
  } else {
    const uint64_t all = (edge - r->first_bits) / 8;
    const uint64_t bytes = all < v->most_bytes ? all : v->most_bytes;
    const unsigned rest = 8 * v->most_bytes > edge - r->first_bits ? (edge - r->first_bits) % 8 : 0;
    lies = known_bits(v, lies, depth, r->first_bits);
    if (lies == kOutside || lies == kInside) {
      v->at += bytes * r->hash_bits + rest;
    } else {
      lies = known_bytes(v, lies, depth + r->first_bits, bytes, rest, b);
    }
  }
  const int left = known_bit(v, lies, b, 0);
  const int right = known_bit(v, lies, b, 1);
  if (lies == kInside || left == kInside || right == kInside) return 1;
  uint64_t left_size = 0;
  if (size >= 512) {
    for (unsigned i = log2_of(size) + 1; i != 0; --i) left_size = left_size << 1 | next_bit(v);
    if (v->at - node + left_size >= size) return 1;
  }
  const uint64_t right_size = size >= 512 ? size - (v->at - node) - left_size : 0;
  return visit_sized(v, b + 1, left, left_size) || visit_sized(v, b + 1, right, right_size);
}

static int ask_tree(const struct range* r, uint64_t block, struct text begin, struct text end) {
  const uint64_t tree = block == 0 ? 0 : number(r->entries + 8 * block - 4, 4);
  const uint64_t tree_end = number(r->entries + 8 * block + 4, 4);
  if (tree >= tree_end || tree_end > (uint64_t)(r->end - r->trees)) return 1;
  struct visit v = {r, begin, end, common(begin, end), 0, 8 * tree, 8 * tree_end, 0, 0, 0, 0};
  while (v.least < begin.size && v.least < end.size && begin.bytes[v.least] == end.bytes[v.least]) {
    ++v.least;
  }
  if (v.parting == 8 * (begin.size > end.size ? begin.size : end.size)) v.parting = UINT64_MAX;
  v.shared = v.parting;
  if (end.size == v.least + 1 && v.least < begin.size &&
      end.bytes[v.least] == begin.bytes[v.least] + 1) {
    ++v.least;
    v.shared = 8 * v.least;
    v.parting = UINT64_MAX;
  }
  if (v.least < begin.size) ++v.least;
  const struct text last = {r->last_key, r->length};
  const struct text next = block + 1 == r->blocks ? last : separator_of(r, block + 1);
  const uint64_t depth = common(separator_of(r, block), next);
  if (r->is_sized) {
    unsigned head = 0;
    for (unsigned i = 0; i < 8; ++i) head = head << 1 | next_bit(&v);
    const uint64_t left = v.last - v.at;
    v.leaves_have_lengths = (head & 16) != 0;
    v.has_names = (head & 8) != 0;
    v.most_bytes = 32 >> (head & 7);
    return visit_sized(&v, depth, kAtBegin, left < head / 32 ? 0 : left - head / 32);
  }
  v.leaves_have_lengths = r->has_lengths && next_bit(&v);
  return visit_node(&v, depth, kAtBegin, 0);
}

static int ask_trees(const struct range* r, struct text begin, struct text end) {
  uint64_t i = 0;
  uint64_t j = 0;
  for (uint64_t block = 1; block < r->blocks; ++block) {
    const struct text s = separator_of(r, block);
    if (compare(s.bytes, s.size, begin.bytes, begin.size) <= 0) i = block;
    if (compare(s.bytes, s.size, end.bytes, end.size) <= 0) j = block;
  }
  if (i == j) return ask_tree(r, i, begin, end);
  if (j != i + 1) return 1;
  return ask_tree(r, i, begin, separator_of(r, j)) || ask_tree(r, j, separator_of(r, j), end);
}

int standalone_may_contain_range(const unsigned char* block, size_t size,
                                 const unsigned char* begin, size_t begin_size,
                                 const unsigned char* end, size_t end_size) {
  struct parsed p;
  unsigned kind;
  if (!parse(block, size, &p, &kind)) return 1;
  const unsigned char* note = p.payload;
  struct entry e = {0, 0, 0};
  unsigned i = 0;
  for (; i < p.entries; ++i) {
    e = entry_at(&p, i);
    if (e.type == kTypeNote && (e.parameter == 1 || e.parameter == 2)) break;
    note += entry_bytes(&p, e);
  }
  struct range r = {0};
  if (i == p.entries) return 1;
  const size_t role = e.parameter == 2; /* size in bytes */
  if (e.count < role || (role && *note != 0)) return 1;
  if (!parse_range(note + role, e.count - role, &r)) return 1;
  if (compare(begin, begin_size, end, end_size) >= 0) return 1;
  if (compare(end, end_size, r.last_key, r.length) > 0) return 1;
  if (r.is_trees) {
    const struct text from = {begin, begin_size};
    const struct text until = {end, end_size};
    return ask_trees(&r, from, until);
  }
  struct range_number a, z;
  if (!lower_bound(&r, begin, begin_size, &a) || !lower_bound(&r, end, end_size, &z)) return 1;
  if (!number_before(&r, &z)) return 0;
  const int order = memcmp(a.bytes, z.bytes, r.hashed);
  if (order > 0 || (order == 0 && a.position > z.position)) return 0;
  if (order == 0) return any(&r, hash_of(&r, a.bytes), a.position, z.position);
  struct range_number next = a;
  if (!next_bytes(&r, &next) || memcmp(next.bytes, z.bytes, r.hashed) != 0) return 1;
  return any(&r, hash_of(&r, a.bytes), a.position, r.most) ||
         any(&r, hash_of(&r, z.bytes), 0, z.position);
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
  const int is_ranges = argc == 3 && strcmp(argv[2], "--ranges") == 0;
  if (argc != 2 && !is_hashes && !is_ranges) {
    fprintf(stderr, "usage: standalone_reader BLOCK [--hashes|--ranges] < KEYS\n");
    return 2;
  }
  size_t size;
  unsigned char* block = read_file(argv[1], &size);
  char line[4096];
  while (fgets(line, sizeof line, stdin) != NULL) {
    const size_t length = strcspn(line, "\n");
    if (is_ranges) {
      const unsigned char* text = (const unsigned char*)line;
      const size_t begin = strcspn(line, " \n");
      const size_t end = begin < length ? begin + 1 : length;
      printf("%d\n",
             standalone_may_contain_range(block, size, text, begin, text + end, length - end));
      continue;
    }
    const uint64_t h = is_hashes ? strtoull(line, NULL, 16) : XXH3_64bits(line, length);
    printf("%d\n", standalone_may_contain(block, size, h));
  }
  free(block);
  return fflush(stdout) == 0 ? 0 : 2;
}
#endif
