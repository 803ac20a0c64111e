import java.util.Collections;
import org.rocksdb.Filter;
import org.rocksdb.Options;
import winnow.WinnowFilter;

/** Client's calls into Winnow, in a separate class, which is not loaded without Winnow's jar. */
final class Policies {
  private Policies() {}

  static Filter make(String policy) {
    return new WinnowFilter(policy);
  }

  static void register() {
    WinnowFilter.register();
  }

  /** Configures the options as Kafka Streams does before it opens a store. */
  static void setAsKafka(Options options) {
    final WinnowConfigSetter setter = new WinnowConfigSetter();
    setter.setConfig("store", options, Collections.emptyMap());
    setter.close("store", options);
  }
}
