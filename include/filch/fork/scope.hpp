// scope: a block that ends when all functions spawned in it have ended.
//
//   filch::scope([&](auto& s) { for (auto& x : xs) s.spawn([&] { work(x); }); });
//
// Who may call what: `scope` any thread; external threads use the default runtime. `spawn` the body and all spawned
// functions. A waiting scope occupies no thread: see join.hpp for the consequences. The first exception, of the body or
// of a child, is rethrown when all have ended. A stop token cancels children that have not started; the scope then
// returns as if they had ended. A scope that is nested too deeply for its stack throws stack_exhausted; its children
// that have not started are then skipped.
#pragma once

#include <filch/fork/concepts.hpp>
#include <filch/runtime/errors.hpp>
#include <filch/runtime/label.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/runtime/task.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {

class scope_handle {
 public:
  scope_handle(const scope_handle&) = delete;
  scope_handle& operator=(const scope_handle&) = delete;

  // Calls `function`, possibly in parallel, before the scope ends. Its result is dropped.
  template <spawnable_function F>
  void spawn(F&& function) {
    put(*new child<std::decay_t<F>>(*this, std::forward<F>(function)));
  }

  // True if a stop was requested. Running children may poll it.
  [[nodiscard]] bool stop_requested() const { return stop_.stop_requested(); }

 private:
  template <class Body>
  friend void run_scope(Body& body, const std::stop_token& stop);
  class state;

  template <class F>
  class child final : public task_base {
   public:
    template <class G>
    child(scope_handle& of, G&& function)
        : task_base{1}, scope_{of}, function_{std::in_place, std::forward<G>(function)} {}

   private:
    void run() noexcept override {
      try {
        if (!scope_.is_given_up()) (void)std::move (*function_)();
      } catch (...) {
        scope_.fail(std::current_exception());
      }
      abandon();
    }
    void abandon() noexcept override {
      function_.reset();
      scope_.end_child();
    }

    [[nodiscard]] const char* label() const noexcept override { return detail::label_of(*function_); }

    scope_handle& scope_;
    std::optional<F> function_;
  };

  // Throws stack_exhausted.
  explicit scope_handle(std::stop_token stop);
  ~scope_handle();
  // Takes over the reference. Throws std::bad_alloc or usage_error; the child is then destroyed and not counted.
  void put(task_base& made);
  void fail(std::exception_ptr error) noexcept;
  // True if the stack of the body or of a child was exhausted. A child that has not started would exhaust its stack as
  // well.
  [[nodiscard]] bool is_given_up() const noexcept;
  void end_child() noexcept;
  // Returns when all children have ended; rethrows the first exception.
  void wait();

  const std::stop_token stop_;
  std::unique_ptr<state> state_;
};

template <class Body>
void run_scope(Body& body, const std::stop_token& stop) {
  scope_handle handle{stop};
  try {
    body(handle);
  } catch (...) {
    handle.fail(std::current_exception());
  }
  handle.wait();
}

// Calls `body` with a scope handle, and returns when the body and all spawned functions have ended.
template <scope_body<scope_handle> Body>
void scope(Body&& body, const std::stop_token& stop = {}) {
  if (this_worker().is_some()) filch::run_scope(body, stop);
  else default_runtime().run([&] { filch::run_scope(body, stop); });
}

}  // namespace filch::inline v0
