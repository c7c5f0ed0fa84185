// The idle protocol with real threads: workers with a deque and an inbox each, an injector, submitters outside. It is a
// runtime cut down to what the protocol needs. A lost wake-up is a hang, which the watchdog reports.
#include <filch/base/random.hpp>
#include <filch/park/idle.hpp>
#include <filch/queue/deque.hpp>
#include <filch/queue/inbox.hpp>
#include <filch/queue/injector.hpp>

#include <gtest/gtest.h>
#include <support/stress.hpp>
#include <support/test_seed.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using filch::worker_id;
using filch::park::duty;
using filch_test::scaled;

class team;

struct job : filch::queue::link {
  // Runs on a worker of the team.
  std::function<void(team&, worker_id)> run;
};

struct team_options {
  std::uint32_t workers = 2;
  std::uint32_t max_searching = filch::park::idle<>::k_max_workers;
  std::uint32_t spins = 0;              // further searches before going to sleep
  filch::time_ns longest_sleep_ns = 0;  // 0: sleeps have no deadline
};

class team {
 public:
  explicit team(const team_options& options) : options_{options}, idle_{options.workers, options.max_searching} {
    for (std::uint32_t i = 0; i != options.workers; ++i) workers_.push_back(std::make_unique<worker>());
    for (std::uint32_t i = 0; i != options.workers; ++i) {
      workers_[i]->thread = std::thread{[this, i] { work(worker_id{i}); }};
    }
  }
  team(const team&) = delete;
  team& operator=(const team&) = delete;
  ~team() { stop(); }

  // From outside.
  worker_id submit(job* j) {
    injector_.push(j);
    return idle_.notify();
  }
  bool submit_to(worker_id target, job* j) {
    workers_[target.value]->pinned.push(j);
    return idle_.notify_worker(target);
  }
  // From the worker itself.
  void spawn(worker_id self, job* j) {
    workers_[self.value]->deque.owner().push(j);
    (void)idle_.notify();
  }

  void stop() {
    if (stopping_.exchange(true, std::memory_order_relaxed)) return;
    (void)idle_.notify_all();
    for (const auto& w : workers_) w->thread.join();
    EXPECT_EQ(idle_.searching_hint(), 0u);
    EXPECT_EQ(idle_.sleeping_hint(), 0u);
    EXPECT_FALSE(work_is_visible(worker_id::none()));
  }

  // Every worker has looked for the last time and is at the door of its sleep.
  [[nodiscard]] bool all_sleep() const {
    return asleep_.load(std::memory_order_acquire) == options_.workers && idle_.sleeping_hint() == options_.workers;
  }
  [[nodiscard]] std::uint64_t wakes() const { return wakes_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t executed() const { return executed_.load(std::memory_order_acquire); }
  [[nodiscard]] const std::atomic<std::uint64_t>& progress() const { return executed_; }

  [[nodiscard]] std::string describe() const {
    std::string text = "injector " + std::to_string(injector_.size_hint()) + ", searching " +
                       std::to_string(idle_.searching_hint()) + ", sleeping " + std::to_string(idle_.sleeping_hint()) +
                       ", asleep " + std::to_string(asleep_) + ", wakes " + std::to_string(wakes_);
    for (const auto& w : workers_) {
      text += "; deque " + std::to_string(w->deque.size_hint()) + ", inbox " + std::to_string(w->pinned.size_hint());
    }
    return text;
  }

 private:
  struct worker {
    filch::queue::deque<job*> deque{2};
    filch::queue::inbox<> pinned;
    std::thread thread;
  };

  // Is there anything that this worker could do?
  [[nodiscard]] bool work_is_visible(worker_id self) const {
    if (!injector_.is_empty()) return true;
    for (const auto& w : workers_) {
      if (w->deque.size_hint() != 0) return true;
    }
    return self.is_some() && !workers_[self.value]->pinned.is_empty();
  }

  job* take_own(worker_id self) {
    worker& me = *workers_[self.value];
    if (const auto pinned = me.pinned.pop(); pinned.is_taken()) return static_cast<job*>(pinned.item);
    return me.deque.owner().pop().value_or(nullptr);
  }
  job* search(worker_id self) {
    for (std::uint32_t i = 0; i <= options_.spins; ++i) {
      if (const auto injected = injector_.pop(); injected.is_taken()) return static_cast<job*>(injected.item);
      for (std::uint32_t other = 1; other < options_.workers; ++other) {
        worker& victim = *workers_[(self.value + other) % options_.workers];
        if (const auto stolen = victim.deque.thief().steal(); stolen.is_taken()) return stolen.item;
      }
      if (job* const own = take_own(self)) return own;
    }
    return nullptr;
  }

  // Announce, look once more, sleep or back out. Afterwards the worker searches.
  void sleep(worker_id self, bool was_searching, filch::random_stream& random) {
    idle_.announce_sleep(self, was_searching);
    if (work_is_visible(self) || stopping_.load(std::memory_order_relaxed)) {  // ordered by [I3]
      idle_.retract_sleep(self);
      return;
    }
    filch::time_ns deadline_ns = filch::k_never_ns;
    if (options_.longest_sleep_ns != 0) {
      const auto span = static_cast<std::uint64_t>(options_.longest_sleep_ns);
      deadline_ns = filch::monotonic_now_ns() + static_cast<filch::time_ns>(random.below(span));
    }
    (void)workers_[self.value]->deque.owner().trim();
    asleep_.fetch_add(1, std::memory_order_release);
    (void)idle_.sleep(self, deadline_ns);
    asleep_.fetch_sub(1, std::memory_order_relaxed);
    wakes_.fetch_add(1, std::memory_order_relaxed);
  }

  void work(worker_id self) {
    filch::random_stream random = filch::random_stream{filch_test::test_seed()}.split(self.value);
    bool searching = false;
    while (true) {
      job* found = take_own(self);
      if (found == nullptr) {
        if (!searching) searching = idle_.try_start_searching();
        if (searching) found = search(self);
      }
      if (found == nullptr && !stopping_.load(std::memory_order_relaxed)) {
        sleep(self, searching, random);
        searching = true;
        continue;
      }
      if (searching) {
        searching = false;
        if (idle_.stop_searching() == duty::recheck && work_is_visible(worker_id::none())) (void)idle_.notify();
      }
      if (found == nullptr) return;
      found->run(*this, self);
      executed_.fetch_add(1, std::memory_order_release);
    }
  }

  const team_options options_;
  filch::park::idle<> idle_;
  filch::queue::injector<> injector_;
  std::vector<std::unique_ptr<worker>> workers_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint32_t> asleep_{0};
  std::atomic<std::uint64_t> wakes_{0};
  std::atomic<std::uint64_t> executed_{0};
};

filch_test::watchdog watch_over(const team& t) {
  return {"idle_stress", t.progress(), [&t] { return t.describe(); }};
}

// One submitter that lets at most `window` jobs be open at a time, so that the workers run dry again and again.
void submit_and_wait(const team_options& options, std::uint64_t jobs, std::uint64_t window) {
  team t{options};
  const auto watch = watch_over(t);
  std::vector<job> slots(window);
  std::vector<std::atomic<std::uint64_t>> runs(window);
  for (std::uint64_t i = 0; i != window; ++i) {
    slots[i].run = [&, i](team&, worker_id) { runs[i].fetch_add(1, std::memory_order_relaxed); };
  }
  filch::random_stream random{filch_test::test_seed()};
  std::uint64_t submitted = 0;
  while (submitted != jobs) {
    const std::uint64_t open = 1 + random.below(window);
    for (std::uint64_t i = 0; i != open && submitted != jobs; ++i, ++submitted) (void)t.submit(&slots[i]);
    while (t.executed() != submitted) std::this_thread::yield();
  }
  t.stop();
  std::uint64_t total = 0;
  for (const auto& count : runs) total += count.load(std::memory_order_relaxed);
  EXPECT_EQ(total, jobs);
  std::printf("%llu jobs, %llu wake-ups\n", static_cast<unsigned long long>(jobs),
              static_cast<unsigned long long>(t.wakes()));
}

// Property: no submission is lost between a worker's last look and its sleep. Oracle: every job is run; the watchdog.
// Method: a million cycles of submit, wake, run, idle, without a spin that could hide a fault. The submitter waits for
// its job, so a lost wake-up has nobody to repair it.
TEST(idle_stress, a_million_submissions_to_idle_workers_lose_no_wake_up) {
  submit_and_wait({.workers = 2}, scaled(1'000'000), 1);
}

// Property and oracle as above. Method: bursts of up to four jobs at three workers, so that notifications meet
// searchers that are about to leave.
TEST(idle_stress, bursts_of_submissions_lose_no_wake_up) { submit_and_wait({.workers = 3}, scaled(100'000), 4); }

// Property and oracle as above. Method: at most one searcher, so that workers go to sleep without a search.
TEST(idle_stress, workers_that_may_not_search_lose_no_wake_up) {
  submit_and_wait({.workers = 3, .max_searching = 1}, scaled(60'000), 3);
}

// Property and oracle as above. Method: a bounded spin before the sleep, which moves the moments at which the two sides
// meet.
TEST(idle_stress, workers_that_spin_before_they_sleep_lose_no_wake_up) {
  submit_and_wait({.workers = 2, .spins = 20}, scaled(60'000), 2);
  submit_and_wait({.workers = 3, .spins = 200}, scaled(30'000), 2);
}

// Property: a deadline that meets a notification leaves the counts right. Oracle: every job is run, and at the end
// nobody is counted as searching or sleeping. Method: sleeps of random length up to 20 µs. (Deadlines repair lost
// wake-ups, so this says nothing about those.)
TEST(idle_stress, deadlines_that_meet_notifications_leave_the_counts_right) {
  submit_and_wait({.workers = 2, .longest_sleep_ns = 20'000}, scaled(40'000), 3);
}

// Property: one submission to an idle set wakes exactly one worker. Oracle: `notify` names one, and the workers count
// their wake-ups: as many as submissions. Method: before each submission all workers are asleep.
TEST(idle_stress, one_submission_to_an_idle_set_wakes_exactly_one) {
  const std::uint64_t rounds = scaled(50'000);
  team t{{.workers = 3}};
  const auto watch = watch_over(t);
  job j;
  j.run = [](team&, worker_id) {};
  for (std::uint64_t round = 0; round != rounds; ++round) {
    while (!t.all_sleep()) std::this_thread::yield();
    ASSERT_EQ(t.wakes(), round);
    ASSERT_TRUE(t.submit(&j).is_some());
    while (t.executed() != round + 1) std::this_thread::yield();
  }
  while (!t.all_sleep()) std::this_thread::yield();
  EXPECT_EQ(t.wakes(), rounds);
}

// Property: work that a worker spawns is seen while that worker is busy: the last searcher does not leave it beside a
// sleeper. Oracle: the parent waits until another worker has run its child; if the wake-up were lost nobody would: the
// watchdog. Method: two workers; the parent comes through the injector, which keeps the other worker between search
// and sleep when the child is spawned.
TEST(idle_stress, a_child_of_a_busy_worker_finds_another_one) {
  const std::uint64_t rounds = scaled(60'000);
  team t{{.workers = 2}};
  const auto watch = watch_over(t);
  job parent;
  job child;
  std::atomic<std::uint64_t> children{0};
  std::atomic<std::uint32_t> parents_worker{0};
  std::atomic<std::uint64_t> on_the_same_worker{0};
  child.run = [&](team&, worker_id self) {
    if (self.value == parents_worker.load(std::memory_order_relaxed)) {
      on_the_same_worker.fetch_add(1, std::memory_order_relaxed);
    }
    children.fetch_add(1, std::memory_order_release);
  };
  parent.run = [&](team& where, worker_id self) {
    const std::uint64_t before = children.load(std::memory_order_relaxed);
    parents_worker.store(self.value, std::memory_order_relaxed);
    where.spawn(self, &child);
    while (children.load(std::memory_order_acquire) == before) std::this_thread::yield();
  };
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    (void)t.submit(&parent);
    while (t.executed() != 2 * round) std::this_thread::yield();
  }
  t.stop();
  EXPECT_EQ(children.load(std::memory_order_relaxed), rounds);
  EXPECT_EQ(on_the_same_worker.load(std::memory_order_relaxed), 0u);
}

// Property: a pinned job wakes its worker, whoever searches, and leaves shared jobs their wake-up. Oracle: every job is
// run, pinned ones by their worker; the watchdog. Method: two submitters, one with pinned jobs for workers in turn, one
// with shared jobs; each waits for its job.
TEST(idle_stress, pinned_jobs_and_shared_jobs_both_find_their_worker) {
  const std::uint64_t rounds = scaled(50'000);
  constexpr std::uint32_t k_workers = 3;
  team t{{.workers = k_workers}};
  const auto watch = watch_over(t);
  std::atomic<std::uint64_t> misplaced{0};
  struct client {
    job j;
    worker_id target{0};
    std::atomic<std::uint64_t> done{0};
  };
  std::array<client, 2> clients;
  filch_test::run_threads(2, [&](std::size_t self) {
    client& me = clients[self];
    me.j.run = [&, self](team&, worker_id where) {
      if (self == 0 && where != me.target) misplaced.fetch_add(1, std::memory_order_relaxed);
      me.done.fetch_add(1, std::memory_order_release);
    };
    for (std::uint64_t round = 0; round != rounds; ++round) {
      me.target.value = static_cast<std::uint32_t>(round % k_workers);
      if (self == 0) {
        (void)t.submit_to(me.target, &me.j);
      } else {
        (void)t.submit(&me.j);
      }
      while (me.done.load(std::memory_order_acquire) != round + 1) std::this_thread::yield();
    }
  });
  while (t.executed() != 2 * rounds) std::this_thread::yield();
  t.stop();
  EXPECT_EQ(misplaced.load(std::memory_order_relaxed), 0u);
}

// Property: a shutdown finds every worker, wherever it is between search and sleep. Oracle: all threads end (the
// watchdog of the test program is ctest's), and the counts are zero. Method: many short-lived teams, stopped at once or
// after a job.
TEST(idle_stress, a_shutdown_finds_every_worker) {
  const std::uint64_t rounds = scaled(5'000);
  std::atomic<std::uint64_t> progress{0};
  const filch_test::watchdog join_limit{"a_shutdown_finds_every_worker", progress, [] { return std::string{}; }};
  job j;
  j.run = [](team&, worker_id) {};
  for (std::uint64_t round = 0; round != rounds; ++round) {
    team t{{.workers = 3}};
    if (round % 2 == 0) {
      (void)t.submit(&j);
      while (t.executed() != 1) std::this_thread::yield();
    }
    t.stop();
    progress.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace
