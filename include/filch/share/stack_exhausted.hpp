// The error of joins, scopes and algorithms that are nested too deep.
#pragma once

#include <stdexcept>
#include <string>

namespace filch::inline v0 {

// Too little is left of the stack for another join, scope or algorithm, or on a worker for a wait that may run others
// on it (future::get, run, wait). Thrown by these, before the end of the stack is reached.
class stack_exhausted : public std::runtime_error {
 public:
  explicit stack_exhausted(const std::string& advice)
      : std::runtime_error("filch: joins, scopes, algorithms or waits are nested too deep for their stack: " + advice) {
  }
};

}  // namespace filch::inline v0
