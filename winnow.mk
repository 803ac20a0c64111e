# Winnow in RocksDB's own tree: see docs/in-tree.md. RocksDB's Makefile includes this file, where the
# repository is plugin/winnow. RocksDB's CMake files read the function's name out of it; to them
# src/rocksdb/in_tree.cmake says the rest.

winnow_FUNC = winnow_register_in_tree

# Percona's MySQL reads this file too, for what follows the next words, and would build a plugin of no sources without an
# error. There is no such source:
# SOURCES=Percona_Server_can_not_build_this_plugin/docs/in-tree.md_says_what_works_there

include $(dir $(lastword $(MAKEFILE_LIST)))src/simd/flags.mk

# Macros of the compiler's target machine, which need not be this one.
winnow_macros := $(shell $(CXX) $(ARCHFLAG) -dM -E -x c++ /dev/null)
ifneq ($(filter __x86_64__,$(winnow_macros)),)
winnow_definitions := -DWINNOW_X86=1
winnow_kernels := $(winnow_kernels_x86)
else ifneq ($(filter __aarch64__,$(winnow_macros)),)
winnow_definitions := -DWINNOW_ARM64=1
winnow_kernels := $(winnow_kernels_arm64)
endif

# The colon of ":=" is needed: without it, RocksDB's CMake files would take the words that follow for files.
winnow_SOURCES := $(patsubst plugin/winnow/%,%,$(wildcard plugin/winnow/src/base/*.cc plugin/winnow/src/core/*.cc plugin/winnow/src/core/*/*.cc plugin/winnow/src/family/*.cc) \
  $(filter-out %/registration.cc %/register_at_load.cc,$(wildcard plugin/winnow/src/rocksdb/*.cc plugin/winnow/src/rocksdb/*/*.cc))) \
  $(patsubst %,src/simd/%.cc,cpu kernels portable $(winnow_kernels))

# Ours in the place of RocksDB's functions for filter policies, whose names are others then: see docs/in-tree.md.
ifeq ($(WINNOW_STAND_IN),1)
winnow_stand_in := $(patsubst %,src/preload/%.cc,interposed_policy new_policies request stock_policy \
  stand_in/stand_in stand_in/stock_calls)
winnow_SOURCES := $(filter-out src/rocksdb/in_tree.cc,$(winnow_SOURCES)) $(winnow_stand_in)
else ifneq ($(filter-out 0,$(WINNOW_STAND_IN)),)
$(error WINNOW_STAND_IN is "$(WINNOW_STAND_IN)", but must be 1, by which Winnow stands in for RocksDB's filter policies, or 0)
endif

# Only our files are compiled with our flags: winnow_CXXFLAGS would reach all of RocksDB. The lists of
# headers that a file depends on are made by the compiler too.
winnow_cxxflags = -Iplugin/winnow/include -Iplugin/winnow -fvisibility=hidden \
  -DWINNOW_IN_TREE=1 -DWINNOW_EXPORT= $(winnow_definitions) -DXXH_INLINE_ALL
# The header is included by its path: other folders of RocksDB's flags come first, and LZ4's has an old one.
winnow_xxhash := $(shell $(CXX) $(patsubst %,-include %/xxhash.h,$(XXHASH_INCLUDE_DIR)) $(EXTRA_CXXFLAGS) \
  -M -x c++ plugin/winnow/src/formulas/xxh3.h 2>/dev/null || echo missing)
ifeq ($(filter missing,$(winnow_xxhash)),)
winnow_cxxflags += -include $(firstword $(filter %/xxhash.h,$(winnow_xxhash)))
else
# The check runs when a file of Winnow's is compiled, and not before: "make clean" needs no header.
winnow_cxxflags += $(error Winnow needs the header xxhash.h of xxHash 0.8.0 or later (on Debian and Ubuntu: apt-get install \
  libxxhash-dev); where it is in no folder of the system, or an older one comes before it, say XXHASH_INCLUDE_DIR=FOLDER)
endif
# g++ 12 takes a variable of its own AVX-512 headers for ours, where -march=native lets xxHash use them: see CMakeLists.txt.
ifeq ($(filter __clang__,$(winnow_macros)),)
winnow_cxxflags += -Wno-uninitialized -Wno-maybe-uninitialized
endif
winnow_made_of = $(foreach source,$(1),$(OBJ_DIR)/plugin/winnow/$(source:.cc=.o) $(OBJ_DIR)/plugin/winnow/$(source).d)

$(call winnow_made_of,$(winnow_SOURCES)): CXXFLAGS += $(winnow_cxxflags)
ifdef winnow_stand_in
$(OBJ_DIR)/table/block_based/filter_policy.o $(OBJ_DIR)/table/block_based/filter_policy.cc.d \
  $(call winnow_made_of,src/preload/stand_in/stock_calls.cc): \
  CXXFLAGS += -include plugin/winnow/src/preload/stand_in/stock_names.h
endif
# RocksDB declares functions that override nothing in its older versions, so that they can't be marked.
$(call winnow_made_of,$(filter src/rocksdb/% src/preload/%,$(winnow_SOURCES))): \
  CXXFLAGS += -include plugin/winnow/src/rocksdb/in_tree.h -Wno-inconsistent-missing-override
$(call winnow_made_of,src/simd/avx2.cc): CXXFLAGS += $(winnow_flags_avx2)
$(call winnow_made_of,src/simd/ribbon_gfni.cc): CXXFLAGS += $(winnow_flags_gfni)
$(call winnow_made_of,$(patsubst %,src/simd/%.cc,avx512 ribbon_avx512 ribbon_avx512_solve)): \
  CXXFLAGS += $(winnow_flags_avx512)
