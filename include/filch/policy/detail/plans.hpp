// The constant tables that a search walks through: its own phase as a list of codes, and the orders of bands.
//
// A code is an own step or a stage. Every plan starts with an own step and ends in a stage.
#pragma once

#include <filch/policy/names.hpp>
#include <filch/policy/step.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace filch::inline v0::policy::detail {

// Below k_first_stage: an own step, kind + 256·band, which is how the first two bytes of a step lie in a register.
enum class code : std::uint16_t {
  k_first_stage = 0x1000,
  choose = k_first_stage,  // begin() was called: choose a plan
  first_sweep,             // the own phase is over: the idle bound starts, then as sweep
  sweep,                   // start visiting victims
  visit,                   // visiting victims
  again,                   // a wait or a park is over: start the next cycle
  parked,
};

[[nodiscard]] constexpr bool is_own_step(code c) { return c < code::k_first_stage; }

[[nodiscard]] constexpr code own_code(step_kind kind, priority band) {
  return static_cast<code>(static_cast<unsigned>(kind) + 256 * static_cast<unsigned>(band));
}

[[nodiscard]] constexpr step own_step(code c) {
  const auto packed = static_cast<unsigned>(c);
  return step{.kind = static_cast<step_kind>(packed & 255), .band = static_cast<priority>(packed >> 8)};
}

// Stages as places that a cursor can point to.
inline constexpr std::array<code, 4> k_stages{code::choose, code::visit, code::again, code::parked};
struct stage {
  static constexpr const code* begin = k_stages.data();
  static constexpr const code* visit = k_stages.data() + 1;
  static constexpr const code* again = k_stages.data() + 2;
  static constexpr const code* parked = k_stages.data() + 3;
};

// In which order a search looks at the bands. Two orders lift a lower band, so that a flood in one cannot starve the
// other.
enum class band_order : std::uint8_t { normal_only, strict, low_first, normal_first };

// The band orders in one row, each with an end mark. A place in it says both which band and what comes after it.
inline constexpr std::uint8_t k_band_end = 0xff;
inline constexpr std::array<std::uint8_t, 16> k_band_orders{1, k_band_end, k_band_end, k_band_end,   // normal_only
                                                            0, 1,          2,          k_band_end,   // strict
                                                            2, 1,          0,          k_band_end,   // low_first
                                                            1, 2,          0,          k_band_end};  // normal_first
inline constexpr std::uint8_t k_no_band = 0xff;

[[nodiscard]] constexpr std::uint8_t first_band(band_order order) {
  return static_cast<std::uint8_t>(4 * static_cast<unsigned>(order));
}
[[nodiscard]] constexpr std::uint8_t next_band(std::uint8_t place) {
  const auto next = static_cast<std::uint8_t>(place + 1);
  return k_band_orders[next] == k_band_end ? k_no_band : next;
}
[[nodiscard]] constexpr priority band_at(std::uint8_t place) { return static_cast<priority>(k_band_orders[place]); }

// How a search that began with `order` goes on: bands may have come into use meanwhile.
[[nodiscard]] constexpr band_order refresh(band_order order, bool bands_in_use) {
  if (!bands_in_use) return band_order::normal_only;
  return order == band_order::normal_only ? band_order::strict : order;
}

// In which order a search looks at its sources inside each band.
enum class sources : std::uint8_t {
  usual,    // inbox, local, injector
  flipped,  // injector, local, inbox
  again,    // inbox, injector: the own queue is empty in every cycle after the first
};

using plan_codes = std::array<code, 3 * k_priorities + 1>;

[[nodiscard]] constexpr plan_codes make_plan(band_order order, sources from) {
  constexpr std::array<std::array<step_kind, 3>, 3> k_kinds{
      std::array{step_kind::inbox, step_kind::local, step_kind::injector},
      std::array{step_kind::injector, step_kind::local, step_kind::inbox},
      std::array{step_kind::inbox, step_kind::injector, step_kind::injector},
  };
  const std::size_t kinds = from == sources::again ? 2 : 3;
  plan_codes codes{};
  std::size_t size = 0;
  for (std::uint8_t place = first_band(order); place != k_no_band; place = next_band(place)) {
    for (std::size_t i = 0; i != kinds; ++i) {
      codes[size++] = own_code(k_kinds[static_cast<std::size_t>(from)][i], band_at(place));
    }
  }
  codes[size] = from == sources::again ? code::sweep : code::first_sweep;
  return codes;
}

inline constexpr auto k_plans = [] {
  std::array<std::array<plan_codes, 3>, 4> plans{};
  for (std::size_t order = 0; order != plans.size(); ++order) {
    for (std::size_t from = 0; from != plans[order].size(); ++from) {
      plans[order][from] = make_plan(static_cast<band_order>(order), static_cast<sources>(from));
    }
  }
  return plans;
}();

[[nodiscard]] constexpr const code* plan(band_order order, sources from) {
  return k_plans[static_cast<std::size_t>(order)][static_cast<std::size_t>(from)].data();
}

}  // namespace filch::inline v0::policy::detail
