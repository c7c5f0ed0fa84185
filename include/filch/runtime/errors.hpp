// The errors of the runtime. Each says what was done, why it cannot work, and what to do instead.
#pragma once

#include <filch/share/stack_exhausted.hpp>

#include <stdexcept>
#include <string>

namespace filch::inline v0 {

// A runtime was used in a way that could only hang or crash: after its shutdown, in a forked child, from the wrong
// thread.
class usage_error : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// The task whose result was wanted was cancelled. Also thrown inside a task, where it waits, when a stop is requested.
class task_cancelled : public std::runtime_error {
 public:
  task_cancelled() : std::runtime_error("filch: the task was cancelled") {}
};

// A future without a task: default-constructed, moved from, or its result was taken already.
class no_state : public std::logic_error {
 public:
  no_state()
      : std::logic_error(
            "filch: this future has no task: it was default-constructed, moved from, or its "
            "result was already taken") {}
};

// The injector is bounded and full, and the caller does not want to wait.
class injector_full : public std::runtime_error {
 public:
  injector_full() : std::runtime_error("filch: the injector is full (options::injector_bound)") {}
};

}  // namespace filch::inline v0
