// Numbers as people read them.
#pragma once

#include <cstdint>
#include <filch/base/units.hpp>
#include <string>
#include <string_view>

namespace filch::analysis {

// "80 ns", "1.24 ms": three digits and the unit that fits.
[[nodiscard]] std::string time_text(time_ns ns);
// "62 %"; "0.3 %" below one.
[[nodiscard]] std::string percent_text(double share);
// "3.1", "310"
[[nodiscard]] std::string number_text(double value);
// "1 task", "3 tasks"
[[nodiscard]] std::string count_text(std::uint64_t count, std::string_view noun);

}  // namespace filch::analysis
