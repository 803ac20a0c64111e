// Description of the machine that a figure was measured on.

#ifndef WINNOW_SRC_TEXT_MACHINE_H_
#define WINNOW_SRC_TEXT_MACHINE_H_

#include <cstdint>
#include <string>

namespace winnow::inspect {

struct Machine {
  std::string processor;  // "unknown" if the system does not tell
  unsigned threads = 0;   // hardware threads
  uint64_t memory_bytes = 0;
  std::string system;  // "Linux 6.1.0 x86_64"
};

Machine ThisMachine();

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_MACHINE_H_
