// Searches: the first that is found, and an early end.
#include "on_workers.hpp"

#include <filch/trace/session.hpp>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <list>
#include <ranges>
#include <stdexcept>
#include <vector>

namespace {

FILCH_ON_WORKERS(find);

TEST_P(find, the_first_of_several_is_found) {
  run([] {
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{20}, std::size_t{1000}, std::size_t{200'000}}) {
      std::vector<int> xs(n, 0);
      EXPECT_EQ(filch::find(xs, 1), xs.end());
      EXPECT_TRUE(filch::none_of(xs, [](int x) { return x == 1; }));
      EXPECT_TRUE(filch::all_of(xs, [](int x) { return x == 0; }));
      for (std::size_t at = n / 3; at < n; at += n / 3 + 1) {
        xs[at] = 1;
        xs[n - 1] = 1;
        EXPECT_EQ(filch::find(xs, 1), xs.begin() + static_cast<std::ptrdiff_t>(at));
        EXPECT_EQ(filch::find_if_not(xs, [](int x) { return x == 0; }), xs.begin() + static_cast<std::ptrdiff_t>(at));
        EXPECT_TRUE(filch::any_of(xs, [](int x) { return x == 1; }));
        EXPECT_FALSE(filch::all_of(xs, [](int x) { return x == 0; }));
        xs[at] = xs[n - 1] = 0;
      }
    }
  });
}

// Several strands find something at the same time; the lowest counts.
TEST_P(find, the_first_is_found_when_elements_take_time) {
  run([] {
    std::list<int> xs;
    for (int i = 0; i != 60; ++i) xs.push_back(i);
    for (const int first : {0, 1, 13, 29, 59}) {
      const auto slowly = [&](int x) {
        algo_test::take_time();
        return x == first || x > first + 3;
      };
      const auto found = filch::find_if(xs, slowly);
      ASSERT_NE(found, xs.end());
      EXPECT_EQ(*found, first);
    }
  });
}

TEST_P(find, what_lies_far_behind_the_found_element_is_not_looked_at) {
  std::atomic<int> looked{0};
  const std::vector<int> xs(1'000'000, 1);
  run([&] {
    const auto slowly = [&](int x) {
      ++looked;
      algo_test::take_time();
      return x == 1;
    };
    EXPECT_EQ(filch::find_if(xs, slowly), xs.begin());
  });
  EXPECT_LT(looked, 1000);
}

// A place in a sequence, any of which can be reached at once; those that go farther than to the next are counted.
class counted_jump {
 public:
  using value_type = int;
  using difference_type = std::ptrdiff_t;

  counted_jump() = default;
  counted_jump(std::atomic<long>& jumps, int at) : jumps_{&jumps}, at_{at} {}
  int operator*() const { return at_; }
  int operator[](std::ptrdiff_t n) const { return *(*this + n); }
  counted_jump& operator+=(std::ptrdiff_t n) {
    ++*jumps_;
    at_ += static_cast<int>(n);
    return *this;
  }
  counted_jump& operator-=(std::ptrdiff_t n) { return *this += -n; }
  counted_jump& operator++() {
    ++at_;
    return *this;
  }
  counted_jump& operator--() {
    --at_;
    return *this;
  }
  counted_jump operator++(int) { return {*jumps_, at_++}; }
  counted_jump operator--(int) { return {*jumps_, at_--}; }
  [[maybe_unused]] friend counted_jump operator+(counted_jump a, std::ptrdiff_t n) { return a += n; }
  [[maybe_unused]] friend counted_jump operator+(std::ptrdiff_t n, counted_jump a) { return a += n; }
  [[maybe_unused]] friend counted_jump operator-(counted_jump a, std::ptrdiff_t n) { return a -= n; }
  [[maybe_unused]] friend std::ptrdiff_t operator-(const counted_jump& a, const counted_jump& b) {
    return a.at_ - b.at_;
  }
  [[maybe_unused]] friend bool operator==(const counted_jump& a, const counted_jump& b) { return a.at_ == b.at_; }
  [[maybe_unused]] friend auto operator<=>(const counted_jump& a, const counted_jump& b) { return a.at_ <=> b.at_; }

 private:
  std::atomic<long>* jumps_ = nullptr;
  int at_ = 0;
};
static_assert(std::random_access_iterator<counted_jump>);

// Bug: after the end of a search with a grain its loop went on to the last element, one grain after the other.
void expect_early_end(int wanted) {
  for (const std::size_t grain : {std::size_t{1}, std::size_t{10}}) {
    std::atomic<long> jumps{0};
    const counted_jump begin{jumps, 0};
    EXPECT_EQ(*filch::find(begin, counted_jump{jumps, 1'000'000}, wanted, filch::hint{.grain = grain}), wanted);
    EXPECT_LT(jumps, 1000);
  }
}
TEST_P(find, with_a_grain_ends_in_the_first_block) {
  run([] { expect_early_end(0); });
}
// The one worker of a recording divides its loops, and there is no other to look at the parts before the end.
TEST(find_on_a_recorded_worker, with_a_grain_ends_early) {
  filch::trace::session recorded{{.workers = 1, .forks = filch::trace::fork_detail::beat}};
  filch::runtime rt{{.workers = 1, .trace = &recorded}};
  recorded.start();
  rt.run([] { expect_early_end(70); });
  recorded.stop();
}

// A place in a long sequence that can only be walked, and that counts the steps.
class counted_step {
 public:
  using value_type = int;
  using difference_type = std::ptrdiff_t;

  counted_step() = default;
  explicit counted_step(std::atomic<long>& steps) : steps_{&steps} {}
  int operator*() const { return at_; }
  counted_step& operator++() {
    ++*steps_;
    ++at_;
    return *this;
  }
  counted_step operator++(int) {
    const counted_step before = *this;
    ++*this;
    return before;
  }
  bool operator==(const counted_step& other) const { return at_ == other.at_; }
  friend bool operator==(const counted_step& a, std::default_sentinel_t) { return a.at_ == 10'000'000; }

 private:
  std::atomic<long>* steps_ = nullptr;
  int at_ = 0;
};

// The end of a list is not looked for first: only what lies shortly behind the found element is walked over. That much
// is gone over thrice: to find the end of the window, to search, to return the place; and up to once for each halving,
// to find the middle. All of the sequence are 10 million steps.
TEST_P(find, of_what_must_be_walked_little_more_is_walked_than_what_lies_before_the_found_element) {
  run([] {
    for (const int wanted : {0, 3, 1023, 1024, 1025, 3072, 5000, 100'000}) {
      std::atomic<long> steps{0};
      EXPECT_EQ(*filch::find(counted_step{steps}, std::default_sentinel, wanted), wanted);
      const long reached = wanted + std::min(wanted + 1024, 65'536);
      EXPECT_LT(steps, 20 * reached);
      EXPECT_TRUE(filch::any_of(counted_step{steps}, std::unreachable_sentinel, [&](int x) { return x == wanted; }));
    }
  });
}

// A sequence that ends shortly behind what is to be found, and does not say so.
class bounded_step {
 public:
  using value_type = int;
  using difference_type = std::ptrdiff_t;

  int operator*() const { return at_; }
  bounded_step& operator++() {
    EXPECT_LT(at_, k_last);
    ++at_;
    return *this;
  }
  bounded_step operator++(int) {
    const bounded_step before = *this;
    ++*this;
    return before;
  }
  bool operator==(const bounded_step& other) const = default;

  static constexpr int k_fork_requested = 1'100'000;
  static constexpr int k_last = k_fork_requested + 65'536;

 private:
  int at_ = 0;
};

// Bug: windows became longer without bound, so a search went up to as far again behind the found element.
TEST_P(find, no_more_than_65536_elements_behind_the_found_one_are_walked_over) {
  run([] {
    EXPECT_EQ(*filch::find(bounded_step{}, std::unreachable_sentinel, bounded_step::k_fork_requested),
              bounded_step::k_fork_requested);
  });
}

TEST_P(find, a_range_without_an_end_is_searched) {
  run([] {
    EXPECT_EQ(*filch::find(std::views::iota(5), 3000), 3000);
    EXPECT_EQ(*filch::find_if_not(std::views::iota(5L), [](long x) { return x < 50'000; }), 50'000);
    EXPECT_FALSE(filch::all_of(std::views::iota(5), [](int x) { return x < 50'000; }));
  });
}

// Elements that are temporaries stay so: a predicate may ask for nothing else.
TEST_P(find, a_predicate_gets_elements_as_they_are) {
  run([] {
    const auto is_small = [](int&& x) { return x < 7; };
    const auto numbers = std::views::iota(0, 10);
    EXPECT_EQ(*filch::find_if_not(numbers, is_small), 7);
    EXPECT_FALSE(filch::all_of(numbers, is_small));
    EXPECT_EQ(filch::count_if(numbers, is_small), 7);
  });
}

TEST_P(find, an_exception_arrives) {
  const std::vector<int> xs(5000, 1);
  EXPECT_THROW(run([&] { (void)filch::find_if(xs, [](int) -> bool { throw std::runtime_error{"no"}; }); }),
               std::runtime_error);
}

}  // namespace
