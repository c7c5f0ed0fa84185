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
// others; the task goes on at its own runtime, wherever Asio calls the handler. An error becomes asio::system_error. If
// the operation is dropped, because its io_context ends, the task gets asio::error::operation_aborted.
//
// Who may call what: `use_task` in a task; what it returns is awaited at once, and once. A request to stop the task
// does not end an operation that is under way: cancel it at its socket or timer. An asio_context any thread; it refers
// to a runtime, which outlives it, and it outlives the handlers that it was given.
#pragma once

#include <filch/coro/waiter.hpp>
#include <filch/runtime/runtime.hpp>

#include <asio/any_io_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/error.hpp>
#include <asio/execution.hpp>
#include <asio/execution_context.hpp>
#include <asio/system_error.hpp>

#include <coroutine>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {
namespace bridge {

// What a handler takes.
template <class... Results>
struct asio_results {};

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
  void await_suspend(std::coroutine_handle<> who) {
    self_.arm(who);
    // From here on the handler may be called, and the coroutine go on elsewhere: what is needed lies on this stack.
    Initiation begin{std::move(begin_)};
    std::tuple<Arguments...> arguments{std::move(arguments_)};
    handler told{*this};
    try {
      std::apply([&](Arguments&... each) { std::move(begin)(std::move(told), std::move(each)...); }, arguments);
    } catch (...) {
      // Asio has dropped the handler, or `told` still has it: either way the coroutine goes on with the problem.
      told.give_up(std::current_exception());
    }
  }
  // Nothing, the only result, or a tuple of all, without a leading error.
  auto await_resume() {
    if (problem_) std::rethrow_exception(std::move(problem_));
    if constexpr (has_error()) {
      if (std::get<0>(*results_)) throw asio::system_error{std::get<0>(*results_)};
      return unwrap(std::make_index_sequence<sizeof...(Results) - 1>{}, std::integral_constant<std::size_t, 1>{});
    } else {
      return unwrap(std::make_index_sequence<sizeof...(Results)>{}, std::integral_constant<std::size_t, 0>{});
    }
  }

 private:
  // What Asio calls once, or drops.
  class handler {
   public:
    explicit handler(asio_awaiter& of) : of_{&of} {}
    handler(handler&& other) noexcept : of_{std::exchange(other.of_, nullptr)} {}
    handler& operator=(handler&&) = delete;
    ~handler() { give_up(std::make_exception_ptr(asio::system_error{asio::error::operation_aborted})); }

    template <class... Given>
    void operator()(Given&&... results) {
      asio_awaiter& of = *std::exchange(of_, nullptr);
      try {
        of.results_.emplace(std::forward<Given>(results)...);
      } catch (...) {
        of.problem_ = std::current_exception();
      }
      of.self_.wake();
    }
    void give_up(std::exception_ptr problem) noexcept {
      if (of_ == nullptr) return;
      asio_awaiter& of = *std::exchange(of_, nullptr);
      of.problem_ = std::move(problem);
      of.self_.wake();
    }

   private:
    asio_awaiter* of_;
  };

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
