// How much of its address space the process uses.
#pragma once

#include <cstdint>
#include <fstream>

#include <unistd.h>

namespace filch_test {

inline std::uint64_t address_space_bytes() {
  std::ifstream file{"/proc/self/statm"};
  std::uint64_t pages = 0;
  file >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace filch_test
