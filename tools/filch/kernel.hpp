// Workloads that are kernels: real computations of tools/kernels, run by joins on the runtime, and compared with their
// serial code.
//
// Tasks here are the first one and every stolen fork. Work is the CPU time of the serial code, so that the speed-up is
// over serial code.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "workload.hpp"

namespace filch::tool {

struct kernel {
  std::string title;                        // "fib(35)"
  std::function<std::uint64_t()> serial;    // both return the same number
  std::function<std::uint64_t()> parallel;  // called on a worker
  std::function<std::uint64_t()>
      result{};                     // not empty: what to compare after either, not in the time; else what they return
  std::function<void()> prepare{};  // before either, not in the time
  std::optional<std::uint64_t> known{};  // published result
};

// As many workers as this process may use CPUs.
void use_all_cpus(filch::options& of);

// The kernel of that workload; `size` as --size, `tree` as --tree. Throws `failure` when there is none of that name.
[[nodiscard]] kernel make_kernel(std::string_view name, std::uint64_t size, const std::string& tree = {});

// Runs both versions, reports, and throws `failure` when their results differ.
std::vector<measurement> run_kernel(context& in, std::string_view name, const kernel& what);

}  // namespace filch::tool
