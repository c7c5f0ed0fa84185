#include "stack_pool.hpp"

#include <algorithm>
#include <new>

namespace filch::inline v0 {

pooled_stack& stack_pool::get() {
  const std::lock_guard lock{mutex_};
  if (!unused_.empty()) {
    pooled_stack* const chosen = unused_.back();
    unused_.pop_back();
    return *chosen;
  }
  unused_.reserve(all_.size() + 1);
  all_.reserve(all_.size() + 1);
  while (true) {
    try {
      return *all_.emplace_back(std::make_unique<pooled_stack>(stack_bytes_, header_));
    } catch (const std::bad_alloc&) {
      if (stack_bytes_ <= k_least_bytes) throw;
      stack_bytes_ = std::max(stack_bytes_ / 2, k_least_bytes);  // the address space is limited
    }
  }
}

void stack_pool::put(pooled_stack& unused) noexcept {
  const std::lock_guard lock{mutex_};
  if (unused_.size() >= warm_) unused.body.discard();
  unused_.push_back(&unused);
}

std::size_t stack_pool::made() const {
  const std::lock_guard lock{mutex_};
  return all_.size();
}

stack_pool::suspension::suspension(stack_pool& of) noexcept : pool_{of} {
  const std::size_t now = of.suspended_.fetch_add(1, std::memory_order_relaxed) + 1;  // statistic
  std::size_t most = of.suspended_max();
  while (most < now && !of.suspended_max_.compare_exchange(most, now, std::memory_order_relaxed,  // statistic
                                                           std::memory_order_relaxed)) {}
}

stack_pool::suspension::~suspension() { pool_.suspended_.fetch_sub(1, std::memory_order_relaxed); }  // statistic

}  // namespace filch::inline v0
