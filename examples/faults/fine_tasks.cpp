// A fault to be found: tasks so small that handling them takes longer than they do.
#include <atomic>
#include <cstdio>
#include <filch/filch.hpp>

#include "busy.hpp"

int main() {
  filch::runtime rt{{.workers = 4}};
  std::atomic<std::uint64_t> sum{0};
  rt.run([&] {
    for (std::uint64_t i = 0; i != 300'000; ++i) rt.spawn([&sum, i] { sum += busy(i % 16); }, {.name = "tick"});
  });
  rt.wait_idle();
  std::printf("sum %016llx\n", static_cast<unsigned long long>(sum));
}
