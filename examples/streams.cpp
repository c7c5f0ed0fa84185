// Streams: readings come one after another, are smoothed on the way, and the reader stops when it has seen enough.
#include <filch/filch.hpp>

#include <chrono>
#include <cstdio>
#include <utility>

using namespace std::chrono_literals;

struct sensor {
  sensor() { std::puts("sensor on"); }
  ~sensor() { std::puts("sensor off"); }
};

// Without an end: who reads decides how many are made.
filch::async_stream<int> readings() {
  const sensor here;
  for (int value = 10;; value += 10) {
    co_await filch::sleep_for(1ms);
    co_yield value;
  }
}

filch::async_stream<double> means_of_two(filch::async_stream<int> from) {
  auto last = co_await from.next();
  while (auto now = co_await from.next()) {
    co_yield (*last + *now) / 2.0;
    last = now;
  }
}

filch::task<> show() {
  auto means = means_of_two(readings());
  while (auto each = co_await means.next()) {
    std::printf("%.1f\n", *each);
    if (*each > 30) break;
  }
}

int main() { filch::wait(show()); }
