// A deque with a private and a public part. A fork is a store, and one comparison for two questions: "is there room?"
// and "does somebody ask?" Who asks lowers the limit; then half of what is private becomes public.
#pragma once

#include "private_jobs.hpp"

#include <atomic>
#include <cstddef>

namespace filch_bench::forks {

struct split {
  using company = no_company;

  void push(job& child) {
    // Statistic: a request that is seen late is answered late.
    if (jobs.add(child) > limit.load(std::memory_order_relaxed)) [[unlikely]]
      answer();
  }
  [[nodiscard]] bool pop() { return jobs.remove(); }
  [[nodiscard]] job* steal() {
    if (jobs.shows_some()) return jobs.steal();
    limit.store(0, std::memory_order_relaxed);  // statistic: as above; a request that is lost is made again
    return nullptr;
  }

  [[gnu::noinline, gnu::cold]] void answer() {
    jobs.show((jobs.hidden() + 1) / 2);
    limit.store(k_no_request, std::memory_order_relaxed);  // statistic
  }

  static constexpr std::size_t k_no_request = private_jobs::k_capacity - 1;

  std::atomic<std::size_t> limit{k_no_request};
  private_jobs jobs;
  split* other = nullptr;
};

}  // namespace filch_bench::forks
