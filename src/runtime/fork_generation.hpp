// Copies of the process: in the child of fork() the threads of a runtime do not exist.
//
// Who may call what: any thread.
#pragma once

#include <cstdint>

namespace filch::inline v0 {

// Counts the calls of fork() between the process in which this was first called and this one.
[[nodiscard]] std::uint32_t fork_generation();

}  // namespace filch::inline v0
