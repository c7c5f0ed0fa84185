#include <filch/runtime/runtime.hpp>

#include "blocking.hpp"
#include "core.hpp"
#include "own_thread.hpp"
#include "reports.hpp"
#include "running.hpp"
#include "waiting.hpp"
#include "worker_loop.hpp"

#include <filch/base/assert.hpp>

#include <stdexcept>

namespace filch::inline v0 {

// As wait_for, but does not look how much of the stack is left.
namespace detail {
static bool wait_on_any_stack(task_base& what, time_ns deadline_ns);
}  // namespace detail

runtime::runtime() : runtime{options{}} {}
runtime::runtime(options given) : core_{std::make_unique<core>(std::move(given), actions_of_threads())} {}

runtime::~runtime() {
  // In a forked child the threads do not exist: there is nothing to join, and the memory is left as it is.
  // A static runtime whose own task calls exit() would wait for that task: its threads end with the process.
  if (core_->is_forked_child() || is_in_exit_here(*core_)) (void)core_.release();
}

std::uint32_t runtime::workers() const { return *core_->chosen.workers; }
const options& runtime::chosen_options() const { return core_->chosen; }
const std::string& runtime::why_so_many() const { return core_->why_so_many; }
bool runtime::is_on_worker() const { return core_->own_worker() != nullptr; }

void runtime::require_open() const { core_->require_open(); }

void runtime::require_worker(worker_id worker) const {
  if (worker.value < workers()) return;
  throw std::invalid_argument("filch: submit_to worker " + std::to_string(worker.value) + ": allowed is 0 to " +
                              std::to_string(workers() - 1));
}

void runtime::enqueue(task_base& made, worker_id worker, const submit_options& how) {
  core_->submits->enqueue(made, worker, how, core_->own_worker());
}

void runtime::run_and_wait(detail::plain_call what) {
  if (worker::current() != nullptr) require_stack_left();
  future<void> called = submit(what);
  // The call refers to the caller's stack, which stays until it has ended.
  [&]() noexcept { (void)detail::wait_on_any_stack(called.awaited(), k_never_ns); }();
  called.get();
}

void runtime::place(task_base& made, worker_id worker) { core_->submits->place(made, worker, core_->own_worker()); }

void runtime::wait_idle() { (void)core_->wait_idle(k_never_ns); }
bool runtime::wait_idle_until(time_ns deadline_ns) { return core_->wait_idle(deadline_ns); }
bool runtime::shutdown() { return core_->shutdown(k_never_ns); }
bool runtime::shutdown_until(time_ns deadline_ns) { return core_->shutdown(deadline_ns); }

filch::statistics runtime::statistics() const { return statistics_of(*core_); }
std::string runtime::dump() const { return dump_of(*core_); }

runtime& default_runtime() {
  // Never destroyed: at the end of the process its threads may still run tasks, and exit() may be called by one of
  // them.
  static runtime* const the_one = new runtime;
  return *the_one;
}

worker_id this_worker() {
  const worker* const held = worker::current();
  return held != nullptr ? held->self : worker_id::none();
}

namespace detail {

blocking_section::blocking_section() {
  worker* const held = worker::current();
  if (held == nullptr) {
    external_ = leave_place();
    return;
  }
  task_record* const running = held->runs.get();
  runtime::core& home = held->home;
  if (!leave_worker()) return;
  left_ = &home;
  running_ = running;
}

blocking_section::~blocking_section() {
  if (left_ != nullptr) return_to_worker(*left_, *running_);
  come_back(external_);
}

namespace {

// A worker's thread waits for a task of its own runtime that may run here: it runs it itself.
bool run_it_here(task_base& what) {
  worker& me = *worker::current();
  if (what.home != &me.home || (what.pinned_to.is_some() && what.pinned_to != me.self)) return false;
  // Usually it is the last that this worker has submitted: then it is taken out of the deque. Otherwise its entry stays
  // behind, empty, until a worker takes it out.
  const auto newest = me.queues.take_newest(what);
  const bool is_mine = what.state.claim();
  if (is_mine && !newest.is_taken) me.queues.leave_behind(what);
  if (newest.was_disturbed) me.home.wakes->notify(me.self, &me);
  if (is_mine) execute_claimed(what, me.runs.get());
  if (newest.is_taken) what.release();
  return is_mine;
}

}  // namespace

void require_same_process(const task_base& what) {
  if (what.fork_generation == fork_generation()) return;
  throw usage_error("filch: a task was submitted before fork() and is waited for in the child, where it never ends");
}

bool wait_on_any_stack(task_base& what, time_ns deadline_ns) {
  if (what.state.is_finished()) return true;
  require_same_process(what);
  worker* const held = worker::current();
  if (held == nullptr) {
    const external_wait away;
    return what.state.block(deadline_ns);
  }
  if (deadline_ns == k_never_ns && run_it_here(what)) return true;

  wait_graph& waits = held->home.waits;
  const auto ticket = waits.begin_wait(held->runs.get(), what);
  wait_on_worker([&] { return what.state.is_finished() || monotonic_now_ns() >= deadline_ns; },
                 [&](time_ns until_ns) { (void)what.state.block(std::min(deadline_ns, until_ns)); });
  waits.end_wait(ticket);
  return what.state.is_finished();
}

// On a worker the caller runs what it waits for, or perhaps others, on its own stack.
bool wait_for(task_base& what, time_ns deadline_ns) {
  if (worker::current() != nullptr && !what.state.is_finished()) require_stack_left();
  return wait_on_any_stack(what, deadline_ns);
}

void wait_for(task_base& what) { (void)wait_for(what, k_never_ns); }

}  // namespace detail
}  // namespace filch::inline v0
