// Prints the stand-ins' answers, one per line.

#include <dlfcn.h>

#include <cstdio>

#include "tests/preload/preload_standin.h"

namespace standin {

using rocksdb::ColumnFamilyHandle;
using rocksdb::DB;
using rocksdb::FilterPolicy;
using rocksdb::Status;

std::string Answer(const FilterPolicy* policy) {
  if (policy == nullptr) {
    return "nobody";
  }
  if (policy->no_functions == nullptr) {
    return policy->answer;
  }
  // Real policies have a vtable, whose address identifies the library.
  Dl_info known{};
  std::string path = ::dladdr(policy->no_functions, &known) != 0 ? known.dli_fname : "unknown";
  path.erase(0, path.rfind('/') + 1);
  return path.compare(0, 9, "libwinnow") == 0 ? "winnow" : path;
}

std::string Answer(const Status& status) {
  return status.answer + " " + std::to_string(status.code) +
         (status.self == &status ? "" : " moved");
}

void Say(const std::string& caller, const std::string& how, const std::string& answer) {
  std::printf("%s %s: %s\n", caller.c_str(), how.c_str(), answer.c_str());
}

void AskDatabase(const std::string& caller, DB* db) {
  ColumnFamilyHandle family{21};
  const rocksdb::ColumnFamilyOptions options{22};
  const rocksdb::ImportColumnFamilyOptions import{23};
  const rocksdb::ExportImportFilesMetaData files{24};
  ColumnFamilyHandle* handle = nullptr;
  rocksdb::Handles handles;
  const std::string how = "database";
  Say(caller, how, Answer(db->SetOptions(&family, {{"key", "value"}})));
  Say(caller, how, Answer(db->CreateColumnFamily(options, "family", &handle)));
  Say(caller, how, Answer(db->CreateColumnFamilies(options, {"one", "two"}, &handles)));
  Say(caller, how, Answer(db->CreateColumnFamilies({{25}, {26}}, &handles)));
  Say(caller, how,
      Answer(db->CreateColumnFamilyWithImport(options, "family", import, files, &handle)));
  Say(caller, how,
      Answer(
          db->CreateColumnFamilyWithImport(options, "family", import, {&files, &files}, &handle)));
}

}  // namespace standin
