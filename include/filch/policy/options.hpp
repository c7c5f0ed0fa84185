// Everything that can be chosen about scheduling, its validation and its one-line description.
#pragma once

#include <filch/policy/idle.hpp>
#include <filch/policy/names.hpp>
#include <filch/policy/placement.hpp>
#include <filch/policy/steal.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace filch::inline v0::policy {

struct search_options {
  policy::victims victims = policy::victims::random;
  policy::steal steal = policy::steal::one;
  policy::order order = policy::order::lifo;
  policy::idle idle = policy::idle::balanced;
  policy::wake wake = policy::wake::recent;
  policy::placement placement = policy::placement::injector;

  // Every so many tasks a worker looks at the injector before its own queues. 61: the prime that Go and tokio use.
  std::uint32_t fairness_interval = 61;

  // While bands are in use, every so many tasks a worker looks at a lower band before the high one. 0: never, high
  // priority is strict. 16 is a guess.
  std::uint32_t starvation_interval = 16;

  // A thief that lost a race for a task tries the same victim once more.
  bool retry_lost = true;

  friend constexpr bool operator==(const search_options&, const search_options&) = default;
};

// One reason why options cannot be used.
struct problem {
  std::string field;    // "idle.factor"
  std::string value;    // "0.5"
  std::string allowed;  // "a number from 1 on"

  friend bool operator==(const problem&, const problem&) = default;
};

// `idle.factor = 0.5: allowed is a number from 1 on`
[[nodiscard]] std::string to_string(const problem& what);

// All problems of these options with so many workers, in the order of the fields; empty when there are none.
[[nodiscard]] std::vector<problem> validate(const search_options& options, std::uint32_t workers);

// Throws std::invalid_argument with all problems, one per line, unless there are none.
void require_valid(const search_options& options, std::uint32_t workers);

// `victims=random steal=one order=lifo idle=balanced wake=recent placement=injector fairness=61 starvation=16
// retry_lost=yes`, on one line.
[[nodiscard]] std::string describe(const search_options& options);

}  // namespace filch::inline v0::policy
