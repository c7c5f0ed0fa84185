// Whether an emulator of one process runs the tests (qemu-user), which keeps no limits of the address space, installs
// no filters of system calls, and takes memory for each page of a mapping that nobody touches.
#pragma once

namespace filch_test {

#ifdef FILCH_TEST_EMULATED
inline constexpr bool is_emulated = true;
#else
inline constexpr bool is_emulated = false;
#endif

}  // namespace filch_test
