// A fault to be found: as hot_lock, but the lock is a std::mutex, which stops the thread and not only the task.
#include <cstdio>
#include <filch/filch.hpp>
#include <mutex>

#include "busy.hpp"

int main() {
  filch::runtime rt{{.workers = 4}};
  std::mutex guard;
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
