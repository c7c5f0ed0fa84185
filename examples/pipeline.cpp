// A pipeline over channels: one coroutine makes numbers, two square them, and a plain function adds them up.
#include <filch/filch.hpp>

#include <cstdio>

using numbers = filch::channel<long>;

filch::task<> count_up(numbers& to, long last) {
  for (long i = 1; i <= last; ++i) co_await to.async_send(i);  // waits while the channel is full
  to.close();
}

filch::task<> square(numbers& from, numbers& to) {
  while (const auto n = co_await from.async_receive()) co_await to.async_send(*n * *n);
}

filch::task<> square_all(numbers& from, numbers& to) {
  co_await filch::all(square(from, to), square(from, to));
  to.close();
}

int main() {
  filch::runtime rt{{.workers = 2}};
  numbers counted{16};
  numbers squared{16};
  auto first = filch::spawn(rt, count_up(counted, 1000));
  auto second = filch::spawn(rt, square_all(counted, squared));
  const long sum = rt.run([&] {
    long total = 0;
    for (const long n : squared) total += n;  // until it is closed and empty
    return total;
  });
  first.get();
  second.get();
  std::printf("the sum of the squares up to 1000 is %ld\n", sum);
}
