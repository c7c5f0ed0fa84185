// algo_bench [--workers n] [--rounds n] [--only part of a name]
//
// With one worker the CPU time of the process is measured, which other programs disturb little; with several the time
// that passed. Ratios are taken within a round; their median, least and largest are printed.
#include "bench.hpp"

#include <filch/algo/algo.hpp>

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace bench {

settings chosen;

namespace {

double now_ns() {
  timespec at{};
  ::clock_gettime(chosen.clock == clock_kind::cpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &at);
  return static_cast<double>(at.tv_sec) * 1e9 + static_cast<double>(at.tv_nsec);
}

double once_ns(const variant& one, std::size_t times) {
  one.prepare();
  const double began = now_ns();
  for (std::size_t i = 0; i != times; ++i) one.work();
  return (now_ns() - began) / static_cast<double>(times);
}

struct spread {
  double least;
  double median;
  double most;
};
spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values.at(0), values.at(values.size() / 2), values.at(values.size() - 1)};
}

}  // namespace

void compare(const std::string& what, const std::vector<variant>& variants, bool is_repeatable) {
  if (what.find(chosen.only) == std::string::npos) return;
  const double first_ns = once_ns(variants.front(), 1);
  const auto times = is_repeatable ? static_cast<std::size_t>(std::clamp(1e6 / first_ns, 1.0, 1e5)) : std::size_t{1};
  std::vector<std::vector<double>> spans(variants.size());
  for (std::size_t round = 0; round != chosen.rounds; ++round) {
    for (std::size_t i = 0; i != variants.size(); ++i) spans[i].push_back(once_ns(variants[i], times));
  }
  std::printf("%s\n", what.c_str());
  for (std::size_t i = 0; i != variants.size(); ++i) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round != chosen.rounds; ++round)
      ratios.push_back(spans.at(i).at(round) / spans.at(0).at(round));
    const spread ratio = spread_of(ratios);
    std::printf("  %-24s %14.0f ns   ratio %.3f (%.3f to %.3f)\n", variants[i].name.c_str(), spread_of(spans[i]).median,
                ratio.median, ratio.least, ratio.most);
  }
  std::fflush(stdout);
}

}  // namespace bench

int main(int count, char** words) {
  for (int i = 1; i + 1 < count; i += 2) {
    if (std::strcmp(words[i], "--workers") == 0) bench::chosen.workers = static_cast<unsigned>(std::atoi(words[i + 1]));
    else if (std::strcmp(words[i], "--rounds") == 0)
      bench::chosen.rounds = static_cast<std::size_t>(std::atoi(words[i + 1]));
    else if (std::strcmp(words[i], "--only") == 0) bench::chosen.only = words[i + 1];
    else return std::fprintf(stderr, "unknown option %s: allowed are --workers, --rounds, --only\n", words[i]), 2;
  }
  if (bench::chosen.workers == 0 || bench::chosen.rounds == 0) {
    return std::fprintf(stderr, "--workers and --rounds must be at least 1\n"), 2;
  }
  bench::chosen.clock = bench::chosen.workers == 1 ? bench::clock_kind::cpu : bench::clock_kind::wall;
  filch::runtime rt{{.workers = bench::chosen.workers}};
  rt.run([] {
    bench::loops();
    bench::splitting();
    bench::sorts();
  });
}
