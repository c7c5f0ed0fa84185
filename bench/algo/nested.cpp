// nested_bench [--workers 1,2,16] [--rounds n] [--only kernel]
//
// Search trees written as loops inside loops: each node runs for_index over its children, of which there are few. Who
// knows no join writes such a program first. Every level has the same call site, and nobody can know what a child
// costs. The kernels are those of `filch bench`; serially they are called as they are.
//
// A round runs the serial kernel and then each number of workers. Ratios are taken within a round: how many times as
// fast as with one worker, and as the serial kernel. Medians, least and largest are printed.
#include <filch/algo/for_each.hpp>
#include <filch/runtime/runtime.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "../../tools/kernels/serial/nqueens.hpp"
#include "../../tools/kernels/serial/skynet.hpp"
#include "../../tools/kernels/serial/uts.hpp"

namespace {

using namespace filch::kernels;

std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t each = leaves / k_skynet_children;
  std::array<std::uint64_t, k_skynet_children> sums{};
  filch::for_index(std::size_t{k_skynet_children}, [&](std::size_t i) { sums[i] = skynet(first + i * each, each); });
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

std::uint64_t nqueens(const board& queens, unsigned row, unsigned n) {
  if (row == n) return 1;
  std::array<std::uint64_t, k_most_queens> found{};
  filch::for_index(std::size_t{n}, [&](std::size_t column) {
    if (!fits(queens, row, static_cast<unsigned>(column))) return;
    board next = queens;
    next[row] = static_cast<std::int8_t>(column);
    found[column] = nqueens(next, row + 1, n);
  });
  return std::accumulate(found.begin(), found.end(), std::uint64_t{0});
}

std::uint64_t uts(const uts_tree& tree, const uts_node& node) {
  const std::size_t children = uts_children(tree, node);
  if (children == 0) return 1;
  std::array<std::uint64_t, 100> few{};
  std::vector<std::uint64_t> many(children > few.size() ? children : 0);
  std::uint64_t* const nodes = many.empty() ? few.data() : many.data();
  filch::for_index(children,
                   [&, nodes](std::size_t i) { nodes[i] = uts(tree, uts_child(node, static_cast<std::uint32_t>(i))); });
  return std::accumulate(nodes, nodes + children, std::uint64_t{1});
}

struct kernel {
  const char* name;
  std::uint64_t expected;
  std::function<std::uint64_t()> serial;
  std::function<std::uint64_t()> nested;
};

std::vector<kernel> kernels() {
  static const uts_tree t1 = uts_t1();
  static const uts_tree t3 = uts_t3();
  return {
      {"skynet", 49'999'995'000'000, [] { return serial_skynet(0, 10'000'000); }, [] { return skynet(0, 10'000'000); }},
      {"nqueens", 14'200, [] { return serial_nqueens(12); }, [] { return nqueens(board{}, 0, 12); }},
      {"uts-t1", k_uts_t1_nodes, [] { return serial_uts(t1, uts_root(t1)); }, [] { return uts(t1, uts_root(t1)); }},
      {"uts-t3", k_uts_t3_nodes, [] { return serial_uts(t3, uts_root(t3)); }, [] { return uts(t3, uts_root(t3)); }},
  };
}

double seconds_of(const kernel& one, const std::function<std::uint64_t()>& work) {
  const auto began = std::chrono::steady_clock::now();
  const std::uint64_t got = work();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  if (got != one.expected) {
    std::fprintf(stderr, "%s: %llu instead of %llu\n", one.name, static_cast<unsigned long long>(got),
                 static_cast<unsigned long long>(one.expected));
    std::exit(1);
  }
  return took.count();
}

struct spread {
  double least, median, most;
};
spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back()};
}
spread ratios(const std::vector<double>& of, const std::vector<double>& to) {
  std::vector<double> all;
  for (std::size_t i = 0; i != of.size(); ++i) all.push_back(of[i] / to[i]);
  return spread_of(all);
}

void measure(const kernel& one, const std::vector<unsigned>& workers, std::size_t rounds) {
  std::vector<std::unique_ptr<filch::runtime>> runtimes;
  for (const unsigned count : workers) {
    runtimes.push_back(std::make_unique<filch::runtime>(filch::options{.workers = count}));
  }
  std::vector<double> serial;
  std::vector<std::vector<double>> times(workers.size());
  for (std::size_t round = 0; round != rounds + 1; ++round) {
    const double alone = seconds_of(one, one.serial);
    if (round != 0) serial.push_back(alone);  // the first round is a warm-up
    for (std::size_t i = 0; i != workers.size(); ++i) {
      const double took = seconds_of(one, [&] { return runtimes[i]->run([&] { return one.nested(); }); });
      if (round != 0) times[i].push_back(took);
    }
  }
  std::printf("%s: serial %.1f ms\n", one.name, spread_of(serial).median * 1e3);
  for (std::size_t i = 0; i != workers.size(); ++i) {
    const spread faster = ratios(times[0], times[i]);
    const spread than_serial = ratios(serial, times[i]);
    std::printf("  %2u workers %9.1f ms   against %u: %5.2f (%.2f to %.2f)   against serial: %5.2f (%.2f to %.2f)\n",
                workers[i], spread_of(times[i]).median * 1e3, workers[0], faster.median, faster.least, faster.most,
                than_serial.median, than_serial.least, than_serial.most);
  }
  std::fflush(stdout);
}

std::vector<unsigned> numbers(const char* text) {
  std::vector<unsigned> all;
  for (char* end = nullptr; *text != '\0'; text = *end == ',' ? end + 1 : end) {
    const unsigned long one = std::strtoul(text, &end, 10);
    if (end == text || one == 0 || one > 1024 || (*end != ',' && *end != '\0')) return {};
    all.push_back(static_cast<unsigned>(one));
  }
  return all;
}

}  // namespace

int main(int count, char** words) {
  std::vector<unsigned> workers{1, 2};
  std::size_t rounds = 7;
  const char* only = "";
  for (int i = 1; i < count; i += 2) {
    const char* const value = i + 1 < count ? words[i + 1] : "";
    if (std::strcmp(words[i], "--workers") == 0) workers = numbers(value);
    else if (std::strcmp(words[i], "--rounds") == 0) rounds = static_cast<std::size_t>(std::atoi(value));
    else if (std::strcmp(words[i], "--only") == 0) only = value;
    else return std::fprintf(stderr, "unknown option %s: allowed are --workers, --rounds, --only\n", words[i]), 2;
  }
  if (workers.empty() || rounds == 0 || rounds > 1000) {
    std::fprintf(stderr, "--workers takes numbers from 1 to 1024 with commas between, --rounds one from 1 to 1000\n");
    return 2;
  }
  for (const kernel& one : kernels()) {
    if (std::strstr(one.name, only) != nullptr) measure(one, workers, rounds);
  }
}
