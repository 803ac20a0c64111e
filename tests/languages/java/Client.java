import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Properties;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.Filter;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;

/**
 * Program of java_test.sh: Client write|read FOLDER POLICY KEYS, Client opens FOLDER POLICY TIMES LIBRARY, or Client
 * make POLICY. POLICY is "bloom", a BloomFilter without Winnow; "registered", a BloomFilter with Winnow registered;
 * "text:WINNOW", a policy named in the options; "kafka", set by a config setter of Kafka Streams; or a WinnowFilter's
 * policy.
 */
public final class Client {
  private static final int FILES = 5;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Filter filter(String policy) {
    if (policy.equals("bloom") || policy.equals("kafka")) {
      return new BloomFilter(10);
    }
    if (policy.equals("registered")) {
      Policies.register();
      return new BloomFilter(10);
    }
    return Policies.make(policy);
  }

  private static Options options(String policy) {
    final DBOptions database = new DBOptions().setCreateIfMissing(true);
    final ColumnFamilyOptions family;
    if (policy.startsWith("text:")) {
      Policies.register();
      final Properties properties = new Properties();
      properties.setProperty("block_based_table_factory",
          "{filter_policy=" + policy.substring("text:".length()) + "}");
      family = ColumnFamilyOptions.getColumnFamilyOptionsFromProps(properties);
      if (family == null) {
        throw new IllegalArgumentException("RocksDB makes no options of " + properties);
      }
    } else {
      family = new ColumnFamilyOptions();
      try (Filter filter = filter(policy)) { // the table keeps the filter
        final BlockBasedTableConfig table = new BlockBasedTableConfig();
        table.setFilterPolicy(filter);
        family.setTableFormatConfig(table);
      }
    }
    family.setDisableAutoCompactions(true);
    final Options options = new Options(database, family); // copies both options
    database.close();
    family.close();
    if (policy.equals("kafka")) {
      options.setTableFormatConfig(new BlockBasedTableConfig());
      Policies.setAsKafka(options);
    }
    return options;
  }

  private static void write(String folder, String policy, int keys) throws Exception {
    try (Options options = options(policy); RocksDB db = RocksDB.open(options, folder);
        FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
      for (int i = 0; i < keys; ++i) {
        db.put(bytes("key" + i), bytes("value" + i));
        if ((i + 1) % (keys / FILES) == 0) {
          db.flush(flush);
        }
      }
    }
  }

  private static void read(String folder, String policy, int keys) throws Exception {
    try (Statistics statistics = new Statistics();
        Options options = options(policy).setStatistics(statistics);
        RocksDB db = RocksDB.open(options, folder)) {
      int missing = 0;
      int invented = 0;
      for (int i = 0; i < keys; ++i) {
        final byte[] value = db.get(bytes("key" + i));
        if (value == null || !new String(value, StandardCharsets.UTF_8).equals("value" + i)) {
          ++missing;
        }
        if (db.get(bytes("key" + i + "absent")) != null) {
          ++invented;
        }
      }
      final long useful = statistics.getTickerCount(TickerType.BLOOM_FILTER_USEFUL);
      System.out.println("missing=" + missing + " invented=" + invented + " of " + keys
          + (useful > keys ? ", filters are used" : ", no filter is used"));
    }
  }

  private static long residentKilobytes() throws Exception {
    for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    throw new IllegalStateException("/proc/self/status has no VmRSS");
  }

  // Opens the database repeatedly, each time with a new policy, beside a library that contains
  // another RocksDB.
  private static void opens(String folder, String policy, int times, String library) throws Exception {
    System.load(library);
    write(folder, policy, 5000);
    long before = 0;
    for (int i = 0; i < times; ++i) {
      if (i == times / 5) { // caches and heaps have reached their size
        before = residentKilobytes();
      }
      try (Options options = options(policy).setKeepLogFileNum(2); // each open lists the log files
          RocksDB db = RocksDB.open(options, folder)) {
        if (db.get(bytes("key" + i % 5000)) == null || db.get(bytes("absent" + i)) != null) {
          throw new IllegalStateException("the wrong answer in open " + i);
        }
      }
    }
    System.out.println("opens=" + times + " beside=" + otherVersion() + " own=" + RocksDB.rocksdbVersion()
        + " grown_bytes_per_open=" + (residentKilobytes() - before) * 1024 / (times - times / 5));
  }

  private static native String otherVersion();

  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("make")) {
      try {
        Policies.make(arguments[1]).close();
        System.out.println("made");
      } catch (RuntimeException problem) {
        System.out.println(problem.getClass().getSimpleName() + ": " + problem.getMessage());
      }
      return;
    }
    RocksDB.loadLibrary(); // Statistics does not load the library
    final int number = Integer.parseInt(arguments[3]);
    switch (arguments[0]) {
      case "write":
        write(arguments[1], arguments[2], number);
        break;
      case "read":
        read(arguments[1], arguments[2], number);
        break;
      default:
        opens(arguments[1], arguments[2], number, arguments[4]);
    }
  }
}
