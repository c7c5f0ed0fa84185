// Jobs that only their owner sees, and a deque of those that it has shown to thieves, the oldest ones. What two designs
// are made of: they differ in when the owner shows jobs.
#pragma once

#include "workers.hpp"

#include <filch/queue/deque.hpp>

#include <array>
#include <cstddef>
#include <cstdlib>

namespace filch_bench::forks {

class private_jobs {
 public:
  static constexpr std::size_t k_capacity = 4096;

  // Owner. Returns how many there are.
  std::size_t add(job& child) {
    jobs_[next_] = &child;
    return ++next_;
  }
  // Owner: the newest one. False: a thief has it.
  [[nodiscard]] bool remove() {
    if (--next_ >= shown_) [[likely]]
      return true;
    return take_back();
  }
  // Owner: shows so many more of them, if there are.
  [[gnu::noinline, gnu::cold]] void show(std::size_t count) {
    if (next_ == k_capacity) std::abort();  // deeper than anything that is measured
    for (; count != 0 && shown_ != next_; --count) public_.owner().push(jobs_[shown_++]);
  }
  [[nodiscard]] std::size_t hidden() const { return next_ - shown_; }
  [[nodiscard]] bool is_full() const { return next_ == k_capacity; }

  // Any thread.
  [[nodiscard]] bool shows_some() const { return public_.size_hint() != 0; }
  // The other thread.
  [[nodiscard]] job* steal() {
    const auto got = public_.thief().steal();
    return got.is_taken() ? got.item : nullptr;
  }

 private:
  [[gnu::noinline, gnu::cold]] bool take_back() {
    shown_ = next_;
    return public_.owner().pop().has_value();
  }

  // Owner only.
  std::size_t next_ = 0;   // jobs_[0, next_) are forked and not joined
  std::size_t shown_ = 0;  // of them [0, shown_) are, or were, in the public deque
  std::array<job*, k_capacity> jobs_{};
  // Any thread.
  filch::queue::deque<job*> public_;
};

}  // namespace filch_bench::forks
