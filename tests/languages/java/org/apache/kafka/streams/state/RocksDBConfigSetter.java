package org.apache.kafka.streams.state;

import java.util.Map;
import org.rocksdb.Options;

/** Stub of Kafka Streams' interface, for compiling and running bindings/java/WinnowConfigSetter.java without it. */
public interface RocksDBConfigSetter {
  void setConfig(String storeName, Options options, Map<String, Object> configs);

  void close(String storeName, Options options);
}
