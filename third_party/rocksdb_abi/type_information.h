// Check for type information (RTTI) in the loaded RocksDB, and in Winnow's classes.
//
// Debian's RocksDB has type information; Release builds have none. If a Winnow class lacks it,
// dynamic_cast or typeid of its objects dereference null; a class that has it refers to that of
// FilterPolicy. The RocksDB at compile time determines both (winnow_rocksdb_class_flags of
// find.cmake), and the one at run time may differ. So every file that derives from FilterPolicy or
// Customizable includes this one: the reference is weak, and if it is unresolved, the library is
// loaded nevertheless and reports the problem (version_guard.h).

#ifndef WINNOW_THIRD_PARTY_ROCKSDB_ABI_TYPE_INFORMATION_H_
#define WINNOW_THIRD_PARTY_ROCKSDB_ABI_TYPE_INFORMATION_H_

namespace winnow::rocksdb_abi {

// True if Winnow's classes have type information.
#if defined(__cpp_rtti)
inline constexpr bool kHaveTypeInformation = true;
#else
inline constexpr bool kHaveTypeInformation = false;
#endif

// Returns whether the loaded RocksDB has type information. In RocksDB's own tree, both are compiled
// together.
#if defined(WINNOW_IN_TREE)
inline bool HasTypeInformation() noexcept { return kHaveTypeInformation; }
#else
__asm__(".weak _ZTIN7rocksdb12FilterPolicyE");
// RocksDB's headers define the classes of event listeners and memory allocators, but not their
// base.
__asm__(".weak _ZTIN7rocksdb12CustomizableE");
extern const char type_of_filter_policy[] __asm__("_ZTIN7rocksdb12FilterPolicyE")
    __attribute__((weak));
inline bool HasTypeInformation() noexcept { return type_of_filter_policy != nullptr; }
#endif

}  // namespace winnow::rocksdb_abi

#endif  // WINNOW_THIRD_PARTY_ROCKSDB_ABI_TYPE_INFORMATION_H_
