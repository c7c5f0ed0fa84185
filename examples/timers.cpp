// Time: sleeping tasks, a limit on a task that takes too long, ticks, and a race of which the loser is cancelled.
#include <filch/filch.hpp>

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

using namespace std::chrono_literals;

filch::task<std::string> answer(std::string what, std::chrono::milliseconds after) {
  co_await filch::sleep_for(after);
  co_return what;
}

filch::task<int> tick(int count) {
  filch::interval ticks{1ms};
  for (int i = 0; i != count; ++i) co_await ticks.next();
  co_return count;
}

filch::task<> look() {
  auto [words, ticks] = co_await filch::all(answer("both at once", 2ms), tick(3));
  std::printf("%s, %d ticks\n", words.c_str(), ticks);

  if (!co_await filch::try_timeout(answer("too late", 1h), 1ms)) std::printf("nothing within its time\n");
  try {
    (void)co_await filch::timeout(answer("too late", 1h), 1ms);
  } catch (const filch::timed_out& error) {
    std::printf("%s\n", error.what());
  }

  const auto first = co_await filch::any(answer("slow", 1h), answer("quick", 1ms));
  std::printf("the first was number %zu: %s\n", first.index, first.value.c_str());
}

int main() {
  filch::runtime rt{{.workers = 2}};
  rt.run(look());
  rt.run([] { filch::wait(filch::sleep_for(1ms)); });  // a plain function, which holds no worker meanwhile
  std::printf("done\n");
}
