#include <filch/runtime/options.hpp>

#include <filch/park/idle.hpp>
#include <filch/trace/schema.hpp>

#include <unistd.h>

#include <stdexcept>

namespace filch::inline v0 {
namespace {

// The kernel keeps 15 characters of a thread's name; a dash and five digits are ours.
constexpr std::size_t k_max_name = 9;
constexpr std::uint32_t k_max_spare = 65'535;
constexpr time_ns k_max_watchdog_ns = 86'400 * k_ns_per_s;
constexpr std::size_t k_min_stack = std::size_t{64} << 10;
constexpr std::size_t k_max_stack = std::size_t{1} << 40;
constexpr std::uint64_t k_max_bound = std::uint64_t{1} << 62;

}  // namespace

policy::search_options options::search() const {
  return {.victims = victims,
          .steal = steal,
          .order = order,
          .idle = idle,
          .wake = wake,
          .placement = placement,
          .fairness_interval = fairness_interval,
          .starvation_interval = starvation_interval,
          .retry_lost = retry_lost};
}

void require_valid(const options& given, std::uint32_t workers) {
  std::vector<policy::problem> problems;
  const auto refuse = [&](const char* field, std::string value, std::string allowed) {
    problems.push_back({field, std::move(value), std::move(allowed)});
  };
  if (workers < 1 || workers > trace::k_max_workers) {
    refuse("workers", std::to_string(workers), "1 to 65535, or leave it out for as many as there are usable CPUs");
  } else {
    problems = policy::validate(given.search(), workers);
  }
  for (policy::problem& each : policy::validate(given.demand)) problems.push_back(std::move(each));
  if (given.demand.searchers != 1) {
    refuse("demand.searchers", std::to_string(given.demand.searchers),
           "1: threads wake a sleeper only while no worker searches; simulated workers can do otherwise");
  }
  if (given.name.empty() || given.name.size() > k_max_name) {
    refuse("name", "\"" + given.name + "\"", "1 to 9 characters: it is part of the threads' names");
  }
  if (given.injector_bound && (*given.injector_bound < 1 || *given.injector_bound > k_max_bound)) {
    refuse("injector_bound", std::to_string(*given.injector_bound), "1 to 2^62, or leave it out for no bound");
  }
  if (given.max_spare_threads > k_max_spare) {
    refuse("max_spare_threads", std::to_string(given.max_spare_threads), "0 to 65535");
  }
  if (given.watchdog_ns && (*given.watchdog_ns < k_ns_per_ms || *given.watchdog_ns > k_max_watchdog_ns)) {
    refuse("watchdog_ns", std::to_string(*given.watchdog_ns), "1000000 (a millisecond) to 86400000000000 (a day)");
  }
  const auto least_stack = static_cast<std::size_t>(::sysconf(_SC_THREAD_STACK_MIN));
  if (given.thread_stack_bytes != 0 && given.thread_stack_bytes < least_stack) {
    refuse("thread_stack_bytes", std::to_string(given.thread_stack_bytes),
           "0 for the system's default, or " + std::to_string(least_stack) + " or more");
  }
  if (given.stack_bytes < k_min_stack || given.stack_bytes > k_max_stack) {
    refuse("stack_bytes", std::to_string(given.stack_bytes), "65536 (64 KiB) to 1099511627776 (1 TiB)");
  }
  if (given.deques > deques::locked) {
    refuse("deques", std::to_string(static_cast<unsigned>(given.deques)), "one of lock_free locked");
  }
  if (given.pinning > pinning::compact) {
    refuse("pinning", std::to_string(static_cast<unsigned>(given.pinning)), "one of none apart spread compact");
  }
  if (given.trace != nullptr && given.trace->workers() < workers) {
    refuse("trace", "a session for " + std::to_string(given.trace->workers()) + " workers",
           "a session for at least " + std::to_string(workers) + " workers, as many as the runtime has");
  }
  if (given.injector_bound && given.placement != policy::placement::injector) {
    refuse("injector_bound", std::to_string(*given.injector_bound),
           "only together with placement = injector: with another placement nothing goes through the injector");
  }
  if (given.pinning > pinning::apart && given.machine) {
    refuse("pinning", given.pinning == pinning::spread ? "spread" : "compact",
           "none or apart when `machine` is given: threads can be pinned only on this machine");
  }
  if (problems.empty()) return;
  std::string text = "filch::options cannot be used:";
  for (const policy::problem& each : problems) text.append("\n  ").append(policy::to_string(each));
  throw std::invalid_argument(text);
}

}  // namespace filch::inline v0
