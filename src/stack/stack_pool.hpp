// The stacks of one user, used and unused.
//
// Who may call what: any thread; what it got from get() is its own until it puts it back.
#pragma once

#include "pooled_stack.hpp"

#include <filch/base/atomics.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace filch::inline v0 {

// Stacks are made as they are needed and live as long as the pool: other threads may still look at the header of one
// that was put back.
class stack_pool {
 public:
  // Stacks of `stack_bytes` each, or of less where the address space is limited. Those that lie unused here beyond
  // `warm` give their pages back.
  stack_pool(std::size_t stack_bytes, std::size_t warm, const stack_header& header = {})
      : warm_{warm}, header_{header}, stack_bytes_{stack_bytes} {}

  // Throws std::bad_alloc.
  [[nodiscard]] pooled_stack& get();
  void put(pooled_stack& unused) noexcept;
  [[nodiscard]] std::size_t made() const;

  // A stack stands still while this lives, on that stack.
  class suspension {
   public:
    explicit suspension(stack_pool& of) noexcept;
    suspension(const suspension&) = delete;
    suspension& operator=(const suspension&) = delete;
    ~suspension();

   private:
    stack_pool& pool_;
  };
  // How many stand still now, and the greatest number at once.
  // statistic
  [[nodiscard]] std::size_t suspended() const { return suspended_.load(std::memory_order_relaxed); }
  // statistic
  [[nodiscard]] std::size_t suspended_max() const { return suspended_max_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t k_least_bytes = std::size_t{64} << 10;

  const std::size_t warm_;
  const stack_header header_;
  std_atomics::atomic<std::size_t> suspended_{0};
  std_atomics::atomic<std::size_t> suspended_max_{0};
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::size_t stack_bytes_;
  std::vector<std::unique_ptr<pooled_stack>> all_;
  std::vector<pooled_stack*> unused_;  // has room for all
};

}  // namespace filch::inline v0
