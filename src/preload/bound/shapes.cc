// How many virtual functions classes of RocksDB have by its headers: a class that adds none has a
// table of its base's size. make_thunks.cmake reads the sizes from this file's object, and nothing
// of that object is linked.

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

// The first virtual function that is not inline has the compiler write the table.
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
