// Test of the layer rule: a layer may include only its own folder and the folders in its row.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/matches.h"

namespace layers_test {

namespace fs = std::filesystem;
using winnow::testing::AllMatches;
using winnow::testing::ReadFile;

using Names = std::set<std::string, std::less<>>;

// A group of external headers, by the name that rows use.
struct Group {
  std::string_view name;
  std::string_view header_pattern;
};

constexpr Group kGroups[] = {
    {"RocksDB", "rocksdb/.*"},
    {"RocksDB's tree", "table/block_based/filter_policy_internal\\.h"},
    {"Abseil", "absl/.*"},
    {"xxHash", "xxhash\\.h|xxh3\\.h"},
    {"LZ4", "lz4.*\\.h"},
    {"zlib", "zlib\\.h"},
    {"zstd", "zstd\\.h"},
    {"hiredis", "hiredis/.*"},
    {"OpenSSL", "openssl/.*"},
    {"nlohmann-json", "nlohmann/.*"},
    {"Google Benchmark", "benchmark/.*"},
    {"GoogleTest", "(gtest|gmock)/.*"},
    {"standard library", "[a-z_0-9]+|std(bool|def|int)\\.h"},
    {"operating system", "(sys|linux|arpa|netinet)/.*"},
    {"operating system",
     "(ar|cxxabi|dlfcn|elf|errno|execinfo|fcntl|getopt|glob|link|poll|pthread|sched|semaphore|"
     "signal|spawn)"
     "\\.h"},
    {"operating system", "(locale|malloc|stdio|stdlib|strings?|time|ucontext|unistd)\\.h"},
    {"Java", "jni\\.h"},
    {"processor", "(arm_neon|arm_acle|cpuid|[a-z]+intrin)\\.h"},
};

struct Layer {
  std::string_view folder;
  Names ours;    // folders, or single files if the rest of their folder is forbidden
  Names groups;  // external groups besides the standard library
};

// Headers of include/winnow that name RocksDB.
constexpr char kPolicyHeader[] = "include/winnow/rocksdb_policy.h";
constexpr char kLoadsHeader[] = "include/winnow/rocksdb_filter_loads.h";
constexpr char kUseHeader[] = "include/winnow/rocksdb_filter_use.h";
constexpr char kRocksDBCHeader[] = "include/winnow/rocksdb_c.h";
constexpr char kListenerHeader[] = "include/winnow/rocksdb_listener.h";
constexpr char kHugePagesHeader[] = "include/winnow/rocksdb_huge_pages.h";
constexpr char kRemoteCompactionHeader[] = "include/winnow/rocksdb_remote_compaction.h";

// Public headers of another library, below those of the core, and the headers of their inline
// functions.
constexpr char kAmqHeaders[] = "streams/include/winnow/amq";
constexpr char kAmqInternals[] = "streams/include/winnow/amq/internal";

// Headers and folders that a row must name explicitly even if it names the enclosing folder: the
// policy header includes RocksDB, and users of the amq headers need that library. Inner folders
// come first.
constexpr std::string_view kNamed[] = {kPolicyHeader,           kLoadsHeader,    kUseHeader,
                                       kRocksDBCHeader,         kListenerHeader, kHugePagesHeader,
                                       kRemoteCompactionHeader, kAmqInternals,   kAmqHeaders};

const std::vector<Layer>& Layers() {
  static const std::vector<Layer> layers = {
      {kAmqInternals, {"include/winnow"}, {}},
      {kAmqHeaders, {"include/winnow", kAmqInternals}, {}},
      {"include/winnow", {}, {}},
      {"src/base", {}, {"operating system"}},
      {"src/formulas", {}, {"xxHash"}},
      {"src/simd", {"src/base", "src/formulas"}, {"processor", "operating system"}},
      {"src/core",
       {"include/winnow", "src/base/c_locale.h", "src/formulas", "src/simd/kernels.h"},
       {"processor", "operating system"}},
      {"src/family", {"include/winnow"}, {}},
      {"src/c_api", {"include/winnow", "src/core/options.h"}, {}},
      {"src/rocksdb/lookups",
       {"include/winnow", kPolicyHeader, "src/base", "src/core"},
       {"RocksDB", "processor", "operating system"}},
      {"src/rocksdb/messages", {"src/base"}, {"RocksDB"}},
      {"src/rocksdb/loads",
       {"include/winnow", kLoadsHeader, "src/core", "src/rocksdb/messages",
        "third_party/rocksdb_abi"},
       {"RocksDB"}},
      {"src/rocksdb/trees",
       {"include/winnow", kPolicyHeader, "src/base", "src/core", "src/family", "src/rocksdb/loads",
        "src/rocksdb/messages", "third_party/rocksdb_abi"},
       {"RocksDB", "operating system"}},
      {"src/rocksdb",
       {"include/winnow", kPolicyHeader, kLoadsHeader, kUseHeader, kRocksDBCHeader, kListenerHeader,
        kHugePagesHeader, kRemoteCompactionHeader, "src/core", "src/family", "src/simd/kernels.h",
        "src/base", "third_party/rocksdb_abi"},
       {"RocksDB", "processor", "operating system"}},
      {"src/preload",
       {"include/winnow", kPolicyHeader, kListenerHeader, kRemoteCompactionHeader, "src/rocksdb",
        "src/base", "third_party/rocksdb_abi"},
       {"RocksDB", "operating system"}},
      {"src/workers", {}, {"Abseil", "operating system"}},
      {"src/text", {"src/base"}, {"Abseil", "LZ4", "operating system"}},
      {"src/cli", {"include/winnow", "src/text", "src/workers"}, {"Abseil", "operating system"}},
      {"src/sst",
       {"include/winnow", "src/core", "third_party/rocksdb_abi"},
       {"RocksDB", "Abseil", "operating system"}},
      {"src/database",
       {"include/winnow", "src/sst", "src/text", "src/workers", "third_party/rocksdb_abi"},
       {"RocksDB", "Abseil", "operating system"}},
      {"src/policy_trial",
       {"include/winnow", kPolicyHeader, kListenerHeader, "src/base", "src/cli", "src/core",
        "src/database", "src/family", "src/rocksdb", "src/sst", "src/text",
        "third_party/rocksdb_abi"},
       {"RocksDB", "Abseil", "operating system"}},
      {"src/refilter",
       {"include/winnow", kPolicyHeader, "src/core", "src/database", "src/policy_trial",
        "src/rocksdb", "src/sst", "src/text", "src/workers", "third_party/rocksdb_abi"},
       {"RocksDB", "Abseil"}},
      {"third_party/rocksdb_abi", {}, {"RocksDB", "RocksDB's tree"}},
      {"db_bench_ext",
       {"include/winnow", kPolicyHeader, kListenerHeader, kHugePagesHeader, "src/base", "src/cli",
        "src/text", "src/sst", "src/database", "src/policy_trial", "src/core", "src/family",
        "src/rocksdb", "src/simd/kernels.h", "third_party/rocksdb_abi"},
       {"RocksDB", "Abseil", "nlohmann-json", "Google Benchmark", "operating system"}},
      {"tools/winnow/cli",
       {"include/winnow", "src/base", "src/cli", "src/text", "src/workers"},
       {"RocksDB", "Abseil", "nlohmann-json", "operating system"}},
      {"tools",
       {"include/winnow", kPolicyHeader, kListenerHeader, "src/base", "src/cli", "src/core",
        "src/workers", "src/text", "src/sst", "src/database", "src/policy_trial", "src/refilter"},
       {"RocksDB", "Abseil", "nlohmann-json", "operating system"}},
      {"bindings/java", {"src/preload"}, {"Java", "operating system"}},
      {"bindings/rust", {"src/rocksdb"}, {"RocksDB"}},
      {"tests/paired_trees",
       {"src/base", "src/cli", "src/core/ranges/range_note.h", "src/text",
        "third_party/rocksdb_abi", "db_bench_ext/filter_bench/plugin_library.h",
        "db_bench_ext/read_amplification", "tests/support"},
       {"RocksDB", "Abseil", "nlohmann-json", "GoogleTest"}},
      {"tests",
       {"include/winnow", kPolicyHeader, kLoadsHeader, kUseHeader, kRocksDBCHeader, kListenerHeader,
        kHugePagesHeader, kRemoteCompactionHeader, "src", "third_party/rocksdb_abi", "db_bench_ext",
        "tools"},
       {"RocksDB", "Abseil", "LZ4", "zlib", "zstd", "nlohmann-json", "Google Benchmark",
        "GoogleTest", "Java", "processor", "operating system"}},
      // Streams, a separate product: no file outside this folder includes any of it.
      {"streams/amq",
       {"include/winnow", kAmqHeaders, kAmqInternals, "src/formulas"},
       {"processor", "operating system"}},
      {"streams/redis", {"src/base"}, {"Abseil", "hiredis", "OpenSSL", "operating system"}},
      {"streams/dedup",
       {"include/winnow", kAmqHeaders, "streams/amq", "src/formulas", "streams/redis"},
       {"Abseil", "LZ4", "zlib", "zstd", "hiredis", "operating system"}},
      {"streams/winnow",
       {"include/winnow", kAmqHeaders, "streams/amq", "streams/dedup", "streams/redis",
        "tools/winnow/cli", "tools/winnow/size/size_report.h", "src/cli", "src/text"},
       {"Abseil", "nlohmann-json", "hiredis", "operating system"}},
      {"streams/tuning", {"streams/amq/shapes.h", kAmqHeaders}, {"Abseil"}},
      {"streams/filter_family",
       {"include/winnow", kAmqHeaders, "src/base", "src/core/sizing.h", "src/text",
        "streams/amq/shapes.h"},
       {"Abseil", "nlohmann-json", "Google Benchmark", "operating system"}},
      {"streams/tools",
       {"include/winnow", kAmqHeaders, "streams/amq", "streams/dedup"},
       {"Abseil"}},
      {"streams/tests",
       {"include/winnow", kAmqHeaders, "streams", "src/base", "src/formulas", "tests/fuzz",
        "tests/support", "tests/tools/frozen_names.h", "third_party/rocksdb_abi", "tools/winnow"},
       {"RocksDB", "Abseil", "LZ4", "zlib", "zstd", "hiredis", "nlohmann-json", "GoogleTest",
        "operating system"}},
  };
  return layers;
}

bool IsInside(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path[folder.size()] == '/' &&
         path.substr(0, folder.size()) == folder;
}

const Layer* LayerOf(std::string_view path) {
  for (const Layer& layer : Layers()) {
    if (IsInside(path, layer.folder)) return &layer;
  }
  return nullptr;
}

// Returns the path of one of the project's headers from its form in an include line; public headers
// are included as users do.
std::optional<std::string> PathOfOurs(const std::string& header) {
  if (IsInside(header, "winnow/amq")) return "streams/include/" + header;
  if (IsInside(header, "winnow")) return "include/" + header;
  for (const Layer& layer : Layers()) {
    if (IsInside(header, layer.folder)) return header;
  }
  return std::nullopt;
}

bool MayIncludeOurs(const Layer& layer, const std::string& path) {
  for (const std::string_view named : kNamed) {
    if (path == named || IsInside(path, named)) {
      return layer.folder == named || layer.ours.count(named) > 0;
    }
  }
  if (IsInside(path, layer.folder)) return true;
  return std::any_of(layer.ours.begin(), layer.ours.end(), [&](const std::string& allowed) {
    return path == allowed || IsInside(path, allowed);
  });
}

bool MayIncludeGroup(const Layer& layer, std::string_view file, std::string_view group) {
  if (group == "standard library" || layer.groups.count(group) > 0) return true;
  return group == "RocksDB" &&
         std::find(std::begin(kNamed), std::end(kNamed), file) != std::end(kNamed);
}

std::string_view GroupOf(const std::string& header) {
  for (const Group& group : kGroups) {
    if (std::regex_match(header, std::regex(std::string(group.header_pattern)))) return group.name;
  }
  return {};
}

// Returns an empty string if the file, by its path from the root of the tree, may include the
// header, else an error message.
std::string Objection(const std::string& file, const std::string& header) {
  const Layer* layer = LayerOf(file);
  if (layer == nullptr) return file + " lies in no layer: give its folder a row or move it";
  const std::string what = file + " includes " + header;
  if (const auto path = PathOfOurs(header)) {
    if (MayIncludeOurs(*layer, *path)) return "";
    return what + ", which the row of " + std::string(layer->folder) + " does not name";
  }
  const std::string_view group = GroupOf(header);
  if (group.empty()) {
    return what + ", which is neither a path from the root of the tree nor in a known group";
  }
  if (MayIncludeGroup(*layer, file, group)) return "";
  return what + " (" + std::string(group) + "), which the row of " + std::string(layer->folder) +
         " does not name";
}

std::vector<std::string> IncludedHeaders(const std::string& source) {
  static const std::regex line(R"((?:^|\n)[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">])");
  return AllMatches(source, line, 1);
}

bool IsSource(const fs::path& path) {
  return path.extension() == ".cc" || path.extension() == ".h" || path.extension() == ".inc";
}

const fs::path& Root() {
  static const fs::path root = WINNOW_SOURCE_DIR;
  return root;
}

// Returns the sources below a folder, by their paths from the root of the tree.
std::vector<std::string> SourcesBelow(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(Root() / folder)) {
    if (!entry.is_regular_file() || !IsSource(entry.path())) continue;
    files.push_back(fs::relative(entry.path(), Root()).generic_string());
  }
  return files;
}

std::vector<std::string> HeadersIncludedBy(const std::string& file) {
  return IncludedHeaders(ReadFile((Root() / file).string()));
}

// Returns top-level folders that do not belong to the project: those in .gitignore, and .git.
Names FoldersNotInTheProject() {
  Names names = {".git"};
  std::ifstream in(Root() / ".gitignore");
  for (std::string line; std::getline(in, line);) {
    if (line.size() > 2 && line.front() == '/' && line.back() == '/') {
      names.insert(line.substr(1, line.size() - 2));
    }
  }
  return names;
}

Names FoldersIn(const fs::path& folder) {
  Names names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) names.insert(entry.path().filename());
  }
  return names;
}

// Returns the names of the rows' folders directly in `folder`; "" is the root.
Names FoldersOfRows(const std::string& folder) {
  Names names;
  for (const Layer& layer : Layers()) {
    std::string_view path = layer.folder;
    if (!folder.empty()) {
      if (!IsInside(path, folder)) continue;
      path.remove_prefix(folder.size() + 1);
    }
    names.emplace(path.substr(0, path.find('/')));
  }
  return names;
}

TEST(LayersTest, EverySourceIncludesOnlyWhatItsRowNames) {
  size_t files = 0;
  for (const std::string& top : FoldersOfRows("")) {
    if (!fs::exists(Root() / top)) continue;
    for (const std::string& file : SourcesBelow(top)) {
      for (const std::string& header : HeadersIncludedBy(file)) {
        EXPECT_EQ(Objection(file, header), "");
      }
      EXPECT_NE(LayerOf(file), nullptr) << file << " lies in no layer";
      ++files;
    }
  }
  EXPECT_GT(files, 20U) << "found hardly a source below " << Root();
}

// Returns whether the path is in the folder of streams.
bool IsOfStreams(std::string_view path) { return IsInside(path, "streams"); }

TEST(LayersTest, NothingOutsideOfStreamsIncludesThem) {
  for (const Layer& layer : Layers()) {
    if (IsOfStreams(layer.folder)) continue;
    EXPECT_THAT(layer.ours, ::testing::Each(::testing::ResultOf(IsOfStreams, false)))
        << layer.folder;
  }
}

TEST(LayersTest, EveryFolderHasARow) {
  Names at_top = FoldersIn(Root());
  for (const std::string& name : FoldersNotInTheProject()) at_top.erase(name);
  for (const char* without_sources : {".ci", ".reuse", "LICENSES", "debian", "docs"})
    at_top.erase(without_sources);
  EXPECT_THAT(FoldersOfRows(""), ::testing::IsSupersetOf(at_top));
  EXPECT_EQ(FoldersIn(Root() / "include"), FoldersOfRows("include"));
  EXPECT_EQ(FoldersIn(Root() / "src"), FoldersOfRows("src"));
  EXPECT_EQ(FoldersIn(Root() / "third_party"), FoldersOfRows("third_party"));
  Names of_streams = FoldersIn(Root() / "streams");
  of_streams.erase("docs");
  EXPECT_EQ(of_streams, FoldersOfRows("streams"));
}

// An order of folders: each may include only those before it. Folders on the same floor may not
// include each other.
struct OrderedFolders {
  std::string_view root;
  std::vector<std::vector<std::string>> floors;  // lowest first
};

// Returns the folders of the tool's verbs: all except the folders below them in the order.
std::vector<std::string> VerbFolders() {
  Names folders = FoldersIn(Root() / "tools/winnow");
  folders.erase("cli");
  folders.erase("findings");
  return {folders.begin(), folders.end()};
}

const std::vector<OrderedFolders>& OrderedHouses() {
  static const std::vector<OrderedFolders> houses = {
      {"db_bench_ext/read_amplification",
       {{"system"}, {"keys"}, {"results"}, {"trees"}, {"lookups"}, {"report"}, {"program"}}},
      {"tools/winnow", {{"cli"}, {"findings"}, VerbFolders()}},
  };
  return houses;
}

// Returns the floor and the folder of a file; files directly in the root are above all floors.
std::pair<size_t, std::string_view> FloorOf(const OrderedFolders& house, std::string_view path) {
  for (size_t floor = 0; floor < house.floors.size(); ++floor) {
    for (const std::string& folder : house.floors[floor]) {
      if (IsInside(path, std::string(house.root) + "/" + folder)) {
        return {floor, folder};
      }
    }
  }
  return {house.floors.size(), ""};
}

TEST(LayersTest, AFolderIncludesThoseOnTheFloorsBelow) {
  for (const OrderedFolders& house : OrderedHouses()) {
    const std::vector<std::string> files = SourcesBelow(house.root);
    for (const std::string& file : files) {
      const auto [floor, folder] = FloorOf(house, file);
      EXPECT_TRUE(!folder.empty() || fs::path(file).parent_path() == house.root)
          << file << " lies in none of the folders";
      for (const std::string& header : HeadersIncludedBy(file)) {
        if (!IsInside(header, house.root)) continue;
        const auto [below, other] = FloorOf(house, header);
        EXPECT_TRUE(other == folder || below < floor) << file << " includes " << header;
      }
    }
    EXPECT_GT(files.size(), 50u) << house.root;
  }
}

}  // namespace layers_test
