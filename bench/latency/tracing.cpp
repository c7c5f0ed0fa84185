// What tracing costs: fib with one task per call and no cut-off, without a session, with one that is stopped, and with
// one that records.
#include "program.hpp"

#include <filch/runtime/runtime.hpp>
#include <filch/trace/session.hpp>

#include <stdexcept>

namespace filch_bench {
namespace {

constexpr int k_repetitions = 7;
constexpr std::size_t k_ring_events = std::size_t{1} << 20;

enum class tracing { absent, stopped, recording };

std::uint64_t fib(filch::runtime& rt, std::uint64_t n) {
  if (n < 2) return n;
  auto other = rt.submit([&rt, n] { return fib(rt, n - 1); });
  const std::uint64_t mine = fib(rt, n - 2);
  return other.get() + mine;
}

// The tasks that fib(n) makes.
std::uint64_t task_count(std::uint64_t n) {
  std::uint64_t previous = 0;
  std::uint64_t count = 0;  // tasks(n) = 1 + tasks(n − 1) + tasks(n − 2)
  for (std::uint64_t i = 2; i <= n; ++i) previous = std::exchange(count, 1 + count + previous);
  return count;
}

metrics traced_fib(std::uint32_t workers, tracing how, std::uint64_t n) {
  if (n < 2 || n > 40) throw std::invalid_argument("fib " + std::to_string(n) + ": allowed is 2 to 40");
  filch::trace::session session{{.workers = workers, .ring_events = k_ring_events}};
  filch::runtime rt{{.workers = workers, .trace = how == tracing::absent ? nullptr : &session}};
  const std::uint64_t expected = rt.run([&] { return fib(rt, n); });
  std::uint64_t dropped = 0;
  const auto once = [&] {
    if (how == tracing::recording) session.start();
    if (rt.run([&] { return fib(rt, n); }) != expected) throw std::runtime_error("fib gave two results");
    session.stop();
  };
  metrics result = repeat(k_repetitions, task_count(n), once, [&] { dropped += session.collect().dropped_count(); });
  result.emplace_back("dropped", static_cast<double>(dropped));
  return result;
}

}  // namespace

void add_tracing(std::vector<measurement>& all) {
  const std::pair<std::string, tracing> ways[] = {
      {"absent", tracing::absent}, {"stopped", tracing::stopped}, {"recording", tracing::recording}};
  for (const auto& [name, how] : ways) {
    all.push_back({"trace_1/" + name, [how](std::uint64_t n) { return traced_fib(1, how, n); }});
    all.push_back({"trace_2/" + name, [how](std::uint64_t n) { return traced_fib(2, how, n); }});
  }
}

}  // namespace filch_bench
