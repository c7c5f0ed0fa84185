// Sorting and merging, against the standard library and, where it is installed, oneTBB.
#include "bench.hpp"

#include <filch/algo/algo.hpp>
#include <filch/base/random.hpp>

#ifdef FILCH_BENCH_TBB
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#include <execution>
#endif

#include <algorithm>
#include <string>
#include <vector>

namespace bench {
namespace {

template <class T>
void sort_all(const std::string& what, const std::vector<T>& input) {
  std::vector<T> xs;
  const auto again = [&] { xs = input; };
  std::vector<variant> variants{
      {"std::sort", [&] { std::sort(xs.begin(), xs.end()); }, again},
      {"filch::sort", [&] { filch::sort(xs); }, again},
      {"std::stable_sort", [&] { std::stable_sort(xs.begin(), xs.end()); }, again},
      {"filch::stable_sort", [&] { filch::stable_sort(xs); }, again},
  };
#ifdef FILCH_BENCH_TBB
  tbb::task_arena arena{static_cast<int>(chosen.workers)};
  variants.push_back(
      {"tbb::parallel_sort", [&] { arena.execute([&] { tbb::parallel_sort(xs.begin(), xs.end()); }); }, again});
  variants.push_back(
      {"std::sort, par", [&] { arena.execute([&] { std::sort(std::execution::par, xs.begin(), xs.end()); }); }, again});
#endif
  compare("sort, " + what, variants, false);
}

}  // namespace

void sorts() {
  filch::random_stream random{1};
  for (const std::size_t n : {std::size_t{1000}, std::size_t{1'000'000}}) {
    const std::string size = ", n = " + std::to_string(n);
    std::vector<int> ints(n);
    for (int& x : ints) x = static_cast<int>(random.below(1U << 31));
    sort_all("random int" + size, ints);
    std::vector<double> doubles(ints.begin(), ints.end());
    sort_all("random double" + size, doubles);
    std::vector<int> few(ints);
    for (int& x : few) x %= 16;
    sort_all("16 different int" + size, few);
    std::vector<std::string> words;
    for (std::size_t i = 0; i != n / 4; ++i) words.push_back(std::to_string(random.below(1'000'000'000)));
    sort_all("random strings" + std::string{", n = "} + std::to_string(n / 4), words);
    std::sort(ints.begin(), ints.end());
    sort_all("sorted int" + size, ints);
    std::vector<int> twice(n);
    for (int& x : twice) x = static_cast<int>(random.below(1U << 31));
    std::sort(twice.begin(), twice.end());
    std::vector<int> out(2 * n);
    compare("merge, int" + size + " each",
            {{"std::merge", [&] { std::merge(ints.begin(), ints.end(), twice.begin(), twice.end(), out.begin()); }},
             {"filch::merge", [&] { filch::merge(ints, twice, out.begin()); }}});
  }
}

}  // namespace bench
