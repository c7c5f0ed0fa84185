// The workloads' inputs and checksums, the same for every runtime in C++. What a runtime brings is the computation.
#pragma once

#include <kernels/serial/matmul.hpp>
#include <kernels/serial/mergesort.hpp>
#include <kernels/serial/tree_sum.hpp>
#include <memory>
#include <span>
#include <utility>

#include "program.hpp"

namespace filch::bench {

// A number from a number: `compute(size)`.
template <class Compute>
workload number_problem(std::string_view name, Compute compute) {
  return {.name = name, .make = [compute](std::uint64_t size) {
            const auto result = std::make_shared<std::uint64_t>();
            return measured{.run = [=] { *result = compute(size); }, .checksum = [=] { return *result; }};
          }};
}

// `multiply(block, extents)` adds a product.
template <class Multiply>
workload matmul_problem(Multiply multiply) {
  return {.name = "matmul", .make = [multiply](std::uint64_t size) {
            const auto all = std::make_shared<kernels::matrices>(size);
            return measured{.run = [=] { multiply(all->all(), all->size()); },
                            .checksum = [=] { return all->checksum(); },
                            .prepare = [=] { all->clear(); }};
          }};
}

// `sort(items, other)` sorts the items with the help of a range as long.
template <class Sort>
workload sort_problem(std::string_view name, Sort sort) {
  return {.name = name, .make = [sort](std::uint64_t size) {
            struct data {
              std::vector<std::uint32_t> unsorted, items, other;
            };
            const auto all = std::make_shared<data>();
            all->unsorted = kernels::numbers_to_sort(size);
            all->items = all->unsorted;  // here, so that every runtime has it in memory of the main thread
            all->other.resize(size);
            return measured{.run = [=] { sort(std::span{all->items}, std::span{all->other}); },
                            .checksum = [=] { return kernels::order_checksum(all->items); },
                            .prepare = [=] { all->items = all->unsorted; }};
          }};
}

// All runtimes with the same algorithm.
template <class Sort>
workload mergesort_problem(Sort sort) {
  return sort_problem("mergesort", sort);
}

// The library's own sort, whatever its algorithm.
template <class Sort>
workload library_sort_problem(Sort sort) {
  return sort_problem("sort", [sort](std::span<std::uint32_t> items, std::span<std::uint32_t>) { sort(items); });
}

// Small inputs are gone through several times, so that there is something to measure.
inline std::uint64_t passes(std::uint64_t together, std::uint64_t size) {
  return size >= together ? 1 : together / size;
}

// `sum(root)`, a million nodes together.
template <class Sum>
workload tree_sum_problem(Sum sum) {
  return {.name = "tree_sum", .make = [sum](std::uint64_t size) {
            const auto tree = std::make_shared<const kernels::summed_tree>(size);
            const auto result = std::make_shared<std::uint64_t>();
            return measured{.run =
                                [=] {
                                  *result = 0;
                                  for (std::uint64_t i = passes(1'000'000, size); i != 0; --i) {
                                    *result += sum(tree->root());
                                  }
                                },
                            .checksum = [=] { return *result; }};
          }};
}

// What is done to each item of for_each: a few cycles. An object, so that it is inlined wherever it is passed.
inline constexpr auto cheap_step = [](std::uint32_t& item) { item = item * 1664525u + 1013904223u; };

// `all(items)` does the cheap step to every item; ten million steps together.
template <class All>
workload for_each_problem(All all) {
  return {.name = "for_each", .make = [all](std::uint64_t size) {
            struct data {
              std::vector<std::uint32_t> given, items;
            };
            const auto owned = std::make_shared<data>();  // here, as above
            owned->items = owned->given = kernels::numbers_to_sort(size);
            return measured{.run =
                                [=] {
                                  for (std::uint64_t i = passes(10'000'000, size); i != 0; --i) {
                                    all(std::span{owned->items});
                                    asm volatile("" ::: "memory");  // passes stay apart
                                  }
                                },
                            .checksum = [=] { return kernels::order_checksum(owned->items); },
                            .prepare = [=] { owned->items = owned->given; }};
          }};
}

// The two sides of a tiny join: a call each and next to no work.
[[gnu::noinline]] inline std::uint64_t tiny_left(std::uint64_t i) { return i * 3 + 1; }
[[gnu::noinline]] inline std::uint64_t tiny_right(std::uint64_t i) { return i ^ 5; }

// `sum_of(i)` is tiny_left(i) + tiny_right(i), both perhaps in parallel.
template <class SumOf>
workload join_problem(SumOf sum_of) {
  return number_problem("join", [sum_of](std::uint64_t size) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i != size; ++i) sum += sum_of(i);
    return sum;
  });
}

}  // namespace filch::bench
