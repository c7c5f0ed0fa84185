// A fault to be found: everything waits for one task that loads.
#include <atomic>
#include <cstdio>
#include <filch/filch.hpp>

#include "busy.hpp"

int main() {
  filch::runtime rt{{.workers = 4}};
  std::atomic<std::uint64_t> sum{0};
  sum += rt.submit([] { return busy(160 * k_million); }, {.name = "load"}).get();
  for (int i = 0; i != 60; ++i) rt.spawn([&sum] { sum += busy(2 * k_million); }, {.name = "item"});
  rt.wait_idle();
  std::printf("sum %016llx\n", static_cast<unsigned long long>(sum));
}
