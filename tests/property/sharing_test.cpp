// Is work shared? Every function that may run in parallel, called from every place where it may be called.
//
// Property: with workers that have nothing else to do, a call that computes for seconds is computed by several threads:
// by two of two workers, by three quarters of sixteen. A calling thread that is no worker takes the place of one.
//
// Method: the elements compute until so many threads have met in them, and then cost nothing, so a call that is shared
// ends at once. One that is not computes on alone, for k_alone_ns of its threads' CPU time, and has failed: so the
// result does not depend on how busy the machine is. sharing_functions.py compares the table with the headers, so that
// no function is left out, and looks that each row calls the function that it names. FILCH_SHARING_WORKERS chooses the
// number of workers.
#include <filch/filch.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <list>
#include <mutex>
#include <numeric>
#include <optional>
#include <ostream>
#include <ranges>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/thread_here.hpp"

namespace {

constexpr std::int64_t k_element_ns = 20'000;
constexpr std::int64_t k_alone_ns = 5'000'000'000;
constexpr int k_count = k_alone_ns / k_element_ns;

unsigned workers_wanted() {
  if (const char* const said = std::getenv("FILCH_SHARING_WORKERS")) return static_cast<unsigned>(std::atoi(said));
  return filch::runtime{}.workers() >= 16 ? 16 : 2;
}
// Also of the default runtime, which starts at its first use.
const unsigned workers = [] {
  const unsigned wanted = std::max(workers_wanted(), 2U);
  setenv("FILCH_WORKERS", std::to_string(wanted).c_str(), 1);
  return wanted;
}();
const std::size_t threads_needed = workers >= 16 ? workers * 3 / 4 : 2;
const int few_count = static_cast<int>(std::max(8U, 2 * workers));

std::int64_t cpu_time_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

// The threads that compute in one call.
class meeting {
 public:
  meeting(const filch::runtime& at, std::size_t needed) : at_{at}, needed_{needed} {}

  void compute(std::int64_t span_ns) {
    if (is_over()) return;
    note(filch_test::thread_here());
    const std::int64_t began = cpu_time_ns();
    std::int64_t spent = 0;
    while (!is_over() && spent < span_ns) spent = cpu_time_ns() - began;
    if (spent_ns_.fetch_add(spent, std::memory_order_relaxed) + spent >= k_alone_ns && !is_over_.exchange(true))
      give_up();
  }
  [[nodiscard]] bool is_over() const { return is_over_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t threads() const {
    const std::lock_guard lock{mutex_};
    return threads_.size();
  }
  [[nodiscard]] std::int64_t spent_ns() const { return spent_ns_; }
  // What the runtime's workers did when a thread had computed alone for so long.
  [[nodiscard]] std::string state() const {
    const std::lock_guard lock{mutex_};
    return state_;
  }

 private:
  void note(std::thread::id me) {
    const std::lock_guard lock{mutex_};
    threads_.insert(me);
    if (threads_.size() >= needed_) is_over_ = true;
  }
  void give_up() {
    std::string state = at_.dump();
    const std::lock_guard lock{mutex_};
    state_ = std::move(state);
  }

  const filch::runtime& at_;
  const std::size_t needed_;
  std::atomic<bool> is_over_{false};
  std::atomic<std::int64_t> spent_ns_{0};
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::set<std::thread::id> threads_;
  std::string state_;
};
meeting* now_met = nullptr;  // that of the call under way

[[gnu::noinline]] void compute() { now_met->compute(k_element_ns); }
[[gnu::noinline]] void compute_item() { now_met->compute(10 * k_element_ns); }  // of a pipeline, which is no loop
[[gnu::noinline]] void compute_long() { now_met->compute(k_alone_ns / few_count); }

// An element whose operators compute.
struct item {
  int value = 0;

  item() = default;
  item(int of) : value{of} {}
  item(const item&) = default;
  item& operator=(const item& other) {
    compute();
    value = other.value;
    return *this;
  }
  friend bool operator==(const item& a, const item& b) {
    compute();
    return a.value == b.value;
  }
};

std::vector<int>& numbers() {
  static std::vector<int> all(k_count);
  for (int i = 0; i != k_count; ++i) all[static_cast<std::size_t>(i)] = static_cast<int>(i * 7919LL % k_count);
  return all;
}
const std::vector<int>& sorted() {
  static const std::vector<int> all = [] {
    std::vector<int> made(k_count);
    std::iota(made.begin(), made.end(), 0);
    return made;
  }();
  return all;
}
std::list<int>& listed() {
  static std::list<int> all(k_count, 1);
  return all;
}
std::vector<int>& output() {
  static std::vector<int> all(2 * k_count);
  return all;
}
std::vector<item>& items() {
  static std::vector<item> all(k_count);
  return all;
}
std::vector<item>& other_items() {
  static std::vector<item> all(k_count);
  return all;
}
std::vector<int>& few() {
  static std::vector<int> all(static_cast<std::size_t>(few_count), 1);
  return all;
}

int sum_of(int a, int b) { return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)); }
int plus(int a, int b) {
  compute();
  return sum_of(a, b);
}
bool less(int a, int b) {
  compute();
  return a < b;
}
bool same(int a, int b) {
  compute();
  return a == b;
}
int itself(int a) {
  compute();
  return a;
}
bool never(int) {
  compute();
  return false;
}
bool always(int) {
  compute();
  return true;
}
bool is_even(int a) {
  compute();
  return a % 2 == 0;
}

void fork(int levels) {
  if (levels == 0) return compute();
  filch::join([=] { fork(levels - 1); }, [=] { fork(levels - 1); });
}
constexpr int k_levels = 18;
static_assert((1 << k_levels) >= k_count);

// ---- the functions --------------------------------------------------------------------------------------------------
struct row {
  const char* function;
  const char* with;  // what it goes over
  void (*call)();
  std::size_t most = SIZE_MAX;  // threads that can take part

  friend std::ostream& operator<<(std::ostream& to, const row& what) { return to << what.function << what.with; }
};

const std::vector<row> functions{
    {"join", "", [] { filch::join([] { fork(k_levels - 1); }, [] { fork(k_levels - 1); }); }},
    {"join", "_of_few", [] { filch::join(&compute_long, &compute_long); }, 2},
    {"scope", "",
     [] {
       filch::scope([](filch::scope_handle& s) {
         for (int i = 0; i != k_count && !now_met->is_over(); ++i) s.spawn(&compute);
       });
     }},
    {"scope", "_of_few",
     [] {
       filch::scope([](filch::scope_handle& s) {
         for (int i = 0; i != few_count; ++i) s.spawn(&compute_long);
       });
     }},
    {"for_each", "", [] { filch::for_each(numbers(), [](int&) { compute(); }); }},
    {"for_each", "_in_a_list", [] { filch::for_each(listed(), [](int&) { compute(); }); }},
    {"for_each", "_of_few", [] { filch::for_each(few(), [](int&) { compute_long(); }); }},
    {"for_each", "_read_once",
     [] {
       struct once : std::ranges::view_interface<once> {
         struct iterator {
           using value_type = int;
           using difference_type = std::ptrdiff_t;
           using iterator_concept = std::input_iterator_tag;
           int at = 0;
           int operator*() const { return at; }
           iterator& operator++() {
             ++at;
             return *this;
           }
           void operator++(int) { ++at; }
           bool operator==(std::default_sentinel_t) const { return at == k_count; }
         };
         iterator begin() { return {}; }
         std::default_sentinel_t end() { return {}; }
       };
       filch::for_each(once{}, [](int&) { compute(); });
     }},
    {"for_each_n", "", [] { filch::for_each_n(listed().begin(), k_count, [](int&) { compute(); }); }},
    {"for_index", "", [] { filch::for_index(k_count, [](int) { compute(); }); }},
    {"for_index", "_of_few", [] { filch::for_index(few_count, [](int) { compute_long(); }); }},
    {"for_index", "_nested",
     [] { filch::for_index(few_count, [](int) { filch::for_index(k_count / few_count, [](int) { compute(); }); }); }},
    {"transform", "", [] { filch::transform(numbers(), output().begin(), &itself); }},
    {"transform", "_of_two", [] { filch::transform(numbers(), sorted(), output().begin(), &plus); }},
    {"copy", "", [] { filch::copy(items(), other_items().begin()); }},
    {"fill", "", [] { filch::fill(items(), item{1}); }},
    {"generate", "",
     [] {
       filch::generate(output(), [] {
         compute();
         return 1;
       });
     }},
    {"reduce", "", [] { (void)filch::reduce(numbers(), 0, &plus); }},
    {"reduce", "_of_a_list", [] { (void)filch::reduce(listed(), 0, &plus); }},
    {"transform_reduce", "", [] { (void)filch::transform_reduce(numbers(), 0, &sum_of, &itself); }},
    {"transform_reduce", "_of_few",
     [] {
       (void)filch::transform_reduce(few(), 0, std::plus<>{}, [](int a) {
         compute_long();
         return a;
       });
     }},
    {"transform_reduce", "_of_two", [] { (void)filch::transform_reduce(numbers(), sorted(), 0, &sum_of, &plus); }},
    {"count_if", "", [] { (void)filch::count_if(numbers(), &is_even); }},
    {"count", "", [] { (void)filch::count(items(), item{1}); }},
    {"min_element", "", [] { (void)filch::min_element(numbers(), &less); }},
    {"max_element", "", [] { (void)filch::max_element(numbers(), &less); }},
    {"minmax_element", "", [] { (void)filch::minmax_element(numbers(), &less); }},
    {"inclusive_scan", "", [] { filch::inclusive_scan(numbers(), output().begin(), &plus); }},
    {"exclusive_scan", "", [] { filch::exclusive_scan(numbers(), output().begin(), 0, &plus); }},
    {"transform_inclusive_scan", "",
     [] { filch::transform_inclusive_scan(numbers(), output().begin(), &sum_of, &itself); }},
    {"transform_exclusive_scan", "",
     [] { filch::transform_exclusive_scan(numbers(), output().begin(), 0, &sum_of, &itself); }},
    {"sort", "", [] { filch::sort(numbers(), &less); }},
    {"stable_sort", "", [] { filch::stable_sort(numbers(), &less); }},
    {"nth_element", "", [] { filch::nth_element(numbers(), numbers().begin() + k_count / 2, &less); }},
    {"merge", "", [] { filch::merge(sorted(), sorted(), output().begin(), &less); }},
    {"partition", "", [] { filch::partition(numbers(), &is_even); }},
    {"copy_if", "", [] { filch::copy_if(numbers(), output().begin(), &is_even); }},
    {"find_if", "", [] { (void)filch::find_if(numbers(), &never); }},
    {"find_if", "_in_a_list", [] { (void)filch::find_if(listed(), &never); }},
    {"find_if", "_of_few",
     [] {
       (void)filch::find_if(few(), [](int) {
         compute_long();
         return false;
       });
     }},
    {"find_if_not", "", [] { (void)filch::find_if_not(numbers(), &always); }},
    {"find", "", [] { (void)filch::find(items(), item{-1}); }},
    {"any_of", "", [] { (void)filch::any_of(numbers(), &never); }},
    {"none_of", "", [] { (void)filch::none_of(numbers(), &never); }},
    {"all_of", "", [] { (void)filch::all_of(numbers(), &always); }},
    {"mismatch", "", [] { (void)filch::mismatch(sorted(), sorted(), &same); }},
    {"equal", "", [] { (void)filch::equal(sorted(), sorted(), &same); }},
    {"adjacent_find", "", [] { (void)filch::adjacent_find(sorted(), &same); }},
    {"is_sorted", "", [] { (void)filch::is_sorted(sorted(), &less); }},
    {"pipeline", "",
     [] {
       int next = 0;
       filch::pipeline(
           2 * workers,
           [&] { return next == k_count || now_met->is_over() ? std::optional<int>{} : std::optional<int>{next++}; },
           filch::parallel([](int number) {
             compute_item();
             return number;
           }),
           filch::serial([](int) {}));
     }},
};

// ---- the places -----------------------------------------------------------------------------------------------------
using work = void (*)();

filch::task<> in_a_coroutine(work what) {
  what();
  co_return;
}

struct place {
  const char* name;
  void (*call)(filch::runtime& rt, work what);
};

// Of a runtime of one's own, or of the default runtime.
const std::vector<place> inside{
    {"a worker", [](filch::runtime& rt, work what) { rt.run(what); }},
    {"a coroutine", [](filch::runtime& rt, work what) { rt.run(in_a_coroutine(what)); }},
    {"a submitted task", [](filch::runtime& rt, work what) { rt.submit(what).get(); }},
    {"the first function of a join", [](filch::runtime& rt, work what) { rt.run([=] { filch::join(what, [] {}); }); }},
    {"the second function of a join", [](filch::runtime& rt, work what) { rt.run([=] { filch::join([] {}, what); }); }},
    {"an element of a loop",
     [](filch::runtime& rt, work what) {
       rt.run([=] {
         filch::for_index(3, [=](int i) {
           if (i == 1) what();
         });
       });
     }},
    {"a child of a scope",
     [](filch::runtime& rt, work what) {
       rt.run([=] { filch::scope([=](filch::scope_handle& s) { s.spawn(what); }); });
     }},
    {"a blocking section", [](filch::runtime& rt, work what) { rt.run([=] { filch::blocking(what); }); }},
    {"code that stays on its thread",
     [](filch::runtime& rt, work what) {
       rt.run([=] {
         const filch::stay_on_thread here;
         what();
       });
     }},
};
// Threads that are no workers have the default runtime only.
const std::vector<place> outside{
    {"main", [](filch::runtime&, work what) { what(); }},
    {"another thread", [](filch::runtime&, work what) { std::thread{what}.join(); }},
    {"the first function of a join in main", [](filch::runtime&, work what) { filch::join(what, [] {}); }},
    {"the second function of a join in main", [](filch::runtime&, work what) { filch::join([] {}, what); }},
    {"an element of a loop in main",
     [](filch::runtime&, work what) {
       filch::for_index(3, [=](int i) {
         if (i == 1) what();
       });
     }},
    {"a scope in main", [](filch::runtime&, work what) { filch::scope([=](filch::scope_handle&) { what(); }); }},
    {"a blocking section in main", [](filch::runtime&, work what) { filch::blocking(what); }},
};

// ---- the table ------------------------------------------------------------------------------------------------------
class sharing : public testing::TestWithParam<row> {
 protected:
  void expect_shared(const place& from, filch::runtime& at, const char* whose) {
    const std::size_t needed = std::min(threads_needed, GetParam().most);
    meeting met{at, needed};
    now_met = &met;
    from.call(at, GetParam().call);
    now_met = nullptr;
    EXPECT_GE(met.threads(), needed) << "filch::" << GetParam().function << " called from " << from.name << whose
                                     << " was computed by " << met.threads() << " threads for "
                                     << met.spent_ns() / 1'000'000 << " ms of CPU time; " << workers
                                     << " workers had nothing else to do\n"
                                     << met.state();
  }
};

std::uint64_t received(const filch::runtime& rt) {
  const filch::trace::count_values all = rt.statistics().total();
  return all[filch::trace::count::stolen_by_me] + all[filch::trace::count::injected];
}

TEST_P(sharing, is_the_same_from_every_place_of_an_own_runtime) {
  filch::runtime rt{{.workers = workers}};
  for (const place& each : inside) {
    const std::uint64_t before = received(rt);
    expect_shared(each, rt, " of an own runtime");
    EXPECT_GT(received(rt), before) << each.name;
  }
}
TEST_P(sharing, is_the_same_from_every_place_of_the_default_runtime) {
  for (const place& each : inside) expect_shared(each, filch::default_runtime(), " of the default runtime");
}
TEST_P(sharing, is_the_same_from_every_place_outside) {
  for (const place& each : outside) expect_shared(each, filch::default_runtime(), "");
}

INSTANTIATE_TEST_SUITE_P(table, sharing, testing::ValuesIn(functions), [](const testing::TestParamInfo<row>& which) {
  return std::string{which.param.function} + which.param.with;
});

}  // namespace
