// Many independent runs at once, on filch itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <filch/runtime/runtime.hpp>
#include <vector>

#include "../progress.hpp"

namespace filch::tool {

// Calls run(i) for every i below `count`, on all CPUs that this process may use, and returns when all are done. The
// order is not fixed, so each call writes to a place of its own. Shows its progress on a terminal. Rethrows the
// exception of the lowest i that threw.
template <class Run>
void in_parallel(std::uint64_t count, const Run& run) {
  std::atomic<std::uint64_t> done{0};
  const progress shown{count, done, "run"};
  runtime on;
  std::vector<future<void>> all;
  all.reserve(count);
  for (std::uint64_t i = 0; i != count; ++i) {
    all.push_back(on.submit([&run, &done, i] {
      run(i);
      done.fetch_add(1, std::memory_order_relaxed);  // statistic
    }));
  }
  on.wait_idle();
  for (auto& each : all) each.get();
}

}  // namespace filch::tool
