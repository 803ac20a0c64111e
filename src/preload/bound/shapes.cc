// Sizes of the vtables of RocksDB's classes by its headers: a class that adds no virtual function
// has a vtable of its base's size. make_thunks.cmake reads the sizes from this file's object, which
// is not linked.

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/iterator.h>
#include <rocksdb/table.h>

namespace winnow::preload {

template <typename Base>
class ShapeOf : public Base {
 public:
  ~ShapeOf() override;
};

// Key function: its definition makes the compiler emit the vtable here.
template <typename Base>
ShapeOf<Base>::~ShapeOf() = default;

template class ShapeOf<ROCKSDB_NAMESPACE::Configurable>;
template class ShapeOf<ROCKSDB_NAMESPACE::Customizable>;
template class ShapeOf<ROCKSDB_NAMESPACE::DB>;
template class ShapeOf<ROCKSDB_NAMESPACE::Env>;
template class ShapeOf<ROCKSDB_NAMESPACE::FilterPolicy>;
template class ShapeOf<ROCKSDB_NAMESPACE::Iterator>;
template class ShapeOf<ROCKSDB_NAMESPACE::Logger>;

}  // namespace winnow::preload
