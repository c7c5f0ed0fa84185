// All of filch beside a user's own functions of everyday names, and beside macros of other libraries.
//
// Property: a function template of the user's that takes anything is never called by filch, and never makes a call in
// filch ambiguous. Method: such templates stand in the namespace of the types and lambdas that are handed to every
// public function; calls of theirs are not defined, so one that was chosen would not link. The headers of the standard
// library come first: they promise nothing about macros.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <compare>
#include <concepts>
#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <ranges>
#include <shared_mutex>
#include <source_location>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

// As windows.h and others define them.
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define small char
#define interface struct
#define near
#define far
#define check(condition) ((void)(condition))

#include <filch/bridge/scheduler.hpp>
#include <filch/filch.hpp>
#include <filch/policy/search.hpp>
#include <filch/sim/environment.hpp>
#include <filch/sim/lesson_random.hpp>
#include <filch/sim/queue.hpp>
#include <filch/topology/machine.hpp>
#include <filch/trace/recorder.hpp>
#include <filch/trace/recording.hpp>

#undef min
#undef max
#undef small
#undef interface
#undef near
#undef far
#undef check

namespace everyday {

struct refused {};

// As good as any overload of filch's for every argument.
#define TAKES_ANYTHING(name)           \
  template <class T>                   \
  refused name(T);                     \
  template <class T>                   \
  refused name(T&);                    \
  template <class T>                   \
  refused name(const T&);              \
  template <class T>                   \
  refused name(T&&);                   \
  template <class T, class U>          \
  refused name(T, U);                  \
  template <class T, class U>          \
  refused name(T&, U&);                \
  template <class T, class U>          \
  refused name(T&, U);                 \
  template <class T, class U>          \
  refused name(const T&, const U&);    \
  template <class T, class U>          \
  refused name(T&&, U&&);              \
  template <class T, class U, class V> \
  refused name(T, U, V);               \
  template <class T, class U, class V> \
  refused name(T&, U&, V&);            \
  template <class T, class U, class V> \
  refused name(T&&, U&&, V&&);         \
  template <class T, class... More>    \
  refused name(T&&, More&&...)

TAKES_ANYTHING(ahead);
TAKES_ANYTHING(apply);
TAKES_ANYTHING(begin);
TAKES_ANYTHING(call);
TAKES_ANYTHING(combined);
TAKES_ANYTHING(data);
TAKES_ANYTHING(each);
TAKES_ANYTHING(end);
TAKES_ANYTHING(enter);
TAKES_ANYTHING(find);
TAKES_ANYTHING(fold);
TAKES_ANYTHING(for_each);
TAKES_ANYTHING(forward);
TAKES_ANYTHING(get);
TAKES_ANYTHING(invoke);
TAKES_ANYTHING(join);
TAKES_ANYTHING(label_of);
TAKES_ANYTHING(merge);
TAKES_ANYTHING(move);
TAKES_ANYTHING(reduce);
TAKES_ANYTHING(run);
TAKES_ANYTHING(run_scope);
TAKES_ANYTHING(scope);
TAKES_ANYTHING(size);
TAKES_ANYTHING(sort);
TAKES_ANYTHING(spawn);
TAKES_ANYTHING(submit);
TAKES_ANYTHING(task);
TAKES_ANYTHING(transform);
TAKES_ANYTHING(wait);
TAKES_ANYTHING(walk);
#undef TAKES_ANYTHING

// std::sort itself calls swap without its namespace: one as good as its own would make that ambiguous.
template <class T, class U>
refused swap(T&&, U&&);

// Bug: a loop that counts two things up at once called the one of their types.
template <class T, class U>
refused operator,(T&&, U&&);

struct thing {
  int value = 0;

  friend auto operator<=>(const thing&, const thing&) = default;
  friend thing operator+(const thing& a, const thing& b) { return {a.value + b.value}; }
  friend thing operator*(const thing& a, const thing& b) { return {a.value * b.value}; }
};

// Cannot be copied, and is not trivial: it takes other paths.
struct owned {
  explicit owned(int of) : value{std::make_unique<int>(of)} {}
  std::unique_ptr<int> value;

  friend bool operator<(const owned& a, const owned& b) { return *a.value < *b.value; }
};

std::vector<thing> things(int count) {
  std::vector<thing> all;
  for (int i = 0; i != count; ++i) all.push_back({(i * 7919) % count});
  return all;
}
constexpr int k_count = 5000;
constexpr auto k_sum = static_cast<int>(k_count * (k_count - 1L) / 2);

thing fib(int n) {
  if (n < 2) return {n};
  auto [a, b] = filch::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

void forks() {
  EXPECT_EQ(fib(15).value, 610);
  auto [a, b, c] = filch::join([] { return thing{1}; }, filch::named("two", [] { return owned{2}; }), [] {});
  EXPECT_EQ(a.value, 1);
  EXPECT_EQ(*b.value, 2);
  thing kept{3};
  auto [d, e] = filch::join([&]() -> thing& { return kept; }, [&] { return &kept; });
  EXPECT_EQ(&d, e);
  EXPECT_THROW(filch::join([] { throw owned{1}; }, [] { return owned{2}; }), owned);

  std::atomic<int> ran{0};
  filch::scope([&](filch::scope_handle& s) {
    for (int i = 0; i != 10; ++i) s.spawn([&, held = owned{i}] { ran += *held.value; });
  });
  EXPECT_EQ(ran, 45);
  const filch::stay_on_thread here;
  filch::join([&] { ++ran; }, [&] { ++ran; });
  EXPECT_EQ(ran, 47);
}

void loops() {
  auto all = things(k_count);
  std::list<thing> listed(all.begin(), all.end());
  std::vector<thing> out(all.size());
  std::atomic<int> sum{0};
  filch::for_each(all, [&](const thing& one) { sum += one.value; });
  filch::for_each(listed, [&](const thing& one) { sum += one.value; });
  std::vector<int> read{1, 2, 3};
  auto once = read | std::views::transform([](int i) { return thing{i}; }) | std::views::common;
  filch::for_each(once, [&](const thing& one) { sum += one.value; });
  filch::for_each_n(listed.begin(), 10, [](thing& one) { (void)one; });
  filch::for_index(k_count, [&](int i) { sum += i; });
  EXPECT_EQ(sum, 3 * k_sum + 6);
  filch::transform(all, out.begin(), [](const thing& one) { return thing{one.value + 1}; });
  EXPECT_EQ(filch::reduce(out, thing{}).value, k_sum + k_count);
  filch::transform(all, out, out.begin(), [](const thing& a, const thing& b) { return a + b; });
  filch::copy(all, out.begin());
  EXPECT_TRUE(filch::equal(all, out));
  filch::fill(listed, thing{4});
  filch::generate(out, [] { return thing{5}; });
  EXPECT_EQ(filch::reduce(listed, thing{}).value, 4 * k_count);
  EXPECT_EQ(filch::reduce(out, thing{}).value, 5 * k_count);
}

void reductions() {
  const auto all = things(k_count);
  const std::list<thing> listed(all.begin(), all.end());
  const auto plus = [](const thing& a, const thing& b) { return a + b; };
  const auto same = [](const thing& a) { return a; };
  EXPECT_EQ(filch::reduce(all, thing{}, plus).value, k_sum);
  EXPECT_EQ(filch::transform_reduce(listed, thing{}, plus, same).value, k_sum);
  EXPECT_EQ(filch::transform_reduce(all, all, thing{}, plus, plus).value, 2 * k_sum);
  EXPECT_EQ(filch::count_if(listed, [](const thing& one) { return one.value < 10; }), 10);
  EXPECT_EQ(filch::count(all, thing{3}), 1);
  EXPECT_EQ(filch::min_element(all)->value, 0);
  EXPECT_EQ(filch::max_element(listed)->value, k_count - 1);
  EXPECT_EQ(filch::minmax_element(all).second->value, k_count - 1);
  std::vector<thing> out(all.size());
  filch::inclusive_scan(all, out.begin(), plus);
  EXPECT_EQ(out.back().value, k_sum);
  filch::exclusive_scan(all, out.begin(), thing{1}, plus);
  EXPECT_EQ(out.front().value, 1);
  filch::transform_inclusive_scan(all, out.begin(), plus, same);
  EXPECT_EQ(out.back().value, k_sum);
  filch::transform_exclusive_scan(all, out.begin(), thing{}, plus, same);
  EXPECT_EQ(out[1].value, all[0].value);
}

void orders() {
  auto all = things(k_count);
  filch::sort(all);
  EXPECT_TRUE(filch::is_sorted(all));
  std::vector<owned> held;
  for (int i = 0; i != k_count; ++i) held.emplace_back((i * 7919) % k_count);
  filch::stable_sort(held);
  EXPECT_EQ(*held.back().value, k_count - 1);
  filch::sort(held, [](const owned& a, const owned& b) { return b < a; });
  EXPECT_EQ(*held.front().value, k_count - 1);
  filch::nth_element(held, held.begin() + 7);
  EXPECT_EQ(*held[7].value, 7);
  std::vector<thing> out(2 * all.size());
  filch::merge(all, all, out.begin());
  EXPECT_TRUE(filch::is_sorted(out));
  EXPECT_EQ(filch::adjacent_find(out), out.begin());
  EXPECT_EQ(filch::mismatch(all, out).first - all.begin(), 1);
  const auto is_low = [](const thing& one) { return one.value < 100; };
  EXPECT_EQ(filch::partition(all, is_low) - all.begin(), 100);
  EXPECT_LT(*filch::partition(held, [](const owned& one) { return *one.value >= 10; })->value, 10);
  EXPECT_EQ(filch::copy_if(all, out.begin(), is_low) - out.begin(), 100);
  const std::list<thing> listed(all.begin(), all.end());
  EXPECT_EQ(filch::find(listed, thing{k_count}), listed.end());
  EXPECT_TRUE(filch::any_of(listed, is_low));
  EXPECT_TRUE(filch::none_of(all, [](const thing& one) { return one.value < 0; }));
  EXPECT_FALSE(filch::all_of(all, is_low));
  EXPECT_NE(filch::find_if_not(all, is_low), all.end());
}

void pipelines() {
  int next = 0;
  std::atomic<int> sum{0};
  filch::pipeline(
      4, [&] { return next == 100 ? std::optional<thing>{} : std::optional<thing>{thing{next++}}; },
      filch::parallel([](thing one) { return owned{one.value}; }),
      filch::serial([&](owned one) { sum += *one.value; }));
  filch::pipeline(2, things(10), filch::serial([&](thing one) { sum += one.value; }));
  EXPECT_EQ(sum, 4995);
}

void submissions() {
  filch::runtime rt{{.workers = 2}};
  EXPECT_EQ(rt.run([] { return thing{1}; }).value, 1);
  EXPECT_EQ(*rt.submit([held = owned{2}] { return owned{*held.value}; }).get().value, 2);
  EXPECT_EQ(rt.submit_to(filch::worker_id{1}, [] { return thing{3}; }).get().value, 3);
  std::vector<std::function<thing()>> functions(3, [] { return thing{4}; });
  for (auto& each : rt.submit_all(functions)) EXPECT_EQ(each.get().value, 4);
  std::atomic<bool> has_run{false};
  rt.spawn([&, held = owned{5}] { has_run = *held.value == 5; });
  rt.wait_idle();
  EXPECT_TRUE(has_run);
  EXPECT_EQ(rt.run([] { return filch::blocking([] { return thing{6}; }); }).value, 6);
}

filch::task<thing> gives(int value) { co_return thing{value}; }
filch::task<owned> gives_owned(int value) {
  co_await filch::yield();
  co_return owned{value};
}
filch::async_stream<thing> count(int n) {
  for (int i = 0; i != n; ++i) co_yield thing{i};
}
// A user's own type that can be awaited.
struct awaited {
  thing value;
};
auto operator co_await(awaited what) {
  struct awaiter {
    thing value;
    bool await_ready() const { return false; }
    bool await_suspend(std::coroutine_handle<>) { return false; }
    thing await_resume() { return value; }
  };
  return awaiter{what.value};
}

filch::task<thing> coroutines() {
  auto [a, b] = co_await filch::all(gives(1), gives_owned(2));
  std::vector<filch::task<thing>> several;
  several.push_back(gives(3));
  several.push_back(gives(4));
  auto both = co_await filch::all(std::move(several));
  const auto won = co_await filch::any(gives(5), gives(5));
  auto handle = filch::spawn(gives_owned(6));
  const owned joined = co_await std::move(handle);
  std::atomic<int> grouped{0};
  const auto body = [&](filch::task_group& group) -> filch::task<> {
    group.spawn([](std::atomic<int>& into) -> filch::task<> { into += (co_await gives(7)).value; }(grouped));
    co_return;
  };
  co_await filch::async_scope(body);
  auto numbers = count(3);
  int streamed = 0;
  while (auto each = co_await numbers.next()) streamed += each->value;
  const thing own = co_await awaited{{8}};
  co_await filch::on(filch::worker_id{0});
  co_await filch::this_task::set_name("a name");
  const auto timed = co_await filch::timeout(gives(9), std::chrono::hours{1});
  const auto tried = co_await filch::try_timeout(gives_owned(10), std::chrono::hours{1});
  co_await filch::sleep_for(std::chrono::microseconds{1});
  filch::interval ticks{std::chrono::microseconds{10}};
  co_await ticks.next();
  auto later = filch::default_runtime().submit([] { return thing{11}; });
  const thing submitted = co_await std::move(later);
  co_return thing{a.value + *b.value + both[0].value + both[1].value + won.value.value + *joined.value + grouped +
                  streamed + own.value + timed.value + *tried->value + submitted.value};
}

filch::task<int> meetings() {
  int sum = 0;
  filch::mutex lock;
  {
    const auto held = co_await lock.async_lock();
    ++sum;
  }
  filch::shared_mutex shared;
  {
    const auto held = co_await shared.async_lock_shared();
    ++sum;
  }
  filch::channel<owned> items{2};
  auto sender = filch::spawn([](filch::channel<owned>& to) -> filch::task<> {
    for (int i = 0; i != 5; ++i) (void)co_await to.async_send(owned{i});
    to.close();
  }(items));
  while (auto each = co_await items.async_receive()) sum += *each->value;
  co_await std::move(sender);
  filch::oneshot<owned> answer;
  answer.send(owned{3});
  sum += *(co_await answer.async_receive())->value;
  filch::broadcast<thing> news{4};
  auto receiver = news.subscribe();
  news.send(thing{4});
  sum += (co_await receiver.async_receive())->value.value;
  filch::once first;
  const auto set = [&] { sum += 5; };
  co_await first.async_call(set);
  filch::semaphore permits{1};
  co_await permits.async_acquire();
  filch::latch done{1};
  done.count_down();
  co_await done.async_wait();
  filch::manual_event event{true};
  co_await event.async_wait();
  filch::auto_event once_more{true};
  co_await once_more.async_wait();
  filch::barrier alone{1};
  (void)co_await alone.async_arrive_and_wait();
  co_return sum;
}

void blocking_meetings() {
  filch::channel<thing> items{2};
  std::thread sender{[&] {
    for (int i = 0; i != 5; ++i) (void)items.send(thing{i});
    items.close();
  }};
  int sum = 0;
  for (const thing& each : items) sum += each.value;
  sender.join();
  EXPECT_EQ(sum, 10);
  filch::once first;
  first.call([&] { ++sum; });
  filch::mutex lock;
  filch::condition met;
  std::unique_lock held{lock};
  met.wait(held, [&] { return sum == 11; });
  EXPECT_EQ(sum, 11);
}

struct receiver {
  filch::oneshot<thing>* to;
  void set_value() && noexcept { to->send(thing{12}); }
  void set_error(const std::exception_ptr&) && noexcept { to->close(); }
  void set_stopped() && noexcept { to->close(); }
};

}  // namespace everyday

TEST(everyday_names, forks_call_their_own_functions) { everyday::forks(); }
TEST(everyday_names, loops_call_their_own_functions) { everyday::loops(); }
TEST(everyday_names, reductions_and_scans_call_their_own_functions) { everyday::reductions(); }
TEST(everyday_names, sorts_and_searches_call_their_own_functions) { everyday::orders(); }
TEST(everyday_names, pipelines_call_their_own_functions) { everyday::pipelines(); }
TEST(everyday_names, submissions_call_their_own_functions) { everyday::submissions(); }
TEST(everyday_names, all_of_them_work_inside_a_runtime_too) {
  filch::runtime rt{{.workers = 2}};
  rt.run([] {
    everyday::forks();
    everyday::loops();
    everyday::reductions();
    everyday::orders();
    everyday::pipelines();
  });
}
TEST(everyday_names, coroutines_call_their_own_functions) {
  EXPECT_EQ(filch::wait(everyday::coroutines()).value, 69);
  EXPECT_EQ(filch::default_runtime().run(everyday::coroutines()).value, 69);
}
TEST(everyday_names, what_waits_for_others_calls_its_own_functions) {
  EXPECT_EQ(filch::wait(everyday::meetings()), 24);
  everyday::blocking_meetings();
}
TEST(everyday_names, a_scheduler_calls_its_own_functions) {
  filch::runtime rt{{.workers = 1}};
  filch::oneshot<everyday::thing> told;
  auto operation = filch::scheduler{rt}.schedule().connect(everyday::receiver{&told});
  operation.start();
  EXPECT_EQ(told.receive()->value, 12);
}
TEST(everyday_names, a_shuffle_keeps_its_items) {
  std::vector<everyday::thing> all = everyday::things(10);
  filch::sim::lesson_random{1}.shuffle(std::span<everyday::thing>{all});
  filch::sort(all);
  EXPECT_EQ(all[9].value, 9);
}
