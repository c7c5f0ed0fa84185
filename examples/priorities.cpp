// Three bands of priority. One worker, held up until everything is queued, so that the order can be seen.
#include <filch/filch.hpp>

#include <cstdio>
#include <semaphore>

int main() {
  // 0: strict, so low tasks wait until nothing else is left. The default lets each band have a turn now and then.
  filch::runtime rt{{.workers = 1, .starvation_interval = 0}};

  std::binary_semaphore started{0};
  std::binary_semaphore go{0};
  rt.spawn([&] {
    started.release();
    go.acquire();
  });
  started.acquire();

  for (int i = 1; i <= 2; ++i) {
    rt.spawn([i] { std::printf("low    %d\n", i); }, {.priority = filch::priority::low});
    rt.spawn([i] { std::printf("normal %d\n", i); });
    rt.spawn([i] { std::printf("high   %d\n", i); }, {.priority = filch::priority::high});
  }
  go.release();
  rt.wait_idle();
}
