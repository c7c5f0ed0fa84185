// A thread that is no worker takes part while it joins.
//
// It runs the outermost join itself, as a plain call, and its forks are latent as those of a worker. So a small
// computation never leaves the thread; workers are woken only when it has run for a while (see the monitor thread in
// docs/architecture/fork.md). The thread itself waits for what a worker has taken: after the join the code is on the
// thread where it began.
#pragma once

namespace filch::inline v0 {

struct external_slot;

namespace detail {

// What is known of the work that a thread from outside is about to do.
enum class outside_work : bool {
  unknown,   // the external thread gets a request when it has run for a while
  worth_it,  // it is worth a wake-up: the external thread gets a request at once if a worker has no work
};

// Any thread without a latent stack. While it lives, the thread has one, if there was a slot for it, or if there is no
// runtime because the system has no thread for it: then the thread does everything itself.
class external_section {
 public:
  explicit external_section(outside_work how);
  external_section(const external_section&) = delete;
  external_section& operator=(const external_section&) = delete;
  ~external_section();

  [[nodiscard]] bool has_begun() const { return slot_ != nullptr || is_alone_; }

 private:
  external_slot* slot_;
  bool is_alone_ = false;
};

}  // namespace detail
}  // namespace filch::inline v0
