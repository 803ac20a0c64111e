// The verb `winnow adopt`, which copies a static RocksDB library and adds Winnow to the copy.

#include <absl/flags/flag.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "src/cli/flags.h"
#include "src/text/numbers.h"
#include "src/text/printable.h"
#include "tools/winnow/adopt/adoption.h"
#include "tools/winnow/cli/json.h"
#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/verbs.h"
#include "winnow/version.h"

WINNOW_FLAG(adopt, std::string, output, "", TextValue("FILE"),
            "the copy, a new file, as FOLDER/librocksdb.a; -o FILE is the same");
WINNOW_TAKES(adopt, kJsonFlag);

namespace winnow::tools {
namespace {

namespace fs = std::filesystem;

using inspect::Adoption;
using inspect::ByteSize;
using inspect::Printable;

std::string PackagePath(const std::string& output) {
  return (fs::path(output).parent_path() / "rocksdb.pc").string();
}

// Returns an error message if the output files can't be created, else an empty string.
std::string WhyNotThere(const std::string& archive, const std::string& output) {
  std::error_code code;
  const fs::path folder = fs::path(output).parent_path();
  if (fs::equivalent(archive, output, code)) {
    return absl::StrCat("the copy can't be ", Printable(output),
                        ", which is the original: that stays as it is. Name a new file");
  }
  if (!folder.empty() && !fs::is_directory(folder, code)) {
    return absl::StrCat("there is no folder ", Printable(folder.string()),
                        ", in which the copy is to be made. Make it first");
  }
  for (const std::string& path : {output, PackagePath(output)}) {
    if (fs::exists(fs::symlink_status(path, code))) {
      return absl::StrCat(Printable(path),
                          " is there already, and a new file is expected. Remove it, or name "
                          "another folder");
    }
  }
  return std::string();
}

std::string AdoptText(const Adoption& adoption, const std::string& output) {
  return absl::StrCat(
      "copy         ", Printable(output), ", ", ByteSize(static_cast<double>(adoption.bytes_after)),
      " (the original has ", ByteSize(static_cast<double>(adoption.bytes_before)), ")\n",
      "inside       RocksDB ", adoption.rocksdb, " and Winnow ", Version(), "\n", "changed      ",
      inspect::Number(adoption.changed.size(), "object file"), ", in which ",
      inspect::Number(adoption.renamed.size(), "function"),
      " got other names: Winnow's have theirs\n", "added        ",
      inspect::Number(adoption.objects_added, "object file"), "\n", "pkg-config   ",
      Printable(PackagePath(output)), ", for PKG_CONFIG_PATH\n",
      "filters      as programs ask for them, and Winnow's are read, until their environment has\n"
      "             WINNOW_POLICY=winnow:10; with WINNOW_POLICY=stock all is as in the original\n",
      adoption.adds_policies
          ? "             WINNOW_ADD=1 gives column families without a policy one, too\n"
          : "no effect    WINNOW_ADD: this RocksDB does not let Winnow see all calls of "
            "SetOptions\n");
}

std::string AdoptJson(const Adoption& adoption, const std::string& archive,
                      const std::string& output) {
  const bool is_made = adoption.problem.empty();
  nlohmann::ordered_json content;
  inspect::PutName("archive", archive, &content);
  inspect::PutName("output", output, &content);
  inspect::PutName("pkg_config", is_made ? PackagePath(output) : "", &content);
  content["winnow"] = Version();
  content["rocksdb"] = inspect::SentenceOrNull(adoption.rocksdb);
  content["changed_objects"] = adoption.changed;
  content["renamed"] = nlohmann::ordered_json::object();
  for (const auto& [own, stock] : adoption.renamed) content["renamed"][own] = stock;
  content["objects_added"] = adoption.objects_added;
  content["bytes_before"] = adoption.bytes_before;
  content["bytes_after"] = adoption.bytes_after;
  content["libraries"] = adoption.libraries;
  content["adds_policies"] = adoption.adds_policies;
  content["problem"] = inspect::SentenceOrNull(adoption.problem);
  return inspect::Document("winnow.adopt/1", content);
}

int RunAdopt(const Verb& verb, const std::vector<std::string>& arguments) {
  const std::string output = absl::GetFlag(FLAGS_adopt_output);
  if (arguments.empty()) return WrongUsage(verb, "which archive?");
  if (arguments.size() > 1) return WrongUsage(verb, "one archive at a time");
  if (output.empty()) return WrongUsage(verb, "where to? -o FOLDER/librocksdb.a");
  const std::string& archive = arguments.front();
  Adoption adoption;
  adoption.problem = WhyNotThere(archive, output);
  if (adoption.problem.empty()) adoption = inspect::Adopt(archive, output);
  int status = adoption.problem.empty() ? kAllGood
               : adoption.is_refused    ? kFaultFound
                                        : kCouldNotRead;
  if (status != kAllGood) {
    SayWarnings(verb.name, {absl::StrCat(adoption.problem, ". Nothing was made")});
  } else if (!PrintToFile(verb.name, PackagePath(output),
                          inspect::PackageText(adoption, archive, output))) {
    status = kCouldNotRead;
  }
  const bool json = absl::GetFlag(FLAGS_json);
  if (json && !Print(verb.name, AdoptJson(adoption, archive, output))) return kCouldNotRead;
  if (!json && status == kAllGood && !Print(verb.name, AdoptText(adoption, output))) {
    return kCouldNotRead;
  }
  return status;
}

}  // namespace

Verb AdoptVerb() {
  return {
      "adopt",
      "ARCHIVE --output [--json]",
      "Makes a copy of an archive of RocksDB (librocksdb.a) with Winnow inside",
      "Programs in C, C++, Go, Rust and others that have RocksDB inside are linked with the copy\n"
      "in the place of the original, by any linker and without further flags: name its folder\n"
      "by -L before others, or the folder by PKG_CONFIG_PATH, as a rocksdb.pc lies beside it.\n"
      "In the copy, NewBloomFilterPolicy, NewRibbonFilterPolicy and\n"
      "FilterPolicy::CreateFromString are Winnow's, and RocksDB's own have other names; so it is\n"
      "with the functions that open databases, create column families and set options. The\n"
      "environment of a program then says which filters it builds. If WINNOW_POLICY is not set,\n"
      "those that the program asks for; Winnow's filters are read, too.\n"
      "The original is only read. There is no --undo: link the original again.\n"
      "It runs ar, ld and objcopy of binutils, which must be in PATH. To learn the version of\n"
      "RocksDB, it links the function that tells it with a small program, and runs that.\n"
      "Refused, with a sentence that says what to do: archives of another version of RocksDB\n"
      "than this Winnow was compiled for, in another namespace, of another machine, compiled with\n"
      "-flto or as a unity build, without the functions that make filter policies, or with Winnow\n"
      "inside; thin archives. Exit code 1 is that of a refusal.\n"
      "--json has: archive; output; pkg_config; the versions of winnow and rocksdb (null: not\n"
      "known); changed_objects, the object files in which functions got other names; renamed,\n"
      "those names by the linker's names of the functions; objects_added; bytes_before;\n"
      "bytes_after; libraries, which a program needs beside the archive; adds_policies, whether\n"
      "WINNOW_ADD has an effect; problem (null: the copy was made).\n",
      RunAdopt,
      {{"winnow adopt ARCHIVE -o COPY", "a copy for programs to be linked with"},
       {"winnow adopt ARCHIVE --output=COPY --json", "the same for programs"}}};
}

}  // namespace winnow::tools
