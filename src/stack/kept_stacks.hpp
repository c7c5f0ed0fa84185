// The unused stacks that one thread keeps at hand.
//
// Who may call what: that thread.
#pragma once

#include "stack_pool.hpp"

#include <cstddef>

namespace filch::inline v0 {

// A thread that suspends a stack, or ends one, mostly needs no lock for it. They keep their pages. A thread without
// work gives them back: so there are at most `k_most` for each that has some.
class kept_stacks {
 public:
  static constexpr std::size_t k_most = 2;  // guess: a thread mostly suspends and ends in turn

  explicit kept_stacks(stack_pool& from) : pool_{from} {}
  kept_stacks(const kept_stacks&) = delete;
  kept_stacks& operator=(const kept_stacks&) = delete;
  ~kept_stacks() { give_back(); }

  // The last that was put, else one of the pool. Throws std::bad_alloc.
  [[nodiscard]] pooled_stack& get() { return count_ != 0 ? *kept_[--count_] : pool_.get(); }
  // To the pool if there are enough.
  void put(pooled_stack& unused) noexcept {
    if (count_ == k_most) return pool_.put(unused);
    kept_[count_++] = &unused;
  }
  // All to the pool.
  void give_back() noexcept {
    while (count_ != 0) pool_.put(*kept_[--count_]);
  }

 private:
  stack_pool& pool_;
  pooled_stack* kept_[k_most] = {};
  std::size_t count_ = 0;
};

}  // namespace filch::inline v0
