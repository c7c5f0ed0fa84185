// The deques with real threads. The oracle is conservation throughout: each item that was pushed is taken exactly once,
// by the owner or by a thief, and its contents have arrived with it.
#include <filch/base/random.hpp>
#include <filch/queue/deque.hpp>
#include <filch/queue/locked_deque.hpp>

#include <gtest/gtest.h>
#include <support/stress.hpp>
#include <support/test_seed.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace {

using filch::random_stream;
using filch::queue::steal_status;
using filch_test::scaled;
using filch_test::test_seed;

// `contents` is plain data: whoever takes the task reads it, so a sanitizer sees a push that does not publish.
struct task {
  std::uint64_t contents = 0;
  std::atomic<std::uint32_t> times_taken{0};
};

// All tasks of a test, and the account of who took what.
class ledger {
 public:
  explicit ledger(std::uint64_t count) : tasks_(count) {}

  [[nodiscard]] std::uint64_t size() const { return tasks_.size(); }
  [[nodiscard]] bool is_done() const {
    return taken_.load(std::memory_order_relaxed) >= size();  // statistic
  }
  [[nodiscard]] const std::atomic<std::uint64_t>& progress() const { return taken_; }

  task* write(std::uint64_t number) {
    tasks_[number].contents = number + 1;
    return &tasks_[number];
  }
  void take(task* t) {
    if (t->contents != static_cast<std::uint64_t>(t - tasks_.data()) + 1) torn_.fetch_add(1, std::memory_order_relaxed);
    t->times_taken.fetch_add(1, std::memory_order_relaxed);
    taken_.fetch_add(1, std::memory_order_relaxed);
  }

  void expect_each_exactly_once() const {
    EXPECT_EQ(taken_.load(std::memory_order_relaxed), size());
    EXPECT_EQ(torn_.load(std::memory_order_relaxed), 0u);
    for (std::uint64_t i = 0; i != size(); ++i) {
      ASSERT_EQ(tasks_[i].times_taken.load(std::memory_order_relaxed), 1u) << "task " << i;
    }
  }

 private:
  std::vector<task> tasks_;
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint64_t> torn_{0};
};

enum class order { lifo, fifo, mixed };

template <class Owner>
task* take_own(Owner owner, order how, random_stream& random) {
  const bool newest = how == order::lifo || (how == order::mixed && random.below(2) == 0);
  return (newest ? owner.pop() : owner.pop_oldest()).value_or(nullptr);
}

struct plan {
  std::uint64_t items = 0;
  std::size_t thieves = 1;
  order owner_order = order::lifo;
  std::uint32_t capacity = 256;
  std::uint64_t first_index = 0;
  std::uint64_t longest_burst = 8;
};

// One owner pushes in bursts of random length and takes some back, trims whenever its deque has become empty; thieves
// steal until everything is taken.
void owner_against_thieves(const plan& p, std::uint64_t salt) {
  using deque = filch::queue::deque<task*>;
  ledger tasks{p.items};
  deque d{p.capacity, p.first_index};
  filch_test::watchdog join_limit{"owner_against_thieves", tasks.progress(),
                                  [&] { return "still in the deque: " + std::to_string(d.size_hint()); }};
  const random_stream seeds = random_stream{test_seed()}.split(salt);
  filch_test::run_threads(1 + p.thieves, [&](std::size_t self) {
    random_stream random = seeds.split(self);
    if (self != 0) {
      while (!tasks.is_done()) {
        if (const auto stolen = d.thief().steal(); stolen.is_taken()) tasks.take(stolen.item);
      }
      return;
    }
    auto owner = d.owner();
    std::uint64_t next = 0;
    while (next != p.items) {
      for (std::uint64_t n = 1 + random.below(p.longest_burst); n != 0 && next != p.items; --n) {
        owner.push(tasks.write(next++));
      }
      for (std::uint64_t n = random.below(p.longest_burst + 2); n != 0; --n) {
        task* const mine = take_own(owner, p.owner_order, random);
        if (mine == nullptr) {
          (void)owner.trim();
          break;
        }
        tasks.take(mine);
      }
    }
    while (task* const mine = take_own(owner, p.owner_order, random)) tasks.take(mine);
  });
  tasks.expect_each_exactly_once();
  EXPECT_EQ(d.size_hint(), 0u);
  EXPECT_EQ(d.thief().steal().status, steal_status::empty);
}

// Property: no interleaving of push, pop, pop_oldest and steal loses or doubles an item. Oracle: conservation, and the
// contents of each item. Method: short bursts keep the deque nearly empty, where owner and thieves meet; one to three
// thieves, an owner in LIFO, FIFO and mixed order.
TEST(deque_stress, every_item_goes_to_exactly_one_of_owner_and_thieves) {
  for (std::size_t thieves = 1; thieves <= 3; ++thieves) {
    for (const order how : {order::lifo, order::fifo, order::mixed}) {
      SCOPED_TRACE(testing::Message() << thieves << " thieves, order " << static_cast<int>(how));
      owner_against_thieves({.items = scaled(1'000'000), .thieves = thieves, .owner_order = how}, thieves);
    }
  }
}

// Property: growing and trimming under theft loses and doubles nothing, and a thief that holds an old ring gets nothing
// wrong from it. Oracle: conservation. Method: rings begin with one slot and bursts reach thousands, so that the owner
// grows through a dozen rings, empties them and trims, again and again, into rings that were used before; the largest
// are mappings whose pages are given back.
TEST(deque_stress, growth_and_trim_under_theft_lose_nothing) {
  for (std::size_t thieves = 1; thieves <= 3; ++thieves) {
    for (const std::uint64_t burst : {std::uint64_t{20}, std::uint64_t{1'000}, std::uint64_t{40'000}}) {
      SCOPED_TRACE(testing::Message() << thieves << " thieves, bursts up to " << burst);
      owner_against_thieves({.items = scaled(1'000'000), .thieves = thieves, .capacity = 1, .longest_burst = burst},
                            10 + thieves);
    }
  }
}

// Property: the same where the indices pass 2^32, the largest signed number and zero. Oracle: conservation. Method:
// each run begins a little below the wrap-around, so that it is passed while thieves are at work.
TEST(deque_stress, indices_pass_a_wrap_around_under_theft) {
  const std::uint64_t below = scaled(100'000) / 2;
  for (const std::uint64_t wrap : {std::uint64_t{1} << 32, std::uint64_t{1} << 63, std::uint64_t{0}}) {
    SCOPED_TRACE(testing::Message() << "wrap at " << wrap);
    owner_against_thieves({.items = scaled(300'000),
                           .thieves = 2,
                           .owner_order = order::mixed,
                           .capacity = 2,
                           .first_index = wrap - below},
                          wrap >> 32);
  }
}

// Property: the last item goes to exactly one of owner and thief. Oracle: conservation of every single item. Method:
// the owner pushes one item and at once pops it, so every item is the last one; both orders of the owner.
TEST(deque_stress, the_last_item_goes_to_exactly_one_of_owner_and_thief) {
  for (const order how : {order::lifo, order::fifo}) {
    owner_against_thieves(
        {.items = scaled(2'000'000), .thieves = 1, .owner_order = how, .capacity = 1, .longest_burst = 1}, 20);
  }
}

template <class Deque>
class robbers_stress : public testing::Test {};
using kinds = testing::Types<filch::queue::deque<task*>, filch::queue::locked_deque<task*>>;
TYPED_TEST_SUITE(robbers_stress, kinds);

// Property: deques that rob each other by halves lose and double nothing, and do not block each other. Oracle:
// conservation, and the watchdog. Method: three workers, each with its deque; in random order each pushes a burst of
// its own items, takes from its own deque, and, when that is empty, trims it and takes one item or half of them from
// another one's, with a random limit.
TYPED_TEST(robbers_stress, deques_that_rob_each_other_by_halves_lose_nothing) {
  constexpr std::size_t k_workers = 3;
  ledger tasks{k_workers * scaled(600'000)};
  std::vector<std::unique_ptr<TypeParam>> deques;
  for (std::size_t i = 0; i != k_workers; ++i) deques.push_back(std::make_unique<TypeParam>(1));
  std::atomic<std::uint64_t> moved{0};
  filch_test::watchdog join_limit{"robbers_stress", tasks.progress(), [&] {
                                    std::string state = "still in the deques:";
                                    for (const auto& d : deques) (state += ' ') += std::to_string(d->size_hint());
                                    return state;
                                  }};
  const random_stream seeds = random_stream{test_seed()}.split(30);
  filch_test::run_threads(k_workers, [&](std::size_t self) {
    random_stream random = seeds.split(self);
    auto own = deques[self]->owner();
    const auto how = static_cast<order>(self);
    std::uint64_t next = self;  // this worker's items are self, self + k_workers, …
    std::uint64_t moved_here = 0;
    while (!tasks.is_done()) {
      if (next < tasks.size() && random.below(4) == 0) {
        for (std::uint64_t n = 1 + random.below(200); n != 0 && next < tasks.size(); --n, next += k_workers) {
          own.push(tasks.write(next));
        }
      }
      if (task* const mine = take_own(own, how, random)) {
        tasks.take(mine);
        if (random.below(4) != 0) continue;
      } else {
        (void)own.trim();
      }
      auto victim = deques[(self + 1 + random.below(k_workers - 1)) % k_workers]->thief();
      if (random.below(4) == 0) {
        if (const auto stolen = victim.steal(); stolen.is_taken()) tasks.take(stolen.item);
      } else {
        const auto stolen = victim.steal_half(own, static_cast<std::uint32_t>(1 + random.below(256)));
        moved_here += stolen.moved;
        if (stolen.is_taken()) tasks.take(stolen.item);
      }
    }
    moved.fetch_add(moved_here, std::memory_order_relaxed);
  });
  tasks.expect_each_exactly_once();
  for (const auto& d : deques) EXPECT_EQ(d->size_hint(), 0u);
  EXPECT_GT(moved.load(std::memory_order_relaxed), 0u);
}

}  // namespace
