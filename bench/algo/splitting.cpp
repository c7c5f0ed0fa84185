// Ways to cut a loop: by a fixed grain, always into pieces per worker, always down to one element, lazily.
#include "bench.hpp"

#include <filch/algo/algo.hpp>
#include <filch/fork/join.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace bench {
namespace {

// Dependent arithmetic, about a nanosecond each turn.
inline void spin(std::uint64_t& x, int turns) {
  for (int i = 0; i != turns; ++i) x = x * 6364136223846793005U + 1442695040888963407U;
}

template <class F>
[[gnu::noinline]] void plain(std::size_t first, std::size_t last, F f) {
  for (; first != last; ++first) f(first);
}

template <class F>
void cut(std::size_t first, std::size_t last, std::size_t grain, const F& f) {
  if (last - first <= grain) return plain(first, last, f);
  const std::size_t middle = first + (last - first) / 2;
  filch::join([&] { cut(first, middle, grain, f); }, [&] { cut(middle, last, grain, f); });
}

template <class F>
void ways(const std::string& what, std::size_t n, F f) {
  compare("splitting, " + what,
          {{"serial", [=] { plain(0, n, f); }},
           {"grain 1", [=] { cut(0, n, 1, f); }},
           {"grain 64", [=] { cut(0, n, 64, f); }},
           {"grain 1024", [=] { cut(0, n, 1024, f); }},
           {"8 pieces per worker", [=] { cut(0, n, std::max<std::size_t>(n / (8 * chosen.workers), 1), f); }},
           {"lazy", [=] { filch::for_index(n, f); }}});
}

}  // namespace

void splitting() {
  std::vector<std::uint64_t> numbers(1'000'000, 1);
  std::uint64_t* const xs = numbers.data();
  ways("1,000 elements of 0.3 ns", 1000, [xs](std::size_t i) { spin(xs[i], 1); });
  ways("1,000,000 elements of 0.3 ns", 1'000'000, [xs](std::size_t i) { spin(xs[i], 1); });
  ways("10,000 elements of 1 µs", 10'000, [xs](std::size_t i) { spin(xs[i], 900); });
  ways("16 elements of 1 ms", 16, [xs](std::size_t i) { spin(xs[i], 900'000); });
  ways("10,000 elements, the last tenth 10 µs, the others 0.3 ns", 10'000,
       [xs](std::size_t i) { spin(xs[i], i < 9000 ? 1 : 9000); });
  // Needs no CPU: shows how well a loop is divided even when others use the machine.
  ways("100 elements that sleep for 1 ms", 100,
       [](std::size_t) { std::this_thread::sleep_for(std::chrono::milliseconds{1}); });
}

}  // namespace bench
