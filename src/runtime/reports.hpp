// What a runtime tells about itself: statistics, dumps, and tasks that hold a worker too long.
//
// Who may call what: any thread; `report_long_tasks` the watchdog's.
#pragma once

#include <filch/runtime/runtime.hpp>

#include <filch/runtime/statistics.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace filch::inline v0 {

[[nodiscard]] filch::statistics statistics_of(const runtime::core& of);
[[nodiscard]] std::string dump_of(const runtime::core& of);
// Reports each task once. `reported` has the last one of each worker.
void report_long_tasks(const runtime::core& of, std::vector<std::uint64_t>& reported);
// Waits until everything has ended. Reports once if what is left waits while no worker has anything to do.
void wait_for_the_rest(runtime::core& of, bool is_late);

}  // namespace filch::inline v0
