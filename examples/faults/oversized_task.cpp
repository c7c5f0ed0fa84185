// A fault to be found: one tile is much larger than the others, and comes last.
#include <atomic>
#include <cstdio>
#include <filch/filch.hpp>

#include "busy.hpp"

int main() {
  filch::runtime rt{{.workers = 4}};
  std::atomic<std::uint64_t> sum{0};
  rt.run([&] {
    // The newest task of its own queue is what a worker takes first, and the oldest what a thief takes.
    for (int i = 0; i != 61; ++i) {
      const std::uint64_t steps = i == 30 ? 160 * k_million : 2 * k_million;
      rt.spawn([&sum, steps] { sum += busy(steps); }, {.name = "tile"});
    }
  });
  rt.wait_idle();
  std::printf("sum %016llx\n", static_cast<unsigned long long>(sum));
}
