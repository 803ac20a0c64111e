package winnow;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.rocksdb.Filter;
import org.rocksdb.RocksDB;
import org.rocksdb.util.Environment;

/**
 * Winnow's filter policy, for {@code BlockBasedTableConfig.setFilterPolicy}:
 *
 * <pre>{@code table.setFilterPolicy(new WinnowFilter("winnow:10"))}</pre>
 *
 * The argument is a value of {@code filter_policy=} in RocksDB's options; docs/options.md describes
 * all of them. Close the filter like any other filter. Databases opened with the filter keep the
 * policy.
 */
public final class WinnowFilter extends Filter {
  private static final String LIBRARY = "libwinnow_java.so";
  private static boolean isLoaded;

  /**
   * @param policy such as {@code winnow:10} or {@code {id=winnow;bits_per_key=9.9}}
   * @throws IllegalArgumentException if the text is not a policy of Winnow, with the reason
   * @throws IllegalStateException if Winnow can't be bound to the RocksDB of this process, with the
   *     reason
   */
  public WinnowFilter(String policy) {
    super(make(policy));
  }

  /**
   * Registers the name {@code winnow} in RocksDB. Needed by programs that read options as text
   * before they make a WinnowFilter: RocksDB silently drops unknown names.
   *
   * @throws IllegalStateException if Winnow can't be bound to the RocksDB of this process, with the
   *     reason
   */
  public static void register() {
    load();
    create(null);
  }

  private static long make(String policy) {
    if (policy == null) {
      throw new IllegalArgumentException("a WinnowFilter needs a text, such as winnow:10");
    }
    load();
    return create(policy);
  }

  // Loads the library and the plugin from the folder in the property winnow.folder, else from the
  // jar.
  private static synchronized void load() {
    if (isLoaded) {
      return;
    }
    final String system = System.getProperty("os.name");
    if (!system.startsWith("Linux")) {
      throw new IllegalStateException("Winnow's library for Java is built for Linux, not for " + system);
    }
    if (Environment.isMuslLibc()) {
      throw new IllegalStateException(
          "Winnow's library for Java needs glibc, and this system has musl");
    }
    RocksDB.loadLibrary();
    final String folder = System.getProperty("winnow.folder");
    try {
      if (folder != null) {
        System.load(Paths.get(folder, LIBRARY).toAbsolutePath().toString());
      } else {
        unpack();
      }
    } catch (IOException | UnsatisfiedLinkError problem) {
      throw new IllegalStateException(
          "Winnow's library for Java can't be loaded: " + problem.getMessage(), problem);
    }
    isLoaded = true;
  }

  // Loads the library and the plugin from temporary files, which can be deleted once they are open.
  private static void unpack() throws IOException {
    final Path folder = Files.createTempDirectory("winnow");
    Path plugin = null;
    try {
      final Path library = folder.resolve(LIBRARY);
      if (!copy(LIBRARY, library)) {
        throw new IOException("it is not in the jar; -Dwinnow.folder says where it is else");
      }
      System.load(library.toString());
      plugin = folder.resolve(plugin());
      Files.createDirectories(plugin.getParent());
      // If there is no plugin, a later create() throws an exception.
      if (copy(folder.relativize(plugin).toString(), plugin)) {
        create(null);
      }
    } finally {
      for (Path left = plugin; left != null && !left.equals(folder); left = left.getParent()) {
        Files.deleteIfExists(left);
      }
      Files.deleteIfExists(folder.resolve(LIBRARY));
      Files.deleteIfExists(folder);
    }
  }

  // Copies a file of the jar's folder for this processor. Returns false if there is none.
  private static boolean copy(String name, Path to) throws IOException {
    final String resource = "native/" + System.getProperty("os.arch") + "/" + name;
    try (InputStream from = WinnowFilter.class.getResourceAsStream(resource)) {
      if (from != null) {
        Files.copy(from, to);
      }
      return from != null;
    }
  }

  private static native String plugin();

  private static native long create(String policy);
}
