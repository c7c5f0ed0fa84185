// A runtime with 1, 2, 4 or 7 workers for each test of the algorithms.
#pragma once

#include <filch/algo/algo.hpp>
#include <filch/runtime/runtime.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <utility>

namespace algo_test {

class on_workers : public testing::TestWithParam<unsigned> {
 protected:
  // Runs on a worker, where nothing but the algorithm's own forks makes it parallel.
  template <class F>
  auto run(F&& function) {
    return rt_.run(std::forward<F>(function));
  }

  filch::runtime rt_{{.workers = GetParam()}};
};

// Elements that take long enough to be worth another worker's trouble.
inline void take_time() { std::this_thread::sleep_for(std::chrono::microseconds{100}); }

}  // namespace algo_test

// All tests of a suite on every number of workers.
#define FILCH_ON_WORKERS(suite)                  \
  class suite : public algo_test::on_workers {}; \
  INSTANTIATE_TEST_SUITE_P(workers, suite, testing::Values(1U, 2U, 4U, 7U))
