// A timer that calls a function, for what is built upon timers.
//
// Who may call what: `start` a worker, once; `cancel` and the destructor one thread at a time. The function runs on a
// worker of the same runtime, between two tasks: it must be short and must not wait. The runtime must outlive the
// timer; it does not wait for it, and after the deadline of a shutdown the function is not called any more.
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
    std_atomics::atomic<bool> is_over{false};  // nobody but the owner touches the node any more
  };

  node node_;
  void* shard_ = nullptr;  // null: it is not started, or over
};

}  // namespace filch::inline v0::time
