// What the exercises simulate.
#pragma once

#include <cstdint>
#include <filch/base/random.hpp>
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>

namespace filch::tool {

[[nodiscard]] constexpr time_ns seconds_ns(double seconds) {
  return static_cast<time_ns>(seconds * static_cast<double>(k_ns_per_s));
}
[[nodiscard]] constexpr double in_seconds(time_ns span_ns) {
  return static_cast<double>(span_ns) / static_cast<double>(k_ns_per_s);
}

// A length between the two, in seconds.
[[nodiscard]] inline time_ns uniform_ns(random_stream& random, double least_s, double most_s) {
  return seconds_ns(random.uniform(least_s, most_s));
}

// The lesson's scheduler: tasks go to random workers, thieves take one at a time from random victims. Workers without
// work sleep and are woken, instead of looking again every 0.1 s.
[[nodiscard]] inline policy::search_options lesson_policy() {
  return {.victims = policy::victims::random,
          .steal = policy::steal::one,
          .idle = policy::idle::eco,
          .placement = policy::placement::random};
}

// All at the beginning, where the placement says.
[[nodiscard]] inline sim::task_list uniform_tasks(std::uint32_t count, double least_s, double most_s,
                                                  std::uint64_t seed) {
  sim::task_list made;
  random_stream random{seed};
  for (std::uint32_t i = 0; i != count; ++i) made.add(uniform_ns(random, least_s, most_s));
  return made;
}

[[nodiscard]] inline double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace filch::tool
