// A fault to be found: tasks that sleep inside the kernel most of the time and do not say so with filch::blocking, as a
// read from a disk or a socket does. Their workers look busy, and do nothing.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filch/filch.hpp>
#include <thread>

#include "busy.hpp"

int main() {
  filch::runtime rt{{.workers = 4}};
  std::atomic<std::uint64_t> sum{0};
  rt.run([&] {
    for (int i = 0; i != 120; ++i) {
      rt.spawn(
          [&sum] {
            std::this_thread::sleep_for(std::chrono::milliseconds{8});
            sum += busy(k_million / 10);
          },
          {.name = "fetch"});
    }
  });
  rt.wait_idle();
  std::printf("sum %016llx\n", static_cast<unsigned long long>(sum));
}
