// Loops, reductions and scans over cheap elements: what the algorithm adds to the serial loop.
#include "bench.hpp"

#include <filch/algo/algo.hpp>

#include <algorithm>
#include <cmath>
#include <list>
#include <numeric>
#include <string>
#include <vector>

namespace bench {
namespace {

[[gnu::noinline]] void serial_scale(std::vector<float>& xs) {
  for (float& x : xs) x = x * 1.0001F + 0.5F;
}
[[gnu::noinline]] void filch_scale(std::vector<float>& xs) {
  filch::for_each(xs, [](float& x) { x = x * 1.0001F + 0.5F; });
}

inline double heavy(double x) { return std::sqrt(std::sin(x) + 2.0); }

void keep(double value) { asm volatile("" : : "g"(&value) : "memory"); }

void loop(std::size_t n) {
  const std::string size = " n = " + std::to_string(n);
  std::vector<float> floats(n, 1.0F);
  compare("for_each, a multiplication and an addition," + size,
          {{"serial", [&] { serial_scale(floats); }}, {"filch", [&] { filch_scale(floats); }}});
  std::vector<double> xs(n, 1.0);
  compare("for_each, sqrt(sin(x) + 2)," + size,
          {{"serial",
            [&] {
              for (double& x : xs) x = heavy(x);
            }},
           {"filch", [&] { filch::for_each(xs, [](double& x) { x = heavy(x); }); }}});
}

void reduction(std::size_t n) {
  const std::string size = " n = " + std::to_string(n);
  std::vector<double> xs(n);
  std::iota(xs.begin(), xs.end(), 0.5);
  compare("reduce, sum of doubles," + size,
          {{"std::accumulate", [&] { keep(std::accumulate(xs.begin(), xs.end(), 0.0)); }},
           {"std::reduce", [&] { keep(std::reduce(xs.begin(), xs.end(), 0.0)); }},
           {"filch", [&] { keep(filch::reduce(xs, 0.0)); }},
           {"filch, own operation", [&] { keep(filch::reduce(xs, 0.0, [](double a, double b) { return a + b; })); }}});
  compare("transform_reduce, squares of integers," + size,
          {{"serial",
            [&] {
              long sum = 0;
              for (double x : xs) sum += static_cast<long>(x) * static_cast<long>(x);
              keep(static_cast<double>(sum));
            }},
           {"filch", [&] {
              const auto square = [](double x) { return static_cast<long>(x) * static_cast<long>(x); };
              keep(static_cast<double>(filch::transform_reduce(xs, 0L, std::plus<>{}, square)));
            }}});
  std::vector<double> ys(n);
  compare("inclusive_scan," + size, {{"std::inclusive_scan",
                                      [&] {
                                        std::inclusive_scan(xs.begin(), xs.end(), ys.begin());
                                        keep(ys[n / 2]);
                                      }},
                                     {"filch", [&] {
                                        filch::inclusive_scan(xs, ys.begin());
                                        keep(ys[n / 2]);
                                      }}});
  compare("find_if, nothing found," + size,
          {{"std::find_if", [&] { keep(*(std::find_if(xs.begin(), xs.end(), [](double x) { return x < 0; }) - 1)); }},
           {"filch", [&] { keep(*(filch::find_if(xs, [](double x) { return x < 0; }) - 1)); }}});
  compare("min_element," + size, {{"std::min_element", [&] { keep(*std::min_element(xs.begin(), xs.end())); }},
                                  {"filch", [&] { keep(*filch::min_element(xs)); }}});
  compare("copy_if, every second," + size,
          {{"std::copy_if",
            [&] {
              std::copy_if(xs.begin(), xs.end(), ys.begin(), [](double x) { return static_cast<long>(x) % 2 == 0; });
              keep(ys[0]);
            }},
           {"filch", [&] {
              filch::copy_if(xs, ys.begin(), [](double x) { return static_cast<long>(x) % 2 == 0; });
              keep(ys[0]);
            }}});
}

}  // namespace

void loops() {
  for (const std::size_t n : {std::size_t{10}, std::size_t{1000}, std::size_t{1'000'000}}) loop(n);
  for (const std::size_t n : {std::size_t{1000}, std::size_t{1'000'000}}) reduction(n);
}

}  // namespace bench
