// A thread that is no worker takes part while it joins.
//
// It runs the outermost join itself, as a plain call, and its forks are latent as those of a worker. So a small
// computation never leaves the thread; workers are woken only when it has gone on for a while (see the lookout in
// docs/architecture/fork.md). What a worker has taken is waited for on the thread itself: after the join the code is on
// the thread where it began.
#pragma once

namespace filch::inline v0 {

struct guest_seat;

namespace detail {

// What is known of the work that a thread from outside is about to do.
enum class outside_work : bool {
  unknown,   // the guest is asked when it has gone on for a while
  worth_it,  // it is worth a wake-up: the guest is asked at once if a worker has nothing to do
};

// Any thread without a latent stack. While it lives, the thread has one, if there was a seat for it, or if there is no
// runtime because the system has no thread for it: then the thread does everything itself.
class guest_visit {
 public:
  explicit guest_visit(outside_work how);
  guest_visit(const guest_visit&) = delete;
  guest_visit& operator=(const guest_visit&) = delete;
  ~guest_visit();

  [[nodiscard]] bool has_begun() const { return seat_ != nullptr || is_alone_; }

 private:
  guest_seat* seat_;
  bool is_alone_ = false;
};

}  // namespace detail
}  // namespace filch::inline v0
