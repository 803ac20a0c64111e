import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Options;
import winnow.WinnowFilter;

/**
 * Sets Winnow's filter policy for the stores of Kafka Streams. To use it, set
 * {@code rocksdb.config.setter} to this class.
 */
public class WinnowConfigSetter implements RocksDBConfigSetter {
  private final Map<String, WinnowFilter> filters = new ConcurrentHashMap<>();

  @Override
  public void setConfig(String storeName, Options options, Map<String, Object> configs) {
    final WinnowFilter filter = new WinnowFilter("winnow:10");
    filters.put(storeName, filter);
    final BlockBasedTableConfig table = (BlockBasedTableConfig) options.tableFormatConfig();
    table.setFilterPolicy(filter);
    options.setTableFormatConfig(table);
  }

  @Override
  public void close(String storeName, Options options) {
    filters.remove(storeName).close();
  }
}
