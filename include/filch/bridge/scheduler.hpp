// A runtime as a scheduler of senders and receivers, in the shape of P2300 (std::execution), for code that is written
// against that shape. Nothing here needs more than C++20.
//
//   filch::scheduler where{rt};
//   auto operation = where.schedule().connect(receiver);      lives until the receiver is told
//   operation.start();
//
// The receiver is told once, on a worker or, if nothing came of it, where that turned out: set_value()
//   on a worker of the runtime set_stopped()                    its stop token asked for it before it started, or the
//   runtime ended without running it set_error(std::exception_ptr)    nothing could be submitted: the runtime has
//   ended, or there is no memory
//
// Who may call what: `start` any thread, once. The operation stays where it is from then on.
#pragma once

#include <filch/runtime/runtime.hpp>

#include <concepts>
#include <exception>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {
namespace bridge {

// Marks, as P2300 has them.
struct scheduler_tag {};
struct sender_tag {};
struct receiver_tag {};
struct operation_state_tag {};

// What a sender's completion_signatures are made of.
struct set_value_t {};
struct set_error_t {};
struct set_stopped_t {};
template <class... Signatures>
struct completion_signatures {};

// Who is told what became of an operation.
template <class R>
concept receiver = std::move_constructible<R> && requires(R told, std::exception_ptr problem) {
  { std::move(told).set_value() } noexcept;
  { std::move(told).set_error(problem) } noexcept;
  { std::move(told).set_stopped() } noexcept;
};

template <class S>
concept scheduler_like = std::copy_constructible<S> && std::equality_comparable<S> && requires(S where) {
  { where.schedule() };
  typename decltype(where.schedule())::completion_signatures;
};

// A start of an operation that this thread is in the middle of: what is dropped meanwhile was never there.
struct attempt {
  const void* of;
  bool was_dropped = false;
  attempt* outer = nullptr;
};
inline thread_local constinit attempt* current_attempt = nullptr;

template <receiver R>
class operation {
 public:
  using operation_state_concept = operation_state_tag;

  operation(runtime& at, R told) : runtime_{at}, receiver_{std::move(told)} {}
  operation(const operation&) = delete;
  operation& operator=(const operation&) = delete;

  void start() & noexcept {
    attempt mine{.of = this, .outer = current_attempt};
    current_attempt = &mine;
    std::exception_ptr problem;
    try {
      runtime_.spawn(turn{*this});
    } catch (...) {
      problem = std::current_exception();
    }
    current_attempt = mine.outer;
    if (!mine.was_dropped) return;  // somebody else tells, or has told: the operation may be gone
    if (problem) std::move(receiver_).set_error(std::move(problem));
    else std::move(receiver_).set_stopped();
  }

 private:
  // What lies in a queue. Destroyed there without a run, it stops the operation.
  class turn {
   public:
    explicit turn(operation& of) : of_{&of} {}
    turn(turn&& other) noexcept : of_{std::exchange(other.of_, nullptr)} {}
    turn& operator=(turn&&) = delete;
    ~turn() {
      if (of_ == nullptr) return;
      if (current_attempt != nullptr && current_attempt->of == of_) current_attempt->was_dropped = true;
      else std::move(of_->receiver_).set_stopped();
    }
    void operator()() && noexcept { std::exchange(of_, nullptr)->complete(); }

   private:
    operation* of_;
  };

  void complete() noexcept {
    if (is_unwanted()) std::move(receiver_).set_stopped();
    else std::move(receiver_).set_value();
  }
  [[nodiscard]] bool is_unwanted() const noexcept {
    if constexpr (requires { receiver_.get_env().get_stop_token(); }) {
      return receiver_.get_env().get_stop_token().stop_requested();
    } else {
      return false;
    }
  }

  runtime& runtime_;
  R receiver_;
};

}  // namespace bridge

// Refers to a runtime, which outlives it and the operations that it made.
class scheduler {
 public:
  using scheduler_concept = bridge::scheduler_tag;

  explicit scheduler(runtime& at) noexcept : runtime_{&at} {}

  class sender {
   public:
    using sender_concept = bridge::sender_tag;
    using completion_signatures =
        bridge::completion_signatures<bridge::set_value_t(), bridge::set_error_t(std::exception_ptr),
                                      bridge::set_stopped_t()>;

    explicit sender(runtime& at) noexcept : runtime_{&at} {}

    template <bridge::receiver R>
    [[nodiscard]] bridge::operation<R> connect(R told) const {
      return {*runtime_, std::move(told)};
    }
    // The scheduler on which the value comes.
    [[nodiscard]] scheduler get_completion_scheduler() const noexcept { return scheduler{*runtime_}; }

   private:
    runtime* runtime_;
  };

  [[nodiscard]] sender schedule() const noexcept { return sender{*runtime_}; }
  friend bool operator==(const scheduler&, const scheduler&) = default;

 private:
  runtime* runtime_;
};

}  // namespace filch::inline v0
