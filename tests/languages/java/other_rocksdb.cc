// JNI library that, by its symbol names, contains another RocksDB beside that of rocksdbjni.

#include <jni.h>

#include "tests/preload/preload_carrier_small.cc"

extern "C" JNIEXPORT jstring JNICALL Java_Client_otherVersion(JNIEnv* env, jclass) {
  const bool is_own = rocksdb::NewBloomFilterPolicy(10, false) == nullptr;
  return env->NewStringUTF(is_own ? rocksdb::GetRocksVersionAsString(true).c_str() : "another");
}
