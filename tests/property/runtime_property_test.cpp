// Whatever the options, nothing is lost and nothing runs twice.
//
// Property: conservation. made = executed, counted by the tasks themselves and by the runtime's books, which agree with
// each other: stolen by = stolen from, nothing unfinished, nothing left in a queue.
// Method: all combinations of two policies that matter together, everything else drawn at random; on each runtime a
// random tree of tasks. The seed is printed, and taken from FILCH_SEED.
#include <filch/runtime/runtime.hpp>

#include <filch/base/random.hpp>

#include <gtest/gtest.h>
#include <support/stress.hpp>
#include <support/test_seed.hpp>

#include <array>
#include <string>
#include <vector>

namespace {

using filch::options;
using filch::random_stream;
using count = filch::trace::count;

#ifdef FILCH_TEST_SANITIZED
constexpr std::uint64_t k_tasks_in_all = 100'000;
#else
constexpr std::uint64_t k_tasks_in_all = 10'000'000;
#endif

constexpr std::array k_steals{filch::steal::one, filch::steal::half, filch::steal::fixed(3)};
constexpr std::array k_idles{filch::idle::eco, filch::idle::balanced, filch::idle::latency,
                             filch::idle::poll(20 * filch::k_ns_per_us), filch::idle::poll(filch::k_ns_per_ms)};
constexpr std::array k_placements{filch::placement::injector, filch::placement::random, filch::placement::round_robin,
                                  filch::placement::least_loaded};

template <class Enum>
Enum any(random_stream& random) {
  return static_cast<Enum>(random.below(filch::policy::names<Enum>::all.size()));
}
template <class T, std::size_t N>
T any_of(const std::array<T, N>& values, random_stream& random) {
  return values[static_cast<std::size_t>(random.below(N))];
}

options random_options(random_stream& random) {
  options how;
  how.workers = 1 + static_cast<std::uint32_t>(random.below(8));
  how.victims = any<filch::victims>(random);
  how.steal = any_of(k_steals, random);
  how.order = any<filch::order>(random);
  how.idle = any_of(k_idles, random);
  how.wake = any<filch::wake>(random);
  how.placement = any_of(k_placements, random);
  if (random.below(8) == 0) {
    how.placement = filch::placement::given(filch::worker_id{static_cast<std::uint32_t>(random.below(*how.workers))});
  }
  how.fairness_interval = 1 + static_cast<std::uint32_t>(random.below(100));
  how.starvation_interval = random.below(2) == 0 ? 0 : 2 + static_cast<std::uint32_t>(random.below(30));
  how.retry_lost = random.below(2) == 0;
  how.deques = random.below(4) == 0 ? filch::deques::locked : filch::deques::lock_free;
  how.max_spare_threads = static_cast<std::uint32_t>(random.below(4));
  how.seed = random.bits();
  return how;
}

// A tree of tasks with a budget: each node takes one and divides the rest among its children at random.
class tree {
 public:
  tree(filch::runtime& rt, bool uses_bands) : rt_{rt}, uses_bands_{uses_bands} {}

  void grow(std::uint64_t seed, std::uint64_t budget) {
    ran_.fetch_add(1, std::memory_order_relaxed);  // statistic
    --budget;
    random_stream random{seed};
    std::vector<filch::future<void>> awaited;
    while (budget != 0) {
      // Mostly leaves, now and then a subtree: many children, and not too deep.
      const std::uint64_t share = random.below(16) == 0 ? 1 + random.below(budget) : 1;
      budget -= share;
      const std::uint64_t below = random.bits();
      const auto child = [this, below, share] { grow(below, share); };
      filch::submit_options how;
      if (uses_bands_) how.priority = any<filch::priority>(random);
      if (random.below(8) == 0 && awaited.size() < 8) awaited.push_back(rt_.submit(child, how));
      else rt_.spawn(child, how);
      if (random.below(32) == 0) wait_for_some(awaited, random);
    }
    for (auto& each : awaited) each.get();
  }
  [[nodiscard]] std::uint64_t ran() const { return ran_; }

 private:
  static void wait_for_some(std::vector<filch::future<void>>& awaited, random_stream& random) {
    while (!awaited.empty() && random.below(3) != 0) {
      std::swap(awaited[static_cast<std::size_t>(random.below(awaited.size()))], awaited.back());
      awaited.back().get();
      awaited.pop_back();
    }
  }

  filch::runtime& rt_;
  const bool uses_bands_;
  std::atomic<std::uint64_t> ran_{0};
};

void check(const options& how, std::uint64_t tasks, random_stream& random) {
  SCOPED_TRACE(filch::policy::describe(how.search()) + " workers=" + std::to_string(*how.workers) +
               (how.deques == filch::deques::locked ? " locked" : ""));
  filch::runtime rt{how};
  tree grown{rt, random.below(4) == 0};
  std::atomic<std::uint64_t> progress{0};
  const filch_test::watchdog dog{"conservation", progress, [&] { return rt.dump() + to_string(rt.statistics()); }};
  // From outside, in some parts, so that injector and mail have something to do.
  const std::uint64_t parts = 1 + random.below(4);
  for (std::uint64_t i = 0; i != parts; ++i) {
    rt.spawn([&grown, seed = random.bits(), share = tasks / parts] { grown.grow(seed, share); });
  }
  rt.wait_idle();
  const auto books = rt.statistics();
  const auto total = books.total();
  EXPECT_EQ(grown.ran(), tasks / parts * parts);
  EXPECT_EQ(total[count::executed], grown.ran());
  EXPECT_EQ(total[count::executed], books.submitted_outside + total[count::spawned]);
  EXPECT_EQ(total[count::stolen_by_me], total[count::stolen_from_me]);
  EXPECT_EQ(books.unfinished(), 0u);
  EXPECT_TRUE(rt.shutdown());
  const auto after = rt.statistics();
  EXPECT_EQ(after.injector_length, 0u);
  for (const auto& each : after.workers) EXPECT_EQ(each.queue_length, 0u);
}

// One test case per choice of victims and deque; within it every combination of wake, order, idle and steal.
struct part {
  filch::victims victims;
  filch::deques deques;
};

class conservation : public testing::TestWithParam<part> {};

std::vector<part> all_parts() {
  std::vector<part> parts;
  for (std::size_t i = 0; i != filch::policy::names<filch::victims>::all.size(); ++i) {
    for (const auto deques : {filch::deques::lock_free, filch::deques::locked}) {
      parts.push_back({static_cast<filch::victims>(i), deques});
    }
  }
  return parts;
}

TEST_P(conservation, holds_for_every_combination_of_policies) {
  const std::size_t wakes = filch::policy::names<filch::wake>::all.size();
  const std::size_t orders = filch::policy::names<filch::order>::all.size();
  const std::uint64_t combinations = wakes * orders * k_steals.size() * k_idles.size() * k_placements.size();
  // Half of all tasks go here, in equal parts, the other half into the random options below.
  const std::uint64_t tasks = std::max<std::uint64_t>(k_tasks_in_all / 2 / all_parts().size() / combinations, 5);
  random_stream random = random_stream{filch_test::test_seed()}.split(static_cast<std::uint64_t>(GetParam().victims));
  for (std::size_t wake = 0; wake != wakes; ++wake) {
    for (std::size_t order = 0; order != orders; ++order) {
      for (const auto& steal : k_steals) {
        for (const auto& idle : k_idles) {
          for (const auto& placement : k_placements) {
            options how = random_options(random);
            how.victims = GetParam().victims;
            how.deques = GetParam().deques;
            how.wake = static_cast<filch::wake>(wake);
            how.order = static_cast<filch::order>(order);
            how.steal = steal;
            how.idle = idle;
            how.placement = placement;
            check(how, tasks, random);
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(all, conservation, testing::ValuesIn(all_parts()), [](const auto& of) {
  return std::string{to_string(of.param.victims)} +
         (of.param.deques == filch::deques::locked ? "_locked" : "_lock_free");
});

TEST(conservation_in_large, holds_for_random_options_and_large_trees) {
  random_stream random{filch_test::test_seed()};
  constexpr std::uint64_t k_rounds = 20;
  for (std::uint64_t i = 0; i != k_rounds; ++i) check(random_options(random), k_tasks_in_all / 2 / k_rounds, random);
}

}  // namespace
