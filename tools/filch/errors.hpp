// The ways in which the command ends without success. main() prints the text and returns the exit code.
#pragma once

#include <stdexcept>

namespace filch::tool {

inline constexpr int k_exit_ok = 0;
inline constexpr int k_exit_failure = 1;
inline constexpr int k_exit_usage = 2;
inline constexpr int k_exit_deadlock = 3;
inline constexpr int k_exit_cut_off = 4;

// The command line is wrong; the text names the option, the value and what is allowed.
class bad_usage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The command failed: a file, a thread, or a check of the results.
class failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A run got stuck; the text says which task waits for which.
class deadlock : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A simulated run came to a limit before its tasks ended; the text names the limit.
class cut_off : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A program that the command has run ended with this code, which becomes the command's own. All messages were printed.
struct program_ended {
  int code;
};

}  // namespace filch::tool
