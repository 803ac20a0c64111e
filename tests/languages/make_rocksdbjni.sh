#!/bin/bash
# Builds rocksdbjni from Debian's source, with RocksDB inside and without optimization:
# rocksdbjni.jar and librocksdbjni.so in the current folder. docs/your-stack.md has a program that
# uses them; RocksDB's own build (make rocksdbjava) downloads jars. Run as root in a bare Debian 13:
#   make_rocksdbjni.sh [OPTION…], options of the CMake configuration of RocksDB, such as -DROCKSDB_PLUGINS=winnow
set -euo pipefail

echo 'deb-src http://deb.debian.org/debian trixie main' >/etc/apt/sources.list.d/source.list
apt update
apt-get source --download-only --tar-only rocksdb
mkdir -p rocksdb jni
tar --extract --strip-components=1 --directory rocksdb --file rocksdb_*.orig.tar.gz
cmake -S rocksdb -B inside -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-DNDEBUG -DCMAKE_UNITY_BUILD=ON \
  -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DROCKSDB_BUILD_SHARED=OFF -DFAIL_ON_WARNINGS=OFF \
  -DWITH_{GFLAGS,LIBURING,TESTS,TOOLS,CORE_TOOLS,BENCHMARK_TOOLS}=OFF "$@"
cmake --build inside --target rocksdb --parallel 2
find rocksdb/java/src/main/java -name '*.java' >classes.txt
javac -nowarn -d classes -h rocksdb/java/include @classes.txt
jar --create --file rocksdbjni.jar -C classes org
find "$PWD/rocksdb/java/rocksjni" -name '*.cc' ! -name '*test*' |
  (cd jni && xargs -n 8 -P 2 g++ -c -w -std=c++17 -fPIC -fno-rtti -DNDEBUG -DOS_LINUX -DROCKSDB_PLATFORM_POSIX \
    -DROCKSDB_LIB_IO_POSIX -I../rocksdb{,/include,/java} -I/usr/lib/jvm/default-java/include{,/linux})
g++ -shared -o librocksdbjni.so jni/*.o inside/librocksdb.a
