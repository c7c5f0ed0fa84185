// A scenario is one small concurrent program over a kernel, with its oracle, and how to explore it.
//
// Each kernel's model is a program of its own that holds a list of scenarios. It is used in three ways:
//   <kernel>_model                    a GoogleTest program: every scenario must come out as it says
//   <kernel>_model --catch KINDS      for mutants: some scenario must come out otherwise, in one of these ways (a comma
//                                     list of assertion, race, use_after_free, deadlock, livelock, leak, user, or
//                                     `unexpected_success` for a failure that should have come and did not)
//   FILCH_CHECK_WEAKEN=… <kernel>_model --survey      for weakened orders: prints the first scenario that comes out
//                                     otherwise, or how many operations were weakened for nothing
#pragma once

#include "check/atomics.hpp"
#include "check/check.hpp"

#include <functional>
#include <string>
#include <vector>

namespace filch::check {

struct scenario {
  std::string name;
  options how;
  std::function<void(context&)> body;
  failure expected = failure::none;  // a scenario that shows that a wrong use is refused expects a failure
};

// The scenarios of this program; defined once by each kernel's model.
[[nodiscard]] std::vector<scenario> all_scenarios();

#ifdef FILCH_MODEL_DEEP
inline constexpr bool k_deep = true;
#else
inline constexpr bool k_deep = false;
#endif

// FILCH_CHECK_EXECUTIONS, or what is given.
[[nodiscard]] std::uint64_t most_executions(std::uint64_t otherwise);

// How to explore, by what CI has time for and what the deep preset has.
[[nodiscard]] inline options bounded(unsigned preemptions, unsigned deep_preemptions) {
  return {.mode = exhaustive{.preemptions = k_deep ? deep_preemptions : preemptions,
                             .max_executions = most_executions(k_deep ? 50'000'000u : 400'000u)}};
}
[[nodiscard]] inline options sampled(std::uint64_t iterations, std::uint64_t deep_iterations) {
  return {.mode = random{.seed = 20261, .iterations = k_deep ? deep_iterations : iterations}};
}

}  // namespace filch::check
