// The words that a search and its body speak: a step to carry out, and how it went.
#pragma once

#include <filch/base/ids.hpp>
#include <filch/base/units.hpp>
#include <filch/policy/names.hpp>

#include <cstdint>

namespace filch::inline v0::policy {

enum class step_kind : std::uint8_t {
  inbox,     // take one from the own inbox, band `band`
  local,     // take one from the own queue, band `band`
  injector,  // take one from the injector, band `band`
  victim,    // steal from `victim`, band `band`; how many: search::amount(size)
  wait,      // let `wait_ns` pass, or less if work is announced
  park,      // sleep until woken, after lingering for `wait_ns`
};

template <>
struct names<step_kind> {
  static constexpr std::string_view option = "step";
  static constexpr std::array<std::string_view, 6> all{"inbox", "local", "injector", "victim", "wait", "park"};
};

// 16 bytes: returned in two registers. Fields that the kind does not mention have their defaults.
struct step {
  step_kind kind = step_kind::park;
  priority band = priority::normal;
  worker_id victim = worker_id::none();
  time_ns wait_ns = 0;

  friend constexpr bool operator==(const step&, const step&) = default;
};

enum class outcome : std::uint8_t {
  found,  // there is a task to run
  empty,  // there was nothing
  lost,   // there was something, and another worker got it
};

template <>
struct names<outcome> {
  static constexpr std::string_view option = "outcome";
  static constexpr std::array<std::string_view, 3> all{"found", "empty", "lost"};
};

}  // namespace filch::inline v0::policy
