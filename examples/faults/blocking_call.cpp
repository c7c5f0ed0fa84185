// A fault to be found: tasks that wait for something outside most of the time, and nothing else to do meanwhile.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filch/filch.hpp>
#include <thread>

#include "busy.hpp"

int main() {
  filch::runtime rt{{.workers = 4}};
  std::atomic<std::uint64_t> sum{0};
  for (int i = 0; i != 3; ++i) {
    rt.spawn(
        [&sum] {
          for (int k = 0; k != 10; ++k) {
            filch::blocking([] { std::this_thread::sleep_for(std::chrono::milliseconds{40}); });
            sum += busy(k_million);
          }
        },
        {.name = "fetch"});
  }
  rt.wait_idle();
  std::printf("sum %016llx\n", static_cast<unsigned long long>(sum));
}
