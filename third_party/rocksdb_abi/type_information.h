// Checks whether the RocksDB that is loaded has type information (RTTI), and whether the classes of
// ours do.
//
// Debian's RocksDB has it, a Release build of one's own has not. A class of ours without it is a
// null dereference for whoever asks dynamic_cast or typeid about its objects; a class with it
// refers to that of FilterPolicy. Both are chosen by the RocksDB that is found when building
// (winnow_rocksdb_class_flags of find.cmake), and the one that is found at run time may be another.
// So every file that derives from FilterPolicy or Customizable includes this one: the reference is
// weak, and where it leads to nothing the library is loaded all the same and says so
// (version_guard.h).

#ifndef WINNOW_THIRD_PARTY_ROCKSDB_ABI_TYPE_INFORMATION_H_
#define WINNOW_THIRD_PARTY_ROCKSDB_ABI_TYPE_INFORMATION_H_

namespace winnow::rocksdb_abi {

// True if the classes of ours have it.
#if defined(__cpp_rtti)
inline constexpr bool kHaveTypeInformation = true;
#else
inline constexpr bool kHaveTypeInformation = false;
#endif

// Returns whether the RocksDB that is loaded has it. In RocksDB's own tree there is one only.
#if defined(WINNOW_IN_TREE)
inline bool HasTypeInformation() noexcept { return kHaveTypeInformation; }
#else
__asm__(".weak _ZTIN7rocksdb12FilterPolicyE");
// The classes of event listeners and memory allocators are defined in RocksDB's headers, their base
// is not.
__asm__(".weak _ZTIN7rocksdb12CustomizableE");
extern const char type_of_filter_policy[] __asm__("_ZTIN7rocksdb12FilterPolicyE")
    __attribute__((weak));
inline bool HasTypeInformation() noexcept { return type_of_filter_policy != nullptr; }
#endif

}  // namespace winnow::rocksdb_abi

#endif  // WINNOW_THIRD_PARTY_ROCKSDB_ABI_TYPE_INFORMATION_H_
