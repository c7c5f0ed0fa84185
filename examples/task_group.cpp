// A group of tasks: each directory that is found is searched by a task of its own; how many there are is not known
// before.
#include <filch/filch.hpp>

#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>

// A made-up file system: directory n has the directories 2n and 2n + 1, up to a limit, and one file.
constexpr int k_directories = 1000;

filch::task<> search(filch::task_group& group, int directory, std::atomic<int>& files) {
  for (int below = 2 * directory; below <= 2 * directory + 1; ++below) {
    if (below <= k_directories) group.spawn(search(group, below, files));
  }
  co_await filch::yield();  // as if it read the directory
  ++files;
}

filch::task<> keep_watch() {
  while (true) co_await filch::yield();
}
filch::task<> find_damage(int directory) {
  co_await filch::yield();
  throw std::runtime_error("directory " + std::to_string(directory) + " cannot be read");
}

filch::task<> program() {
  std::atomic<int> files{0};
  co_await filch::async_scope([&](filch::task_group& group) { return search(group, 1, files); });
  std::printf("%d files\n", files.load());

  // One fails: the others are asked to stop, and the scope throws when all have ended.
  try {
    co_await filch::async_scope([](filch::task_group& group) -> filch::task<> {
      group.spawn(keep_watch());
      group.spawn(find_damage(17));
      co_return;
    });
  } catch (const std::runtime_error& error) {
    std::puts(error.what());
  }
}

int main() { filch::wait(program()); }
