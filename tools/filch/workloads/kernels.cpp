// The kernels as workloads: recursions, loops and trees that are made parallel by joins alone.
#include <kernels/parallel/fib.hpp>
#include <kernels/parallel/mandelbrot.hpp>
#include <kernels/parallel/matmul.hpp>
#include <kernels/parallel/mergesort.hpp>
#include <kernels/parallel/nqueens.hpp>
#include <kernels/parallel/skynet.hpp>
#include <kernels/parallel/tree_sum.hpp>
#include <kernels/parallel/uts.hpp>
#include <kernels/serial/fib.hpp>
#include <memory>

#include "errors.hpp"
#include "kernel.hpp"
#include "text.hpp"

namespace filch::tool {
namespace {

std::string title(std::string_view name, std::uint64_t size) {
  return std::string{name} + "(" + std::to_string(size) + ")";
}

kernel fib_kernel(std::uint64_t size) {
  const auto n = static_cast<unsigned>(size);
  return {.title = title("fib", n),
          .serial = [n] { return kernels::serial_fib(n); },
          .parallel = [n] { return kernels::fib(n); }};
}

kernel nqueens_kernel(std::uint64_t size) {
  const auto n = static_cast<unsigned>(size);
  return {.title = title("nqueens", n),
          .serial = [n] { return kernels::serial_nqueens(n); },
          .parallel = [n] { return kernels::nqueens(n); }};
}

void require_skynet(std::uint64_t size, const std::string&) {
  std::uint64_t power = size;
  while (power % 10 == 0) power /= 10;
  if (power == 1) return;
  throw bad_usage("--size = \""s + std::to_string(size) + "\": allowed is a power of ten: the leaves of skynet");
}

kernel skynet_kernel(std::uint64_t size) {
  return {.title = title("skynet", size),
          .serial = [n = size] { return kernels::serial_skynet(0, n); },
          .parallel = [n = size] { return kernels::skynet(0, n); }};
}

kernel mergesort_kernel(std::uint64_t size) {
  const auto unsorted = std::make_shared<const std::vector<std::uint32_t>>(kernels::numbers_to_sort(size));
  const auto items = std::make_shared<std::vector<std::uint32_t>>(size);
  const auto other = std::make_shared<std::vector<std::uint32_t>>(size);
  return {.title = title("mergesort", size),
          .serial =
              [=] {
                kernels::serial_mergesort(*items, *other, false);
                return std::uint64_t{0};
              },
          .parallel =
              [=] {
                kernels::mergesort(*items, *other, false);
                return std::uint64_t{0};
              },
          .result = [=] { return kernels::order_checksum(*items); },
          .prepare = [=] { *items = *unsorted; }};
}

kernel matmul_kernel(std::uint64_t size) {
  const auto all = std::make_shared<kernels::matrices>(size);
  return {.title = title("matmul", size),
          .serial =
              [=] {
                kernels::serial_matmul(all->all(), all->size());
                return std::uint64_t{0};
              },
          .parallel =
              [=] {
                kernels::matmul(all->all(), all->size());
                return std::uint64_t{0};
              },
          .result = [=] { return all->checksum(); },
          .prepare = [=] { all->clear(); }};
}

constexpr std::uint64_t k_deepest_t1 = 13;

void require_uts(std::uint64_t size, const std::string& tree) {
  if (!tree.empty() && tree != "T1" && tree != "T3") throw bad_usage("--tree = \""s + tree + "\": allowed is T1 or T3");
  if (tree != "T3" && size > k_deepest_t1) {
    throw bad_usage("--size = \""s + std::to_string(size) + "\": allowed is up to " + std::to_string(k_deepest_t1) +
                    " for T1: the depth of the tree");
  }
}

// 0 for the size: the tree as it was published.
kernel uts_kernel(std::uint64_t asked, const std::string& tree_name) {
  const std::string name = tree_name.empty() ? "T1" : tree_name;
  const bool is_t1 = name == "T1";
  const auto size = static_cast<std::uint32_t>(asked);
  const kernels::uts_tree tree = is_t1       ? size == 0 ? kernels::uts_t1() : kernels::uts_t1(size)
                                       : size == 0 ? kernels::uts_t3()
                                             : kernels::uts_t3(size);
  kernel what{.title = "nodes of "s + name,
              .serial = [=] { return kernels::serial_uts(tree, kernels::uts_root(tree)); },
              .parallel = [=] { return kernels::uts(tree, kernels::uts_root(tree)); }};
  if (size == 0) what.known = is_t1 ? kernels::k_uts_t1_nodes : kernels::k_uts_t3_nodes;
  return what;
}

kernel mandelbrot_kernel(std::uint64_t size) {
  const auto lines = static_cast<std::uint32_t>(size);
  return {.title = title("mandelbrot", size),
          .serial = [lines] { return kernels::serial_mandelbrot(lines); },
          .parallel = [lines] { return kernels::mandelbrot(lines, 0, lines); }};
}

kernel tree_sum_kernel(std::uint64_t size) {
  const auto tree = std::make_shared<const kernels::summed_tree>(size);
  return {.title = title("tree-sum", size),
          .serial = [tree] { return kernels::serial_tree_sum(tree->root()); },
          .parallel = [tree] { return kernels::tree_sum(tree->root()); }};
}

constexpr workload kernel_workload(std::string_view name, std::string_view help, size_limits size,
                                   std::vector<measurement> (*run)(context&),
                                   void (*require)(std::uint64_t, const std::string&) = nullptr) {
  return {.name = name,
          .help = help,
          .has_durations = false,
          .size = size,
          .set_defaults = use_all_cpus,
          .run = run,
          .require = require};
}

}  // namespace

kernel make_kernel(std::string_view name, std::uint64_t size, const std::string& tree) {
  if (name == "uts") return uts_kernel(size, tree);
  struct maker {
    std::string_view name;
    kernel (*make)(std::uint64_t);
  };
  static constexpr maker k_makers[] = {{"fib", fib_kernel},          {"nqueens", nqueens_kernel},
                                       {"skynet", skynet_kernel},    {"mergesort", mergesort_kernel},
                                       {"matmul", matmul_kernel},    {"mandelbrot", mandelbrot_kernel},
                                       {"tree-sum", tree_sum_kernel}};
  for (const maker& each : k_makers) {
    if (each.name == name) return each.make(size);
  }
  throw failure("there is no kernel of the name " + std::string{name});
}

constinit const workload k_fib = kernel_workload(
    "fib", "Fibonacci numbers by calls alone, a join at every call; --size 35: which number",
    {35, 0, 50, "which number"}, [](context& in) { return run_kernel(in, "fib", fib_kernel(in.size)); });
constinit const workload k_nqueens =
    kernel_workload("nqueens", "ways to put queens on a board, a join for every queen; --size 11: queens",
                    {11, 1, 18, "the number of queens"},
                    [](context& in) { return run_kernel(in, "nqueens", nqueens_kernel(in.size)); });
constinit const workload k_skynet = kernel_workload(
    "skynet", "a tree with ten children at every node; --size 1000000: leaves, a power of ten",
    {1'000'000, 1, 1'000'000'000, "the number of leaves, a power of ten"},
    [](context& in) { return run_kernel(in, "skynet", skynet_kernel(in.size)); }, require_skynet);
constinit const workload k_mergesort =
    kernel_workload("mergesort", "sorts random numbers, sorting and merging in parallel; --size 2000000: numbers",
                    {2'000'000, 1, 200'000'000, "how many numbers to sort"},
                    [](context& in) { return run_kernel(in, "mergesort", mergesort_kernel(in.size)); });
constinit const workload k_matmul =
    kernel_workload("matmul", "a product of square matrices by halving; --size 512: rows",
                    {512, 1, 8192, "rows and columns of a matrix"},
                    [](context& in) { return run_kernel(in, "matmul", matmul_kernel(in.size)); });
constinit const workload k_uts = kernel_workload(
    "uts", "Unbalanced Tree Search, --tree T1 or T3, 4 M nodes; --size: depth (T1) or root's children (T3)",
    {0, 1, 100'000, "the depth of T1, up to 13, or the children of T3's root"},
    [](context& in) { return run_kernel(in, "uts", uts_kernel(in.size, in.tree)); }, require_uts);
constinit const workload k_mandelbrot =
    kernel_workload("mandelbrot", "a picture whose lines differ much in cost; --size 400: lines",
                    {400, 1, 20'000, "lines and columns of the picture"},
                    [](context& in) { return run_kernel(in, "mandelbrot", mandelbrot_kernel(in.size)); });
constinit const workload k_tree_sum =
    kernel_workload("tree-sum", "the sum of a binary tree in memory; --size 2000000: nodes",
                    {2'000'000, 1, 100'000'000, "the number of nodes"},
                    [](context& in) { return run_kernel(in, "tree-sum", tree_sum_kernel(in.size)); });

}  // namespace filch::tool
