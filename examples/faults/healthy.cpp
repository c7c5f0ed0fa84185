// No fault to be found: more tasks than workers, none too small, none too large, nothing shared.
#include <atomic>
#include <cstdio>
#include <filch/filch.hpp>

#include "busy.hpp"

int main() {
  filch::runtime rt{{.workers = 4}};
  std::atomic<std::uint64_t> sum{0};
  rt.run([&] {
    for (int i = 0; i != 300; ++i) rt.spawn([&sum] { sum += busy(k_million); }, {.name = "tile"});
  });
  rt.wait_idle();
  std::printf("sum %016llx\n", static_cast<unsigned long long>(sum));
}
