// rules_bench [--workers n] [--rounds n]
//
// The rules of policy::demand that can be left out, and lingering, one at a time: fib without a cut-off, a thousand
// trees of 1000 nodes in a row, a million joins of next to nothing, and sorts of 10,000 numbers by forks. The forms
// take turns; medians in ms with the least and the greatest.

#include <filch/filch.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace {

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = filch::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

long sum_tree(long nodes) {
  if (nodes <= 1) return nodes;
  const long left = (nodes - 1) / 2;
  const auto [a, b] = filch::join([=] { return sum_tree(left); }, [=] { return sum_tree(nodes - 1 - left); });
  return a + b + 1;
}

volatile int sink = 0;

void tiny_joins() {
  for (int i = 0; i != 1'000'000; ++i) filch::join([] { sink = 1; }, [] { sink = 2; });
}

void sort_by_forks(std::vector<int>::iterator first, std::vector<int>::iterator last) {
  if (last - first < 64) return std::sort(first, last);
  const auto middle = first + (last - first) / 2;
  filch::join([=] { sort_by_forks(first, middle); }, [=] { sort_by_forks(middle, last); });
  std::inplace_merge(first, middle, last);
}

void sorts() {
  std::vector<int> numbers(10'000);
  for (int round = 0; round != 30; ++round) {
    for (std::size_t i = 0; i != numbers.size(); ++i) numbers[i] = static_cast<int>(i * 7919 % 10'007);
    sort_by_forks(numbers.begin(), numbers.end());
  }
}

struct form {
  const char* name;
  std::function<void(filch::options&)> change;
};

}  // namespace

int main(int argc, char** argv) {
  unsigned workers = std::thread::hardware_concurrency();
  int rounds = 15;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--workers") == 0) workers = static_cast<unsigned>(std::atoi(argv[i + 1]));
    else if (std::strcmp(argv[i], "--rounds") == 0) rounds = std::max(std::atoi(argv[i + 1]), 1);
  }
  const std::array<form, 4> forms{{{"all rules", [](filch::options&) {}},
                                   {"no throttle", [](filch::options& o) { o.demand.throttle = false; }},
                                   {"no join_first", [](filch::options& o) { o.demand.join_first = false; }},
                                   {"no lingering", [](filch::options& o) { o.idle.linger_ns = 0; }}}};
  const std::array<std::pair<const char*, std::function<void()>>, 4> programs{{{"fib(32)", [] { (void)fib(32); }},
                                                                               {"trees of 1000",
                                                                                [] {
                                                                                  for (int i = 0; i != 1000; ++i)
                                                                                    (void)sum_tree(1000);
                                                                                }},
                                                                               {"tiny joins", &tiny_joins},
                                                                               {"sorts of 10,000", &sorts}}};
  std::vector<std::unique_ptr<filch::runtime>> runtimes;
  for (const form& each : forms) {
    filch::options how{.workers = workers};
    each.change(how);
    runtimes.push_back(std::make_unique<filch::runtime>(how));
  }
  std::printf("%u workers, ms: median (least to greatest)\n", workers);
  for (const auto& [name, program] : programs) {
    std::vector<std::vector<double>> ms(forms.size());
    for (int round = -1; round != rounds; ++round) {
      for (std::size_t f = 0; f != forms.size(); ++f) {
        const auto began = std::chrono::steady_clock::now();
        runtimes[f]->run([&] { program(); });
        const std::chrono::duration<double, std::milli> span = std::chrono::steady_clock::now() - began;
        if (round >= 0) ms[f].push_back(span.count());
      }
    }
    for (std::size_t f = 0; f != forms.size(); ++f) {
      std::sort(ms[f].begin(), ms[f].end());
      std::printf("  %-16s %-14s %7.2f (%.2f to %.2f)\n", name, forms[f].name, ms[f][ms[f].size() / 2], ms[f].front(),
                  ms[f].back());
    }
  }
}
