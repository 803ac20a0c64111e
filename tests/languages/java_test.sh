#!/bin/bash
# Tests Java programs with Winnow: rocksdbjni from RocksDB's source, and the jar of bindings/java.
# java_test.sh BUILD_FOLDER SOURCE_FOLDER new|old [KEYS [OPENS]]
# "new": rocksdbjni uses the installed library of RocksDB. "old": rocksdbjni contains RocksDB, and
# everything is compiled with the old std::string and without RTTI, like the published jars of
# rocksdbjni; the plugin has that string too.
# Exits with 77 if there is no JDK, or no source of RocksDB in build/rocksdb-source (tools/setup.sh
# --sources).
set -euo pipefail
# shellcheck source=tests/support/script.sh disable=SC1091 # the path is relative to shellcheck's working directory
. "$(dirname "$0")/../support/script.sh"
built=$1
source=$2
strings=$3
keys=${4-100000}
opens=${5-1000}
unset WINNOW_POLICY WINNOW_ADD WINNOW_LOG LD_LIBRARY_PATH CLASSPATH

for program in java javac jar; do
  command -v $program >/dev/null || skip "there is no $program here; on Debian: apt-get install default-jdk-headless"
done
version=$("$built/bin/winnow" --version | sed -n "s/^RocksDB \([0-9.]*\) .*/\1/p")
rocksdb=$source/build/rocksdb-source/$version
[[ -d $rocksdb/java ]] || skip "the source of RocksDB $version is not here: run tools/setup.sh --sources"

work=$built/java_$strings
mkdir -p "$work"
rm -rf "$work/databases" "$work/client" "$work/winnow" "$work/winnow_alone"
flags=
needs=rocksdb
if [[ $strings == old ]]; then
  flags=-D_GLIBCXX_USE_CXX11_ABI=0
  needs=$work/rocksdb/librocksdb.a
fi
launcher=()
if command -v ccache >/dev/null; then
  launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
jdk=$(dirname "$(dirname "$(realpath "$(command -v javac)")")")

# quietly COMMAND…: prints the command's output only if it fails.
quietly() { "$@" >"$work/said" 2>&1 || fail "$* ends with $?: $(tail -n 30 "$work/said")"; }

# ---- rocksdbjni, kept for the next run. Its own build downloads jars for its tests. Large units
# with little optimization compile in ten minutes.
if [[ $strings == old && ! -f $needs ]]; then
  cmake_options=(-DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS="$flags -w" -DCMAKE_CXX_FLAGS_RELEASE="-O0 -DNDEBUG"
    -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12 -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DPORTABLE=ON
    -DROCKSDB_BUILD_SHARED=OFF -DFAIL_ON_WARNINGS=OFF "${launcher[@]}")
  for part in GFLAGS LIBURING TESTS TOOLS CORE_TOOLS BENCHMARK_TOOLS; do
    cmake_options+=("-DWITH_$part=OFF")
  done
  quietly cmake -S "$rocksdb" -B "$work/rocksdb" "${cmake_options[@]}"
  quietly cmake --build "$work/rocksdb" --target rocksdb --parallel 2
fi
if [[ ! -f $work/jni/librocksdbjni.so ]]; then
  mkdir -p "$work/jni" "$work/sources"
  find "$rocksdb/java/src/main/java" -name '*.java' >"$work/classes.txt"
  quietly javac -nowarn -encoding UTF-8 -d "$work/classes" -h "$work/include" "@$work/classes.txt"
  quietly jar --create --file "$work/rocksdbjni.jar" -C "$work/classes" org
  find "$rocksdb/java/rocksjni" -name '*.cc' ! -name '*_test.cc' ! -name 'testable_*' | sort | sed 's/.*/#include "&"/' |
    split -l 15 --additional-suffix=.cc - "$work/sources/part_"
  cat >"$work/sources/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(rocksdbjni CXX)
set(CMAKE_CXX_STANDARD 17)
file(GLOB parts part_*.cc)
add_library(rocksdbjni SHARED ${parts})
target_include_directories(rocksdbjni PRIVATE ${ROCKSDB} ${ROCKSDB}/include ${ROCKSDB}/java ${HEADERS} ${JDK}/include ${JDK}/include/linux)
target_compile_definitions(rocksdbjni PRIVATE NDEBUG ROCKSDB_PLATFORM_POSIX ROCKSDB_LIB_IO_POSIX OS_LINUX)
target_link_libraries(rocksdbjni PRIVATE ${NEEDS} ${CMAKE_DL_LIBS} pthread)
CMAKE
  quietly cmake -S "$work/sources" -B "$work/jni_build" -DCMAKE_CXX_FLAGS="$flags ${flags:+-fno-rtti} -O0 -w" -DROCKSDB="$rocksdb" \
    -DHEADERS="$work" -DJDK="$jdk" -DNEEDS="$needs" "${launcher[@]}"
  quietly cmake --build "$work/jni_build" --parallel 2
  cp "$work/jni_build/librocksdbjni.so" "$work/jni"
fi

# ---- Winnow's jar. With new strings, the plugin is that of this build; the other one is optimized
# less, for a fast build.
cmake_options=()
if [[ $strings == old ]]; then
  cmake_options=(-DCMAKE_CXX_FLAGS="$flags" -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" -DCMAKE_UNITY_BUILD=ON)
fi
quietly cmake -S "$source" -B "$work/winnow_build" -DWINNOW_ROCKSDB_HEADERS="$rocksdb/include" -DWINNOW_JAVA=ON \
  -DCMAKE_INSTALL_LIBDIR=lib "${cmake_options[@]}" "${launcher[@]}"
mkdir -p "$work/winnow"
if [[ $strings == new ]]; then
  quietly cmake --build "$work/winnow_build" --target winnow_java
  cp "$work/winnow_build/lib/libwinnow_java.so" "$work/winnow"
  cp -r "$built/bound/lib/winnow/plugins" "$work/winnow"
else
  quietly cmake --build "$work/winnow_build" --parallel 2
  quietly cmake --install "$work/winnow_build" --prefix "$work/prefix"
  cp -r "$work/prefix/lib/winnow"/* "$work/winnow"
fi
quietly "$source/bindings/java/make_jar.sh" "$work/winnow" "$work/rocksdbjni.jar" "$work/winnow.jar"
mkdir -p "$work/winnow_alone"
cp "$work/winnow/libwinnow_java.so" "$work/winnow_alone"

# ---- The programs, with the example for Kafka Streams against a stub of its interface.
quietly javac -Xlint:all,-options,-processing -Werror --release 8 -classpath "$work/rocksdbjni.jar:$work/winnow.jar" -d "$work/client" \
  "$source"/tests/languages/java/*.java "$source"/bindings/java/WinnowConfigSetter.java \
  "$source/tests/languages/java/org/apache/kafka/streams/state/RocksDBConfigSetter.java"

# A second library that contains another RocksDB.
quietly "${CXX-c++}" -shared -fPIC -DCARRIER_VERSION='"99.9.9"' -I"$source" -I"$jdk/include" -I"$jdk/include/linux" \
  -o "$work/libother.so" "$source/tests/languages/java/other_rocksdb.cc"

mkdir "$work/databases"
cd "$work/databases"
mkdir temporary
export TMPDIR=$work/databases/temporary
java=(java -Xmx256m "-Djava.io.tmpdir=$TMPDIR" "-Djava.library.path=$work/jni" -classpath)
everything=$work/client:$work/rocksdbjni.jar:$work/winnow.jar
without_winnow=$work/client:$work/rocksdbjni.jar

# expect PATTERN COMMAND…: expects exit status 0, or $ends, and output that matches.
ends=0
expect() {
  local said status=0
  said=$("${@:2}" 2>&1) || status=$?
  [[ $status == "$ends" && $said =~ $1 ]] || fail "${*:2} ends with $status, and not as '$1': $said"
  printf '%s\n' "$said" | head -n 1
}
client() { "${java[@]}" "$everything" Client "$@"; }
plain_client() { "${java[@]}" "$without_winnow" Client "$@"; }

# only_winnow: checks that each file's filter is Winnow's, and denies no key of the file.
only_winnow() {
  [[ $("$built/bin/winnow" inspect --summary db) == *'converted: 100.0 % of the entries'*'(5 of 5)'* ]] ||
    fail "with $1 not all filters are Winnow's: $("$built/bin/winnow" inspect --summary db)"
  "$built/bin/winnow" verify db >/dev/null || fail "with $1 filters deny keys"
}
none_missing="missing=0 invented=0 of $keys, "

for policy in winnow:10 '{id=winnow;bits_per_key=9.9}' text:winnow:10 kafka; do
  rm -rf db
  expect '^$' client write db "$policy" "$keys"
  only_winnow "$policy"
  expect "${none_missing}filters are used" client read db "$policy" "$keys"
  expect "${none_missing}no filter is used" plain_client read db bloom "$keys"
done
# The OPTIONS file names the policy; its other content is unchanged.
[[ $(cat db/OPTIONS-*) == *'id=winnow.Filter;'* ]] || fail "no OPTIONS file names Winnow's policy"

# A BloomFilter behaves equally with and without Winnow, regardless of WINNOW_POLICY.
left_behind() { (cd db && stat -c '%n %s' ./*.sst && cat OPTIONS-*); }
rm -rf db
expect '^$' plain_client write db bloom "$keys"
left_behind >plain
for value in stock winnow:10; do
  rm -rf db
  WINNOW_POLICY=$value expect '^$' client write db registered "$keys"
  left_behind | diff plain - || fail "with WINNOW_POLICY=$value a BloomFilter leaves something else than without Winnow"
done
# plain_client does not use Winnow's filters, but finds all keys.
expect "${none_missing}filters are used" plain_client read db bloom "$keys"

# ---- Errors with a reason.
expect '^IllegalArgumentException: .*bits_per_key is "99", but must be a number from 1 to 32$' client make winnow:99
expect '^IllegalArgumentException: "bloomfilter:10" is no policy of Winnow.s, such as winnow:10$' client make bloomfilter:10
expect '^IllegalArgumentException: .*winow:10$' client make winow:10
expect 'IllegalStateException: the RocksDB .* inside rocksdbjni is left alone: there is no plugin for that version.*-DWINNOW_ROCKSDB_HEADERS=' \
  "${java[@]}" "$everything" "-Dwinnow.folder=$work/winnow_alone" Client make winnow:10
expect '^made$' "${java[@]}" "$everything" "-Dwinnow.folder=$work/winnow" Client make winnow:10

# A system with musl, which rocksdbjni detects by ldd.
mkdir "$work/databases/musl"
printf '#!/bin/sh\necho libc.musl-x86_64.so.1\n' >musl/ldd
chmod +x musl/ldd
PATH=$PWD/musl:$PATH expect '^IllegalStateException: .* needs glibc, and this system has musl$' client make winnow:10

# A plugin for the other std::string.
other=$(find "$work/winnow/plugins" -name '*.so')
folder=$work/winnow_alone/plugins/$(basename "$(dirname "$other")" | sed 's/-old-strings//')
if [[ $strings == old ]]; then
  mkdir -p "$folder-old-strings"
  cp "$built"/bound/lib/winnow/plugins/*/*.so "$folder-old-strings"
  expect 'left alone: it hides or lacks _ZN7rocksdb23GetRocksVersionAsStringB5cxx11Eb' \
    "${java[@]}" "$everything" "-Dwinnow.folder=$work/winnow_alone" Client make winnow:10
fi

# ---- The preloaded library.
preload=$built/bound/lib/libwinnow_preload.so
rm -rf db
LD_PRELOAD=$preload WINNOW_POLICY=winnow:10 WINNOW_LOG=1 plain_client write db bloom "$keys" 2>said
if [[ $strings == new ]]; then
  only_winnow "the preloaded library"
else
  [[ $(cat said) == *'left alone: it was compiled with the old std::string (_GLIBCXX_USE_CXX11_ABI=0)'* ]] ||
    fail "preloaded, it says: $(cat said)"
fi
rm -rf db
LD_PRELOAD=$preload WINNOW_POLICY=winnow:10 expect '^$' client write db winnow:12 "$keys"
only_winnow "a WinnowFilter and the preloaded library"
[[ $(cat db/OPTIONS-*) == *'bits_per_key=12;'* ]] || fail "the preloaded library takes the place of a WinnowFilter"

# ---- Repeated opens leak no memory, and no unpacked file remains.
for policy in bloom winnow:10; do
  rm -rf db
  expect "^opens=$opens beside=99.9.9 own=${version//./[.]} grown_bytes_per_open=" client opens db "$policy" "$opens" "$work/libother.so"
done
[[ -z $(ls "$TMPDIR") ]] || fail "these files stay: $(ls "$TMPDIR")"
echo "java_test: $(java -version 2>&1 | head -n 1), RocksDB $version with $strings strings, $keys keys"
