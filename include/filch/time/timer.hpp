// A timer that calls a function, as a base for other facilities.
//
// Who may call what: `start` a worker, once; `cancel` and the destructor one thread at a time. The function runs on a
// worker of the same runtime, between two tasks: it must be short and must not wait. The runtime must outlive the
// timer, but does not wait for it; after the deadline of a shutdown the function is no longer called.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/units.hpp>
#include <filch/time/detail/timer_node.hpp>

namespace filch::inline v0::time {

class timer {
 public:
  using function = void (*)(void* argument) noexcept;

  timer(function what, void* argument) noexcept : node_{what, argument} {}
  timer(const timer&) = delete;
  timer& operator=(const timer&) = delete;
  ~timer() { (void)cancel(); }

  void start(time_ns at_ns);

  // True: the function was not called, and will not be. False: it was called, and has returned.
  bool cancel() noexcept;

 private:
  struct node : timer_node {
    node(function called, void* with) noexcept;

    const function what;
    void* const argument;
    bool was_called = false;
    std_atomics::atomic<bool> is_over{false};  // only the owner touches the node from now on
  };

  node node_;
  void* shard_ = nullptr;  // null: the timer is not started, or over
};

}  // namespace filch::inline v0::time
