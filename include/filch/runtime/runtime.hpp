// The runtime: a fixed number of workers that run tasks and steal them from each other.
//
//   filch::runtime rt;                                     as many workers as this process may use CPUs
//   int r    = rt.run([] { return work(); });              runs inside, waits, returns or rethrows
//   auto fut = rt.submit([] { return work(); });           future<int>
//   rt.submit_to(filch::worker_id{1}, job);                on that worker, never stolen
//   rt.wait_idle();                                        until everything submitted is done
//
// Who may call what: every function from any thread, unless it says otherwise. A task may submit further tasks. The
// destructor drains: it returns when everything is done. It must not run on one of the runtime's own workers, unless a
// task has called exit(): then it waits for nothing.
#pragma once

#include <filch/base/ids.hpp>
#include <filch/runtime/errors.hpp>
#include <filch/runtime/future.hpp>
#include <filch/runtime/options.hpp>
#include <filch/runtime/statistics.hpp>
#include <filch/runtime/task.hpp>
#include <filch/runtime/awaited_temporary.hpp>

#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace filch::inline v0 {

namespace detail {
class external_section;
}

class runtime {
 public:
  // Starts the workers. Throws std::invalid_argument for options that cannot work, std::system_error when not even one
  // thread can be started; with fewer threads than wanted it has fewer workers (workers() tells).
  runtime();
  explicit runtime(options given);
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  ~runtime();

  [[nodiscard]] std::uint32_t workers() const;
  [[nodiscard]] const options& chosen_options() const;
  // Why there is this number of workers: "affinity mask: 2 CPUs; cgroup v2 quota: 1.5 → 2".
  [[nodiscard]] const std::string& why_so_many() const;

  // Runs `function` on a worker and returns its result. On a worker of this runtime that is a plain call.
  template <class F>
  auto run(F&& function) -> std::invoke_result_t<std::decay_t<F>&&> {
    std::decay_t<F> own(std::forward<F>(function));
    if (is_on_worker()) return std::move(own)();
    struct {
      std::decay_t<F>& function;
      result_slot<std::invoke_result_t<std::decay_t<F>&&>> result{};
    } call{own};
    run_and_wait({[](void* here) noexcept {
                    static_cast<decltype(call)*>(here)->result.compute(static_cast<decltype(call)*>(here)->function);
                  },
                  &call, detail::label_of(own)});
    return call.result.take();
  }

  // A task for whichever worker comes first: the own deque on a worker, elsewhere where `options::placement` says.
  // Returns a future<T>; awaited_temporary.hpp says when it is one that cannot be awaited at once.
  template <class F, class T = std::invoke_result_t<std::decay_t<F>&&>>
  detail::awaitable_of<future<T>, F> submit(F&& function, const submit_options& how = {}) {
    return detail::awaitable_of<future<T>, F>{submit_at(worker_id::none(), std::forward<F>(function), how)};
  }

  // A task for that worker alone: it is never stolen. Throws std::invalid_argument for a worker that does not exist.
  template <class F, class T = std::invoke_result_t<std::decay_t<F>&&>>
  detail::awaitable_of<future<T>, F> submit_to(worker_id worker, F&& function, const submit_options& how = {}) {
    require_worker(worker);
    return detail::awaitable_of<future<T>, F>{submit_at(worker, std::forward<F>(function), how)};
  }

  // One task per element of `functions`, put into the workers' queues in turn, from where they may be stolen. The
  // functions are moved out of a container that is given away, and copied otherwise.
  template <class Range>
  auto submit_all(Range&& functions, const submit_options& how = {}) {
    using function = std::decay_t<decltype(*std::begin(functions))>;
    constexpr bool is_given_away = !std::is_lvalue_reference_v<Range> && !std::ranges::borrowed_range<Range> &&
                                   !std::ranges::view<std::remove_cvref_t<Range>> && !std::is_const_v<Range>;
    using element = std::conditional_t<is_given_away, function&&, decltype(*std::begin(functions))>;
    std::vector<future<std::invoke_result_t<function&&>>> all;
    std::uint32_t next = 0;
    for (auto&& each : functions) {
      auto& made = make_task(static_cast<element>(each), how, 2);
      std::unique_ptr<task_base, drop_task> in_queue{&made};
      all.emplace_back(future<std::invoke_result_t<function&&>>{&made});
      place(*in_queue.release(), worker_id{next});
      next = next + 1 == workers() ? 0 : next + 1;
    }
    return all;
  }

  // Like submit, for a task whose end is not waited for. An exception that leaves it ends the program.
  template <class F>
  void spawn(F&& function, const submit_options& how = {}) {
    auto guarded = [inner = std::decay_t<F>(std::forward<F>(function))]() mutable noexcept { std::move(inner)(); };
    enqueue(make_task(std::move(guarded), how, 1), worker_id::none(), how);
  }

  // Returns when there is no task left, queued or running. Tasks may submit others meanwhile. Not from a worker.
  void wait_idle();
  template <class Rep, class Period>
  [[nodiscard]] bool wait_idle_for(std::chrono::duration<Rep, Period> span) {
    return wait_idle_until(detail::deadline_after(span));
  }

  // No further submissions from outside; what is there is done. After the deadline what has not started is cancelled,
  // and what runs is waited for. True: nothing had to be cancelled. A second call returns at once.
  bool shutdown();
  template <class Rep, class Period>
  bool shutdown(std::chrono::duration<Rep, Period> span) {
    return shutdown_until(detail::deadline_after(span));
  }

  [[nodiscard]] filch::statistics statistics() const;

  // Every worker's state, its task, its queues, and which task waits for which; a deadlock of waits is named.
  [[nodiscard]] std::string dump() const;

  // Is the calling thread one of this runtime's workers?
  [[nodiscard]] bool is_on_worker() const;

  // For the layers above.
  class core;
  [[nodiscard]] core& inside() const { return *core_; }

 private:
  struct drop_task {
    void operator()(task_base* made) const noexcept { made->release(); }
  };

  // The references are the caller's.
  template <class F>
  function_task<std::decay_t<F>>& make_task(F&& function, const submit_options& how, std::uint32_t references) {
    require_open();
    auto& made = *new function_task<std::decay_t<F>>(std::forward<F>(function), references);
    made.band = how.priority;
    made.name = how.name;
    made.stop = how.stop;
    return made;
  }

  template <class F, class T = std::invoke_result_t<std::decay_t<F>&&>>
  future<T> submit_at(worker_id worker, F&& function, const submit_options& how) {
    auto& made = make_task(std::forward<F>(function), how, 2);
    future<T> result{&made};
    enqueue(made, worker, how);
    return result;
  }

  // Submits the call and returns when it has ended. Throws what submit() and future::get() throw.
  void run_and_wait(detail::plain_call what);
  // Throws usage_error when nothing may be submitted any more.
  void require_open() const;
  void require_worker(worker_id worker) const;
  // Takes over one reference; pinned to `worker`, or anywhere for none. Throws injector_full, or std::bad_alloc when a
  // deque cannot grow; then the reference is released and the task was never there.
  void enqueue(task_base& made, worker_id worker, const submit_options& how);
  // Takes over one reference; into that worker's queue, from where it may be stolen.
  void place(task_base& made, worker_id worker);
  bool wait_idle_until(time_ns deadline_ns);
  bool shutdown_until(time_ns deadline_ns);

  friend class detail::external_section;

  std::unique_ptr<core> core_;
};

// The runtime that is there when the program has made none: started at its first use, with default options, never
// destroyed.
[[nodiscard]] runtime& default_runtime();

// The worker that the calling thread is, of whichever runtime; none elsewhere.
[[nodiscard]] worker_id this_worker();

struct external_slot;

namespace detail {

// While it lives, the calling thread is no worker: a spare thread stands in. Does nothing on other threads.
class blocking_section {
 public:
  blocking_section();
  blocking_section(const blocking_section&) = delete;
  blocking_section& operator=(const blocking_section&) = delete;
  ~blocking_section();

 private:
  runtime::core* left_ = nullptr;
  task_record* running_ = nullptr;
  external_slot* external_ = nullptr;
};

}  // namespace detail

// Calls `function`, which may block, without holding a worker: the runtime keeps its parallelism with a spare thread.
// Afterwards the caller resumes as a worker again, perhaps as another one.
template <class F>
decltype(auto) blocking(F&& function) {
  const detail::blocking_section section;
  return std::forward<F>(function)();
}

}  // namespace filch::inline v0
