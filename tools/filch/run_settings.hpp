// The options of `filch run`: from the text of the command line to a runtime's options.
#pragma once

#include <array>
#include <filch/policy/names.hpp>
#include <filch/runtime/options.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "workload.hpp"

// The names of the runtime's own choices, in the form in which the policies have theirs.
template <>
struct filch::policy::names<filch::deques> {
  static constexpr std::string_view option = "deques";
  static constexpr std::array<std::string_view, 2> all{"lock_free", "locked"};
};
template <>
struct filch::policy::names<filch::pinning> {
  static constexpr std::string_view option = "pin";
  static constexpr std::array<std::string_view, 4> all{"none", "apart", "spread", "compact"};
};

namespace filch::tool {

// As they were typed.
struct run_arguments {
  std::optional<std::string> workload{};
  std::optional<std::string> workers{};
  std::optional<std::string> victims{};
  std::optional<std::string> steal{};
  std::optional<std::string> order{};
  std::optional<std::string> idle{};
  std::optional<std::string> wake{};
  std::optional<std::string> placement{};
  std::optional<std::string> deques{};
  std::optional<std::string> pin{};
  std::optional<std::string> seed{};
  std::optional<std::string> repeat{};
  std::optional<std::string> time_scale{};
  std::optional<std::string> size{};
  std::optional<std::string> tree{};
  std::optional<std::string> join{};
  std::optional<std::string> trace_file{};
  std::optional<std::string> report_file{};
  bool round_robin = false;
  bool log = false;
  bool gantt = false;
  bool json = false;
};

inline constexpr double k_default_time_scale = 0.01;
inline constexpr std::uint64_t k_default_seed = 1;

// The same, as values.
struct run_settings {
  const workload* what = nullptr;
  filch::options runtime;
  bool placement_is_given = false;
  std::optional<filch::deques> given_deques{};
  std::uint32_t repeat = 1;
  double time_scale = k_default_time_scale;
  std::uint64_t size = 0;  // 0: the workload has none, or its own
  std::string tree{};
};

// Throws bad_usage that names the option, the value and what is allowed.
[[nodiscard]] run_settings resolve(const run_arguments& given);

// Sets the runtime's part, workers, seed and policies, in `into.runtime`.
void read_runtime(const run_arguments& given, run_settings& into);

// "victims=random steal=one …", the deques and the pinning, on one line.
[[nodiscard]] std::string describe(const filch::options& of);

}  // namespace filch::tool
