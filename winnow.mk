# Winnow in RocksDB's own tree: see docs/in-tree.md. RocksDB's Makefile includes this file, where the
# repository is plugin/winnow. RocksDB's CMake files read the function's name out of it; to them
# src/rocksdb/in_tree.cmake says the rest.

winnow_FUNC = winnow_register_in_tree

include $(dir $(lastword $(MAKEFILE_LIST)))src/simd/flags.mk

# What the compiler compiles for, which need not be this machine.
winnow_macros := $(shell $(CXX) $(ARCHFLAG) -dM -E -x c++ /dev/null)
ifneq ($(filter __x86_64__,$(winnow_macros)),)
winnow_definitions := -DWINNOW_X86=1
winnow_kernels := avx2 avx512 ribbon_gfni ribbon_avx512 ribbon_avx512_solve
else ifneq ($(filter __aarch64__,$(winnow_macros)),)
winnow_definitions := -DWINNOW_ARM64=1
winnow_kernels := neon
endif

# Not with the colon left out of ":=": RocksDB's CMake files would take the words behind it for files.
winnow_SOURCES := $(patsubst plugin/winnow/%,%,$(wildcard plugin/winnow/src/base/*.cc plugin/winnow/src/core/*.cc) \
  $(filter-out %/registration.cc %/register_at_load.cc,$(wildcard plugin/winnow/src/rocksdb/*.cc plugin/winnow/src/rocksdb/*/*.cc))) \
  $(patsubst %,src/simd/%.cc,cpu kernels portable $(winnow_kernels))

# Only our files are compiled with our flags: winnow_CXXFLAGS would reach all of RocksDB. The lists of
# headers that a file depends on are made by the compiler too.
winnow_cxxflags = -Iplugin/winnow/include -Iplugin/winnow -fvisibility=hidden \
  -DWINNOW_IN_TREE=1 -DWINNOW_EXPORT= $(winnow_definitions) -DXXH_INLINE_ALL
ifneq ($(shell $(CXX) $(EXTRA_CXXFLAGS) -E -include xxhash.h -x c++ /dev/null >/dev/null 2>&1 || echo missing),)
# Where one of our files is compiled, and not before: "make clean" needs no header.
winnow_cxxflags += $(error Winnow needs the header xxhash.h of xxHash 0.8 (on Debian and Ubuntu: apt-get install \
  libxxhash-dev); where it is in no folder of the system, say EXTRA_CXXFLAGS=-IFOLDER)
endif
# g++ 12 takes a variable of its own AVX-512 headers for ours, where -march=native lets xxHash use them: see CMakeLists.txt.
ifeq ($(filter __clang__,$(winnow_macros)),)
winnow_cxxflags += -Wno-uninitialized -Wno-maybe-uninitialized
endif
winnow_made_of = $(foreach source,$(1),$(OBJ_DIR)/plugin/winnow/$(source:.cc=.o) $(OBJ_DIR)/plugin/winnow/$(source).d)

$(call winnow_made_of,$(winnow_SOURCES)): CXXFLAGS += $(winnow_cxxflags)
# RocksDB declares functions that override nothing in its older versions, so that they can't be marked.
$(call winnow_made_of,$(filter src/rocksdb/%,$(winnow_SOURCES))): \
  CXXFLAGS += -include plugin/winnow/src/rocksdb/in_tree.h -Wno-inconsistent-missing-override
$(call winnow_made_of,src/simd/avx2.cc): CXXFLAGS += $(winnow_flags_avx2)
$(call winnow_made_of,src/simd/ribbon_gfni.cc): CXXFLAGS += $(winnow_flags_gfni)
$(call winnow_made_of,$(patsubst %,src/simd/%.cc,avx512 ribbon_avx512 ribbon_avx512_solve)): \
  CXXFLAGS += $(winnow_flags_avx512)
