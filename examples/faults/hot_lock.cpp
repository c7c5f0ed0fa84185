// A fault to be found: tasks that could run beside each other do most of their work under one lock.
#include <cstdio>
#include <filch/filch.hpp>
#include <mutex>

#include "busy.hpp"

int main() {
  filch::runtime rt{{.workers = 4}};
  filch::mutex guard;
  std::uint64_t sum = 0;
  for (int i = 0; i != 12; ++i) {
    rt.spawn(
        [&] {
          for (int k = 0; k != 10; ++k) {
            const std::lock_guard lock{guard};
            sum += busy(2 * k_million);
          }
        },
        {.name = "update"});
  }
  rt.wait_idle();
  std::printf("sum %016llx\n", static_cast<unsigned long long>(sum));
}
