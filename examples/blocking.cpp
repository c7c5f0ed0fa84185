// A task that blocks in a system call or a foreign library holds no worker while it does.
#include <filch/filch.hpp>

#include <cstdio>
#include <semaphore>

int main() {
  filch::runtime rt{{.workers = 1}};
  std::binary_semaphore signal{0};

  auto first = rt.submit([&] {
    std::puts("first task: waits for a signal");
    filch::blocking([&] { signal.acquire(); });  // without filch::blocking the only worker would sleep here for ever
    std::puts("first task: goes on");
  });
  auto second = rt.submit([&] {
    std::puts("second task: runs on the same worker, gives the signal");
    signal.release();
  });

  first.get();
  second.get();
}
