// for_each, for_index, transform, fill, generate: every element exactly once, whatever throws.
#include "on_workers.hpp"

#include <support/spin_until.hpp>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <list>
#include <memory>
#include <numeric>
#include <ranges>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace {

FILCH_ON_WORKERS(for_each);

TEST_P(for_each, every_index_is_called_exactly_once) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{31}, std::size_t{32},
                              std::size_t{1000}, std::size_t{100'003}}) {
    std::vector<std::atomic<int>> calls(n);
    run([&] { filch::for_index(n, [&](std::size_t i) { ++calls[i]; }); });
    for (std::size_t i = 0; i != n; ++i) ASSERT_EQ(calls[i], 1) << i << " of " << n;
  }
}

TEST_P(for_each, every_index_is_called_exactly_once_when_elements_take_time) {
  for (const std::size_t n : {std::size_t{2}, std::size_t{3}, std::size_t{31}, std::size_t{32}, std::size_t{200}}) {
    for (const std::size_t grain : {std::size_t{0}, std::size_t{1}, std::size_t{7}}) {
      std::vector<std::atomic<int>> calls(n);
      const auto body = [&](std::size_t i) {
        algo_test::take_time();
        ++calls[i];
      };
      run([&] { filch::for_index(n, body, filch::hint{.grain = grain}); });
      for (std::size_t i = 0; i != n; ++i) ASSERT_EQ(calls[i], 1) << i << " of " << n;
    }
  }
}

TEST_P(for_each, signed_and_narrow_indices_run_from_first_to_before_last) {
  std::atomic<long> sum{0};
  run([&] {
    filch::for_index(-5, 6, [&](int i) { sum += i + 100; });
    filch::for_index(6, -5, [&](int) { sum += 1'000'000; });
    filch::for_index(std::int8_t{-128}, std::int8_t{127}, [&](std::int8_t) { sum += 1; });
  });
  EXPECT_EQ(sum, 1100 + 255);
}

// The index has the common type of both ends, and nothing is cut off.
TEST_P(for_each, indices_of_different_types_meet_in_their_common_one) {
  run([] {
    const std::vector<int> xs(1000);
    std::atomic<std::size_t> sum{0};
    filch::for_index(0, xs.size(), [&](auto i) {
      static_assert(std::is_same_v<decltype(i), std::size_t>);
      sum += i;
    });
    EXPECT_EQ(sum, 499'500u);
    std::atomic<int> calls{0};
    filch::for_index(INT_MAX, std::int64_t{INT_MAX} + 3, [&](std::int64_t i) { calls += i >= INT_MAX ? 1 : 100; });
    EXPECT_EQ(calls, 3);
  });
}

TEST_P(for_each, indices_from_below_zero_to_an_unsigned_last_are_refused) {
  run([] {
    std::atomic<int> calls{0};
    filch::for_index(6U, -5, [&](unsigned) { ++calls; });
    EXPECT_EQ(calls, 0);
    try {
      filch::for_index(-1, 5U, [&](unsigned) { ++calls; });
      FAIL();
    } catch (const std::invalid_argument& error) {
      EXPECT_STREQ(error.what(), "filch::for_index: first is -1; before an unsigned last allowed are 0 and more");
    }
  });
}

TEST_P(for_each, vectors_deques_pointers_and_lists_are_taken) {
  run([] {
    std::vector<int> v(5000, 1);
    filch::for_each(v, [](int& x) { ++x; });
    filch::for_each(v.data(), v.data() + v.size(), [](int& x) { ++x; });
    EXPECT_EQ(v, std::vector<int>(5000, 3));
    std::deque<int> d(5000, 1);
    filch::for_each(d.begin(), d.end(), [](int& x) { ++x; });
    EXPECT_EQ(d, std::deque<int>(5000, 2));
    std::list<int> l(5000, 1);
    filch::for_each(l, [](int& x) { ++x; }, filch::hint{.grain = 10});
    EXPECT_EQ(l, std::list<int>(5000, 2));
    std::forward_list<int> f(5000, 1);
    filch::for_each(f, [](int& x) { ++x; });
    EXPECT_EQ(f, std::forward_list<int>(5000, 2));
  });
}

TEST_P(for_each, a_list_whose_elements_take_time_is_divided_by_walking) {
  std::list<std::atomic<int>> l(100);
  run([&] {
    filch::for_each(l, [](std::atomic<int>& x) {
      algo_test::take_time();
      ++x;
    });
  });
  for (const auto& x : l) ASSERT_EQ(x, 1);
}

// Bug: the blocks of what is read once were vectors of bool, whose elements are no bool& and share their bytes.
TEST_P(for_each, a_stream_of_bools_gives_each_as_an_object_of_its_own) {
  std::istringstream text{"1 0 1 1"};
  std::atomic<int> sum{0};
  run([&] {
    filch::for_each(std::views::istream<bool>(text), [&](bool& x) {
      x = !x;
      sum += x;
    });
  });
  EXPECT_EQ(sum, 1);
}

TEST_P(for_each, a_stream_is_read_once_by_one_at_a_time) {
  std::string text;
  for (int i = 0; i != 20'000; ++i) text += std::to_string(i) + ' ';
  std::istringstream stream{text};
  std::atomic<long> sum{0};
  run([&] { filch::for_each(std::views::istream<int>(stream), [&](int x) { sum += x; }); });
  EXPECT_EQ(sum, 20'000L * 19'999 / 2);
}

TEST_P(for_each, elements_may_be_moved_only_and_members_may_be_called) {
  struct counter {
    int value = 0;
    void bump() { ++value; }
  };
  run([] {
    std::vector<std::unique_ptr<counter>> v(1000);
    filch::generate(v, [] { return std::make_unique<counter>(); });
    filch::for_each(v, [](std::unique_ptr<counter>& x) { x->bump(); });
    std::vector<counter> plain(1000);
    filch::for_each(plain, &counter::bump);
    for (std::size_t i = 0; i != 1000; ++i) ASSERT_EQ(v[i]->value + plain[i].value, 2);
  });
}

// Property: all that began have ended when the exception arrives, and nothing begins afterwards. On one worker elements
// behind the one that throws never begin.
TEST_P(for_each, an_exception_of_any_element_arrives_when_all_that_began_have_ended) {
  for (std::size_t bad = 0; bad < 64; bad += 3) {
    std::atomic<int> running{0};
    std::atomic<std::size_t> begun{0};
    std::string caught;
    run([&] {
      try {
        filch::for_index(std::size_t{64}, [&](std::size_t i) {
          ++running;
          ++begun;
          if (i % 16 == 5) algo_test::take_time();
          --running;
          if (i == bad) throw std::runtime_error{std::to_string(i)};
        });
      } catch (const std::runtime_error& error) {
        EXPECT_EQ(running, 0);
        caught = error.what();
      }
    });
    EXPECT_EQ(caught, std::to_string(bad));
    if (GetParam() == 1) {
      EXPECT_EQ(begun, bad + 1);
    }
  }
}

TEST_P(for_each, when_all_throw_one_exception_arrives) {
  for (int i = 0; i != 20; ++i) {
    EXPECT_THROW(run([&] {
                   filch::for_index(100, [](int) {
                     algo_test::take_time();
                     throw std::runtime_error{"every"};
                   });
                 }),
                 std::runtime_error);
  }
}

TEST_P(for_each, loops_nest) {
  std::atomic<int> count{0};
  run([&] {
    filch::for_index(20, [&](int) { filch::for_index(50, [&](int) { filch::for_index(20, [&](int) { ++count; }); }); });
  });
  EXPECT_EQ(count, 20'000);
}

TEST_P(for_each, transform_writes_every_result_at_its_place) {
  run([] {
    std::vector<int> a(70'001);
    std::iota(a.begin(), a.end(), 0);
    std::vector<long> out(a.size());
    EXPECT_EQ(filch::transform(a, out.begin(), [](int x) { return 2L * x; }), out.end());
    for (std::size_t i = 0; i != a.size(); ++i) ASSERT_EQ(out[i], 2 * static_cast<long>(i));
    EXPECT_EQ(filch::transform(a, out, out.begin(), [](int x, long y) { return y - x; }), out.end());
    EXPECT_EQ(out, std::vector<long>(a.begin(), a.end()));
    EXPECT_EQ(filch::transform(a.begin(), a.end(), a.begin(), [](int x) { return x + 1; }), a.end());
    EXPECT_EQ(a.back(), 70'001);
    filch::fill(a, 7);
    EXPECT_EQ(a, std::vector<int>(70'001, 7));
    filch::fill(a.begin(), a.begin() + 30'000, 8);
    filch::generate(a.begin() + 30'000, a.end(), [] { return 9; });
    EXPECT_EQ(filch::count(a, 8), 30'000);
    EXPECT_EQ(filch::count(a.begin(), a.end(), 9), 40'001);
    EXPECT_EQ(filch::copy(a, out.begin()), out.end());
    EXPECT_EQ(out, std::vector<long>(a.begin(), a.end()));
    EXPECT_EQ(filch::for_each_n(a.begin(), 30'000, [](int& x) { ++x; }), a.begin() + 30'000);
    EXPECT_EQ(filch::count(a, 9), 70'001);
  });
}

TEST(for_each_on_one_worker, two_elements_that_block_do_so_at_the_same_time) {
  filch::runtime rt{{.workers = 1}};
  std::vector<int> items(2);
  std::atomic<int> begun{0};
  std::atomic<int> met{0};
  rt.run([&] {
    filch::for_each(items, [&](int&) {
      filch::blocking([&] {
        ++begun;
        if (filch_test::spin_until([&] { return begun.load() == 2; })) ++met;
      });
    });
  });
  EXPECT_EQ(met, 2);
}

TEST(for_each_on_one_worker, indices_farther_apart_than_the_largest_do_not_overflow) {
  EXPECT_EQ(filch::algo::detail::ahead(-2'000'000'000, 4'000'000'000u), 2'000'000'000);
  EXPECT_EQ(filch::algo::detail::ahead(std::int8_t{-128}, 255), std::int8_t{127});
}

// Parallelism itself: with workers that have nothing to do, somebody comes for a loop that takes long.
TEST(for_each_on_two_workers, a_loop_that_takes_long_is_shared) {
  filch::runtime rt{{.workers = 2}};
  for (const int n : {2, 8, 100}) {
    std::set<filch::worker_id> seen;
    for (int attempt = 0; attempt != 200 && seen.size() < 2; ++attempt) {
      std::mutex mutex;
      rt.run([&] {
        filch::for_index(n, [&](int) {
          std::this_thread::sleep_for(std::chrono::milliseconds{1});
          const std::lock_guard lock{mutex};
          seen.insert(filch::this_worker());
        });
      });
    }
    EXPECT_EQ(seen.size(), 2u) << n;
  }
}

// Property: a loop whose elements took long the last time is divided before its first element ends. Oracle: the first
// element sees one of the upper half begin. Method: the first call teaches the site; a worker that has nothing to do
// has asked by then, or does at one of the next attempts.
TEST(for_each_on_two_workers, a_loop_that_took_long_before_is_divided_before_it_begins) {
  filch::runtime rt{{.workers = 2}};
  constexpr int k_count = 1000;
  bool has_met = false;
  for (int attempt = 0; attempt != 200 && !has_met; ++attempt) {
    std::atomic<bool> has_upper_begun{false};
    const auto loop = [&] {
      filch::for_index(k_count, [&](int i) {
        if (i >= k_count / 2) has_upper_begun.store(true);
        if (i != 0) return;
        for (int look = 0; look != 50 && !has_upper_begun.load(); ++look)
          std::this_thread::sleep_for(std::chrono::milliseconds{1});
        has_met = has_upper_begun.load();
      });
    };
    rt.submit_to(filch::worker_id{0}, loop).get();  // which begins with the lower half
  }
  EXPECT_TRUE(has_met);
}

// Property: a worker that divides its loop keeps the half that it would keep the next time, wherever the loop begins.
// Oracle: of two workers the second runs the last element, if the loop was shared. Method: elements that take long,
// until that is the case. Without visitors, who take the upper half from whichever worker does not answer.
TEST(for_each_on_two_workers, each_half_stays_with_its_worker) {
  filch::runtime rt{{.workers = 2, .interrupts = false}};
  constexpr std::size_t k_count = 100;
  for (const filch::worker_id begins : {filch::worker_id{0}, filch::worker_id{1}}) {
    bool was_shared = false;
    for (int attempt = 0; attempt != 200 && !was_shared; ++attempt) {
      std::vector<filch::worker_id> who(k_count, filch::worker_id::none());
      const auto loop = [&] {
        filch::for_index(k_count, [&](std::size_t i) {
          std::this_thread::sleep_for(std::chrono::microseconds{200});
          who[i] = filch::this_worker();
        });
      };
      rt.submit_to(begins, loop).get();
      was_shared = std::ranges::any_of(who, [&](filch::worker_id each) { return each != begins; });
      if (was_shared) {
        EXPECT_EQ(who.back().value, 1u) << "begun by " << begins.value;
      }
    }
    EXPECT_TRUE(was_shared) << "begun by " << begins.value;
  }
}

// Property: of two exceptions that of the lower element arrives, whichever half its worker began with. Oracle: the
// lowest index that was thrown. Method: as soon as both workers are inside an element, each throws its index.
TEST(for_each_on_two_workers, the_exception_of_the_lowest_element_arrives) {
  filch::runtime rt{{.workers = 2}};
  for (const filch::worker_id begins : {filch::worker_id{0}, filch::worker_id{1}}) {
    bool have_both_thrown = false;
    for (int attempt = 0; attempt != 200 && !have_both_thrown; ++attempt) {
      std::atomic<bool> is_shared{false};
      std::mutex mutex;
      std::set<int> thrown;
      int caught = -1;
      const auto loop = [&] {
        try {
          filch::for_index(1000, [&](int i) {
            std::this_thread::sleep_for(std::chrono::microseconds{200});
            if (filch::this_worker() != begins) is_shared.store(true);
            if (!is_shared.load()) return;
            {
              const std::lock_guard lock{mutex};
              thrown.insert(i);
            }
            for (int look = 0; look != 100; ++look) {
              std::this_thread::sleep_for(std::chrono::microseconds{100});
              const std::lock_guard lock{mutex};
              if (thrown.size() == 2) break;
            }
            throw i;
          });
        } catch (int index) {
          caught = index;
        }
      };
      rt.submit_to(begins, loop).get();
      have_both_thrown = thrown.size() == 2;
      if (!thrown.empty()) {
        EXPECT_EQ(caught, *thrown.begin()) << "begun by " << begins.value;
      }
    }
    EXPECT_TRUE(have_both_thrown) << "begun by " << begins.value;
  }
}

}  // namespace
