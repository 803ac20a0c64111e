#!/bin/bash
# Makes the jar for Java programs: make_jar.sh FOLDER ROCKSDBJNI_JAR JAR
# FOLDER is PREFIX/lib/winnow of an installation, with libwinnow_java.so and, in plugins/, a plugin for each supported
# version of RocksDB. ROCKSDBJNI_JAR may have any version: the compiled class is the same for all.
set -euo pipefail

(($# == 3)) || {
  echo "usage: make_jar.sh FOLDER ROCKSDBJNI_JAR JAR" >&2
  exit 2
}
folder=$1
rocksdbjni=$2
jar=$3
source=$(dirname "$(realpath "$0")")
[[ -f $folder/libwinnow_java.so ]] || {
  echo "make_jar.sh: $folder has no libwinnow_java.so: build Winnow with -DWINNOW_ROCKSDB_HEADERS=… -DWINNOW_JAVA=ON and install it" >&2
  exit 1
}

# os.arch of Java.
processor=$(uname -m)
[[ $processor != x86_64 ]] || processor=amd64
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
javac --release 8 -Xlint:-options -encoding UTF-8 -classpath "$rocksdbjni" -d "$work" "$source/winnow/WinnowFilter.java"
mkdir -p "$work/winnow/native/$processor"
cp -rL "$folder/libwinnow_java.so" "$folder/plugins" "$work/winnow/native/$processor"
jar --create --file "$jar" -C "$work" winnow
