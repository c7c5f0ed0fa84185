// What a run of work that is shared on request shows: how long each phase took, and what was shared.
#pragma once

#include <filch/sim/sharing_model.hpp>
#include <nlohmann/json_fwd.hpp>
#include <scenario.hpp>
#include <string>
#include <vector>

namespace filch::tool {

[[nodiscard]] bool is_shared(const scenario::document& what);

// Phases of one name behind one pause.
struct phase_figures {
  std::string name;
  time_ns pause_ns = 0;
  time_ns serial_ns = 0;  // what one worker takes that shares nothing
  double median_ns = 0;   // 0: none of them ended
  std::size_t ended = 0;

  [[nodiscard]] double speed_up() const { return median_ns == 0 ? 0 : static_cast<double>(serial_ns) / median_ns; }
};

// In the order of the scenario.
[[nodiscard]] std::vector<phase_figures> phase_figures_of(const scenario::document& what,
                                                          const sim::sharing_result& result);

// The shortest serial length with which all workers are half as fast as they could be, interpolated between the lengths
// that ran behind this pause; 0: none is as long.
[[nodiscard]] double half_efficiency_ns(const std::vector<phase_figures>& of, time_ns pause_ns, std::uint32_t workers);

// A row for each name, a column for each pause; and what was shared.
[[nodiscard]] std::string sharing_text(const scenario::document& what, const sim::sharing_result& result);
[[nodiscard]] nlohmann::ordered_json sharing_json(const scenario::document& what, const sim::sharing_result& result);

}  // namespace filch::tool
