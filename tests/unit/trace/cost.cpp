// What recording costs: nanoseconds per call of each clock, and per event of a recorder that is off, on, and full.
// Not a test: it asserts nothing. The figures in docs/architecture/trace.md come from it.

#include <filch/trace/recorder.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using namespace filch;
using namespace filch::trace;

constexpr int k_rounds = 41;
constexpr int k_calls = 20'000;

// The median over rounds, so that a neighbour on the machine does not show.
template <class Call, class After>
void measure(const char* what, Call call, After after) {
  std::vector<double> ns;
  for (int round = 0; round != k_rounds; ++round) {
    const time_ns begin_ns = monotonic_now_ns();
    for (int i = 0; i != k_calls; ++i) {
      call();
      asm volatile("" ::: "memory");
    }
    ns.push_back(static_cast<double>(monotonic_now_ns() - begin_ns) / k_calls);
    after();
  }
  std::sort(ns.begin(), ns.end());
  std::printf("%-36s %7.2f ns  (fastest round %.2f)\n", what, ns[k_rounds / 2], ns[0]);
}

void measure_recorder(const char* what, clock_source clock, when_full full, bool drain, bool on) {
  recorder r{worker_id{0}, std::size_t{1} << 15, full, clock};
  r.enable(on);
  const auto empty = [&] {
    event e;
    while (drain && r.take(e)) {}
  };
  for (int i = 0; i != 1 << 15; ++i) r.start(task_id{1});
  empty();
  measure(what, [&] { r.start(task_id{1}); }, empty);
}

}  // namespace

int main() {
  const auto nothing = [] {};
  std::int64_t sum = 0;
  measure("clock: monotonic", [&] { sum += now_ticks(clock_source::monotonic); }, nothing);
  if (is_supported(clock_source::tsc)) {
    measure("clock: tsc", [&] { sum += now_ticks(clock_source::tsc); }, nothing);
  }
  null_recorder none;
  measure("null recorder", [&] { none.start(task_id{1}); }, nothing);
  measure_recorder("recorder, off", best_clock_source(), when_full::refuse_new, true, false);
  measure_recorder("recorder, monotonic, refuse_new", clock_source::monotonic, when_full::refuse_new, true, true);
  if (is_supported(clock_source::tsc)) {
    measure_recorder("recorder, tsc, refuse_new", clock_source::tsc, when_full::refuse_new, true, true);
    measure_recorder("recorder, tsc, overwrite_old", clock_source::tsc, when_full::overwrite_old, false, true);
    measure_recorder("recorder, tsc, refuse_new, full", clock_source::tsc, when_full::refuse_new, false, true);
  }
  return sum == 0 ? 1 : 0;
}
