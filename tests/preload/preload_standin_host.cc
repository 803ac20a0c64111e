// Program that opens plugins, with or without a RocksDB or a stand-in for one.
//
//   HOST WHAT…
//
//   open:PLUGIN:HOW:HOW…  opens preload_standin_PLUGIN.so in the program's folder by dlopen; HOW:
//                         now (else lazily), global (else local), deepbind
//   policies:PLUGIN       makes PLUGIN, or the program if there is none, request policies
//   all:PLUGIN            makes it call all functions that the interposer replaces
//   direct:PLUGIN         calls functions that leave no frame of the plugin on the stack
//   database:PLUGIN       makes it open a database, and calls the database's functions
//   threads:PLUGIN:…      makes each of them request policies in several concurrent threads
//   close:PLUGIN          closes it, and prints whether it was unloaded
//   probe                 looks for a RocksDB by dlsym, and calls it
//   weak                  looks for a RocksDB by a weak reference
//   maps                  lists the loaded files that are RocksDB's or Winnow's plugin
//   run:HOST              runs another program with the remaining arguments by fork and exec
//
// Output lines: WHO HOW: ANSWERER …

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/preload/preload_standin.h"

namespace {

using MakeBloom = const rocksdb::FilterPolicy*(double, bool);

[[noreturn]] void Fail(const std::string& why) {
  std::fprintf(stderr, "preload_standin_host: %s\n", why.c_str());
  std::exit(3);
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char letter : text) {
    if (letter == ':') {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

std::string Beside(const std::string& program, const std::string& name) {
  return program.substr(0, program.rfind('/') + 1) + "preload_standin_" + name;
}

struct Opened {
  std::string path;
  void* handle = nullptr;
  const standin::Plugin* plugin = nullptr;
};

Opened Open(const std::string& path, const std::vector<std::string>& words) {
  const std::set<std::string> how(words.begin() + 2, words.end());
  Opened opened{path};
  opened.handle = ::dlopen(path.c_str(), (how.count("now") > 0 ? RTLD_NOW : RTLD_LAZY) |
                                             (how.count("global") > 0 ? RTLD_GLOBAL : RTLD_LOCAL) |
                                             (how.count("deepbind") > 0 ? RTLD_DEEPBIND : 0));
  if (opened.handle == nullptr) {
    Fail(::dlerror());
  }
  opened.plugin = static_cast<const standin::Plugin*>(::dlsym(opened.handle, "standin_plugin"));
  if (opened.plugin == nullptr) {
    Fail(::dlerror());
  }
  return opened;
}

void Close(const Opened& opened, const std::string& name) {
  ::dlclose(opened.handle);
  const bool is_there = ::dlopen(opened.path.c_str(), RTLD_LAZY | RTLD_NOLOAD) != nullptr;
  std::printf("%s closed: %s\n", name.c_str(), is_there ? "there" : "gone");
}

void Ask(const std::string& how, MakeBloom* make) {
  standin::Say("host", how, standin::Answer(make != nullptr ? make(9.9, true) : nullptr));
}

void SayMaps() {
  std::set<std::string> names;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::string name = line.substr(line.rfind('/') + 1);
    if (name.compare(0, 10, "librocksdb") == 0 || name.compare(0, 17, "libwinnow_rocksdb") == 0) {
      names.insert(name);
    }
  }
  std::printf("maps:");
  for (const std::string& name : names) {
    std::printf(" %s", name.c_str());
  }
  std::printf("\n");
}

// One thread's first call may run during another thread's second call.
void AskInThreads(const std::vector<std::string>& names,
                  const std::map<std::string, Opened>& plugins) {
  constexpr int kThreadsOfEach = 3;
  constexpr int kTimes = 300;
  std::vector<std::pair<std::string, std::set<std::string>>> all;
  for (int i = 0; i < kThreadsOfEach; ++i) {
    for (const std::string& name : names) {
      all.emplace_back(name, std::set<std::string>());
    }
  }
  std::vector<std::thread> threads;
  threads.reserve(all.size());
  for (auto& [name, answers] : all) {
    threads.emplace_back([asked = plugins.at(name).plugin, seen = &answers] {
      for (int i = 0; i < kTimes; ++i) {
        seen->insert(standin::Answer(asked->ask(9.9, true)));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const auto& [name, answers] : all) {
    for (const std::string& answer : answers) {
      standin::Say(name, "threads", answer);
    }
  }
}

// Runs another program with the remaining arguments.
void Run(std::string path, char** arguments) {
  *arguments = path.data();
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execv(*arguments, arguments);
    ::_exit(4);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::printf("child: %d\n", status);
}

}  // namespace

int main(int, char** arguments) {
  const std::string program = *arguments;
  std::map<std::string, Opened> plugins;
  while (*++arguments != nullptr) {
    const std::vector<std::string> words = Split(*arguments);
    const std::string& what = words[0];
    const std::string name = words.size() > 1 ? words[1] : "";
    if (what == "open") {
      plugins[name] = Open(Beside(program, name + ".so"), words);
    } else if (what == "threads") {
      AskInThreads({words.begin() + 1, words.end()}, plugins);
    } else if (what == "probe") {
      Ask("dlsym", reinterpret_cast<MakeBloom*>(
                       ::dlsym(RTLD_DEFAULT, "_ZN7rocksdb20NewBloomFilterPolicyEdb")));
#if STANDIN_WEAK
    } else if (what == "weak") {
      Ask("weak", &rocksdb::NewBloomFilterPolicy);
#endif
    } else if (what == "maps") {
      SayMaps();
    } else if (what == "run") {
      Run(Beside(program, name), arguments);
      break;
#if STANDIN_CALLS
    } else if (what == "policies" && name.empty()) {
      standin::AskForPolicies();
    } else if (what == "all" && name.empty()) {
      standin::AskForAll();
#endif
    } else if (plugins.count(name) == 0) {
      Fail("no plugin is open for " + std::string(*arguments));
    } else if (what == "policies") {
      plugins[name].plugin->ask_for_policies();
    } else if (what == "all") {
      plugins[name].plugin->ask_for_all();
    } else if (what == "direct") {
      Ask("jump", plugins[name].plugin->jump);
      Ask("address", plugins[name].plugin->address);
    } else if (what == "database") {
      standin::AskDatabase("host", plugins[name].plugin->open());
    } else if (what == "close") {
      Close(plugins[name], name);
      plugins.erase(name);
    } else {
      Fail("unknown: " + std::string(*arguments));
    }
  }
  std::printf("done\n");
}
