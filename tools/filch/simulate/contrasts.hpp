// What a scenario is there to show: the same work with one thing changed.
#pragma once

#include <scenario.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "figures.hpp"

namespace filch::tool {

struct variant {
  std::string_view name;
  void (*change)(scenario::document&);
};

struct contrast {
  std::string_view scenario;
  std::string_view option;  // the option that chooses among the variants; empty: there is none
  std::vector<variant> variants;
  std::vector<figure> columns;
  std::string_view lesson;  // one sentence: what to see
};

// Of that scenario, or nullptr.
[[nodiscard]] const contrast* find_contrast(std::string_view scenario);

// Changes how tasks wait for their children. False: the scenario has no joins.
bool set_join(scenario::document& in, sim::join_mode how);

// Cuts the same work into tasks of this mean length. False: tasks of this kind cannot be cut.
bool set_grain(scenario::document& in, time_ns grain_ns);

}  // namespace filch::tool
