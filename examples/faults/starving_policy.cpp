// A fault to be found: a worker without work looks at one other at random, and then not again for a long time.
#include <filch/filch.hpp>

#include <atomic>
#include <cstdio>

#include "busy.hpp"

int main() {
  constexpr filch::time_ns nap_ns = 400 * filch::k_ns_per_ms;
  filch::runtime rt{{.workers = 4,
                     .victims = filch::victims::random_probe,
                     .idle = {.attempts_per_cycle = 1,
                              .initial_ns = nap_ns,
                              .factor = 1,
                              .cap_ns = nap_ns,
                              .cycles = filch::idle::k_forever}}};
  std::atomic<std::uint64_t> sum{0};
  rt.run([&] {
    for (int i = 0; i != 100; ++i) rt.spawn([&sum] { sum += busy(2 * k_million); }, {.name = "tile"});
  });
  rt.wait_idle();
  std::printf("sum %016llx\n", static_cast<unsigned long long>(sum));
}
