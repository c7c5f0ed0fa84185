// Coroutines: a tree of tasks that run in parallel, a task that runs beside its parent, and a plain function that is
// awaited.
#include <filch/filch.hpp>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

filch::task<long> fib(int n) {
  if (n < 2) co_return n;
  auto [a, b] = co_await filch::all(fib(n - 1), fib(n - 2));
  co_return a + b;
}

filch::task<std::string> spell(int number) {
  co_await filch::yield();  // others first
  co_return std::to_string(number);
}

filch::task<std::size_t> letters(filch::runtime& rt) {
  filch::join_handle<long> beside = filch::spawn(fib(15));

  std::vector<filch::task<std::string>> tasks;
  for (int i = 0; i != 100; ++i) tasks.push_back(spell(i));
  std::size_t sum = 0;
  const std::vector<std::string> words = co_await filch::all(std::move(tasks));
  for (const std::string& word : words) sum += word.size();

  const int doubled = co_await rt.submit([sum] { return static_cast<int>(sum) * 2; });
  std::printf("%zu letters, doubled %d\n", sum, doubled);
  std::printf("beside it: fib(15) = %ld\n", co_await std::move(beside));
  co_return sum;
}

int main() {
  filch::runtime rt{{.workers = 2}};
  std::printf("fib(20) = %ld\n", rt.run(fib(20)));
  const std::size_t sum = rt.run(letters(rt));
  return sum == 190 ? 0 : 1;
}
