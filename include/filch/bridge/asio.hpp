// Asio and filch together. Optional: it needs the headers of Asio 1.22 or later (Debian: libasio-dev), and nothing else
// of filch includes it.
//
//   std::size_t n = co_await socket.async_read_some(buffer, filch::use_task);     in a task of filch
//
//   filch::asio_context workers{rt};                                              the workers as an execution context
//   asio::post(workers, job);
//   asio::strand one_at_a_time{workers.get_executor()};
//
// `use_task` starts the operation when it is awaited. While it is under way the task is suspended, and its worker runs
// others; the task resumes at its own runtime, wherever Asio calls the handler. An error becomes asio::system_error. If
// the operation is dropped, because its io_context ends, the task gets asio::error::operation_aborted.
//
// A request to stop the task cancels the operation, and the task gets task_cancelled; one that Asio cannot cancel, or
// that has ended meanwhile, ends as it would have. So `timeout` and `any` work. For that, the handlers of an operation
// run on a strand of its own, over the executor that its initiation names. An initiation that has no get_executor(),
// such as a lambda, gets no cancellation slot: its operation ends as it would have. Asio's own operations and
// asio::async_compose have one. Asio's signal is sent with a lock that the call of the handler takes, too: an operation
// of one's own calls its handler without locks that its cancellation takes.
//
// Who may call what: `use_task` in a task; what it returns is awaited at once, and once. An asio_context any thread; it
// refers to a runtime, which outlives it, and it outlives the handlers that it was given.
#pragma once

#include <filch/coro/waiter.hpp>
#include <filch/runtime/errors.hpp>
#include <filch/runtime/runtime.hpp>

#include <asio/any_io_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/error.hpp>
#include <asio/execution.hpp>
#include <asio/execution_context.hpp>
#include <asio/post.hpp>
#include <asio/strand.hpp>
#include <asio/system_error.hpp>

#include <coroutine>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {
namespace bridge {

// What a handler takes.
template <class... Results>
struct asio_results {};

// Where the handlers of an operation run: on a strand over the executor that its initiation names. Without one nothing
// is known of its threads, and Asio's signal must not be sent while one of them makes a slot of it: it gets none.
template <class Initiation>
struct asio_home {
  struct association {
    association(const asio_home&, asio::cancellation_slot) noexcept {}
  };

  explicit asio_home(const Initiation&) noexcept {}
  template <class F>
  void defer(F&&) const noexcept {}
};
template <class Initiation>
  requires requires(const Initiation& begin) { begin.get_executor(); }
struct asio_home<Initiation> {
  using strand = asio::strand<std::decay_t<decltype(std::declval<const Initiation&>().get_executor())>>;
  struct association {
    using executor_type = strand;
    using cancellation_slot_type = asio::cancellation_slot;
    association(const asio_home& of, asio::cancellation_slot by) noexcept : executor{of.executor}, slot{by} {}
    [[nodiscard]] executor_type get_executor() const noexcept { return executor; }
    [[nodiscard]] cancellation_slot_type get_cancellation_slot() const noexcept { return slot; }

    strand executor;
    cancellation_slot_type slot;
  };

  explicit asio_home(const Initiation& begin) : executor{begin.get_executor()} {}
  template <class F>
  void defer(F&& function) const {
    asio::post(executor, std::forward<F>(function));
  }

  strand executor;
};

// How a request to stop reaches one operation. Asio's signal is not for several threads: it is sent where the handlers
// run, after the operation has begun and before it ends. It outlives both the operation and the one who awaits it, but
// refers to the execution context, which the program may end after the operation, only until then.
template <class Home>
class asio_stop : public std::enable_shared_from_this<asio_stop<Home>> {
 public:
  template <class Initiation>
  explicit asio_stop(const Initiation& begin) : home_{std::in_place, begin} {}

  // Before the operation has begun.
  [[nodiscard]] const Home& home() const noexcept { return *home_; }
  [[nodiscard]] asio::cancellation_slot slot() noexcept { return signal_.slot(); }

  // Any thread.
  void request() noexcept {
    const std::lock_guard lock{mutex_};
    is_requested_ = true;
    if (has_begun_) send();
  }
  // The operation is under way: who has begun it touches it no more. True: its handler was dropped before, and the
  // caller lets the task go on.
  [[nodiscard]] bool note_begin() noexcept {
    const std::lock_guard lock{mutex_};
    has_begun_ = true;
    if (is_requested_) send();
    return was_dropped_;
  }
  // Its handler was called. From now on nothing here refers to the execution context, which may end.
  void note_end() noexcept {
    const std::lock_guard lock{mutex_};
    home_.reset();
  }
  // The same: it was dropped. True: the caller lets the task go on. Otherwise who begins the operation does, who knows
  // why.
  [[nodiscard]] bool note_drop() noexcept {
    const std::lock_guard lock{mutex_};
    home_.reset();
    was_dropped_ = !has_begun_;
    return has_begun_;
  }
  [[nodiscard]] bool is_requested() {
    const std::lock_guard lock{mutex_};
    return is_requested_;
  }

 private:
  // With the lock: the operation does not end meanwhile, or only inside the call.
  void send() noexcept {
    if (!home_) return;
    try {
      Home(*home_).defer([self = this->shared_from_this()] {
        const std::lock_guard lock{self->mutex_};
        if (self->home_) self->signal_.emit(asio::cancellation_type::all);
      });
    } catch (...) {
      // No memory: the operation ends as it would have.
    }
  }

  asio::cancellation_signal signal_;
  std::recursive_mutex mutex_;  // a signal that is sent may call the handler at once
  // Guarded by mutex_.
  std::optional<Home> home_;  // none: the operation has ended
  bool is_requested_ = false;
  bool has_begun_ = false;
  bool was_dropped_ = false;
};

template <class Initiation, class Results, class... Arguments>
class asio_awaiter;

// Awaits one operation.
template <class Initiation, class... Results, class... Arguments>
class [[nodiscard]] asio_awaiter<Initiation, asio_results<Results...>, Arguments...> {
 public:
  asio_awaiter(Initiation&& begin, Arguments&&... arguments)
      : begin_{std::move(begin)}, arguments_{std::move(arguments)...} {}
  // Moved only before it is awaited.
  asio_awaiter(asio_awaiter&& other) noexcept
      : begin_{std::move(other.begin_)}, arguments_{std::move(other.arguments_)} {}
  asio_awaiter& operator=(asio_awaiter&&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> who) {
    std::stop_token token = coro::stop_token_of(who);
    if (token.stop_requested()) throw task_cancelled{};
    stop_ = std::make_shared<stop>(begin_);
    on_stop_.emplace(std::move(token), requester{*stop_});
    self_.arm(who);
    // From here on the handler may be called, and the coroutine go on elsewhere: what is needed lies on this stack.
    const std::shared_ptr<stop> shared = stop_;
    Initiation begin{std::move(begin_)};
    std::tuple<Arguments...> arguments{std::move(arguments_)};
    std::exception_ptr problem;
    try {
      handler told{*this, shared};
      std::apply([&](Arguments&... each) { std::move(begin)(std::move(told), std::move(each)...); }, arguments);
    } catch (...) {
      // Nobody hears of it if the handler is kept all the same: it may still be called.
      problem = std::current_exception();
    }
    if (shared->note_begin()) give_up(std::move(problem));
    return true;
  }
  // Nothing, the only result, or a tuple of all, without a leading error.
  auto await_resume() {
    on_stop_.reset();
    if (problem_) std::rethrow_exception(std::move(problem_));
    if constexpr (has_error()) {
      const asio::error_code& error = std::get<0>(*results_);
      if (error == asio::error::operation_aborted && stop_->is_requested()) throw task_cancelled{};
      if (error) throw asio::system_error{error};
      return unwrap(std::make_index_sequence<sizeof...(Results) - 1>{}, std::integral_constant<std::size_t, 1>{});
    } else {
      return unwrap(std::make_index_sequence<sizeof...(Results)>{}, std::integral_constant<std::size_t, 0>{});
    }
  }

 private:
  using home = asio_home<Initiation>;
  using stop = asio_stop<home>;

  struct requester {
    stop& of;
    void operator()() const noexcept { of.request(); }
  };

  // What Asio calls once, or drops. Its executor and slot, if it has them, are found by Asio.
  class handler : public home::association {
   public:
    handler(asio_awaiter& of, const std::shared_ptr<stop>& by)
        : home::association{by->home(), by->slot()}, of_{&of}, stop_{by} {}
    handler(handler&& other) noexcept
        : home::association{std::move(other)}, of_{std::exchange(other.of_, nullptr)}, stop_{std::move(other.stop_)} {}
    handler& operator=(handler&&) = delete;
    ~handler() {
      if (of_ != nullptr && stop_->note_drop()) of_->give_up(nullptr);
    }

    template <class... Given>
    void operator()(Given&&... results) {
      stop_->note_end();
      asio_awaiter& of = *std::exchange(of_, nullptr);
      try {
        of.results_.emplace(std::forward<Given>(results)...);
      } catch (...) {
        of.problem_ = std::current_exception();
      }
      of.self_.wake();
    }

   private:
    asio_awaiter* of_;
    std::shared_ptr<stop> stop_;
  };

  // There is nobody who could call the handler.
  void give_up(std::exception_ptr why) noexcept {
    problem_ = why ? std::move(why) : std::make_exception_ptr(asio::system_error{asio::error::operation_aborted});
    self_.wake();
  }
  [[nodiscard]] static constexpr bool has_error() {
    if constexpr (sizeof...(Results) == 0) return false;
    else return std::is_same_v<std::decay_t<std::tuple_element_t<0, std::tuple<Results...>>>, asio::error_code>;
  }
  template <std::size_t... I, std::size_t From>
  auto unwrap(std::index_sequence<I...>, std::integral_constant<std::size_t, From>) {
    if constexpr (sizeof...(I) == 0) return;
    else if constexpr (sizeof...(I) == 1) return std::get<From>(std::move(*results_));
    else return std::make_tuple(std::get<From + I>(std::move(*results_))...);
  }

  Initiation begin_;
  std::tuple<Arguments...> arguments_;
  coro::waiter self_{"asio"};
  std::shared_ptr<stop> stop_;
  std::optional<std::stop_callback<requester>> on_stop_;
  std::optional<std::tuple<std::decay_t<Results>...>> results_;
  std::exception_ptr problem_;
};

}  // namespace bridge

// The completion token.
struct use_task_t {};
inline constexpr use_task_t use_task{};

// A runtime's workers as an execution context of Asio.
class asio_context : public asio::execution_context {
 public:
  explicit asio_context(runtime& on) : runtime_{&on} {}
  ~asio_context() {
    shutdown();
    destroy();
  }

  class executor_type {
   public:
    explicit executor_type(asio_context& of) noexcept : of_{&of} {}

    // Runs it on a worker, in its turn, never inside this call.
    template <class F>
    void execute(F&& function) const {
      of_->runtime_->spawn(std::forward<F>(function));
    }
    [[nodiscard]] asio_context& query(asio::execution::context_t) const noexcept { return *of_; }
    [[nodiscard]] static constexpr asio::execution::blocking_t query(asio::execution::blocking_t) noexcept {
      return asio::execution::blocking.never;
    }
    [[nodiscard]] bool running_in_this_thread() const noexcept { return of_->runtime_->is_on_worker(); }
    friend bool operator==(const executor_type&, const executor_type&) = default;

   private:
    asio_context* of_;
  };

  [[nodiscard]] executor_type get_executor() noexcept { return executor_type{*this}; }

 private:
  runtime* runtime_;
};

}  // namespace filch::inline v0

template <class... Results>
class asio::async_result<filch::use_task_t, void(Results...)> {
 public:
  template <class Initiation, class... Arguments>
  static auto initiate(Initiation initiation, filch::use_task_t, Arguments... arguments) {
    using results = filch::bridge::asio_results<Results...>;
    return filch::bridge::asio_awaiter<Initiation, results, Arguments...>{std::move(initiation),
                                                                          std::move(arguments)...};
  }
};
